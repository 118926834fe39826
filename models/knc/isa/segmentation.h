// Segment descriptors: reading, checking and loading them.
//
// Models: GDT and LDT descriptors of 8 and 16 bytes, limits (expand-up and expand-down), the checks
// of a data or stack segment load, accessed bits, real and virtual-8086 mode segments.
// Leaves out: code segment loads with their privilege rules (far_transfer.h).
// Source: Intel SDM vol. 3, chapters 3 and 5.
#ifndef KNC_ISA_SEGMENTATION_H
#define KNC_ISA_SEGMENTATION_H

#include <cstdint>

#include <knc/isa/context.h>

namespace knc::isa {

// Whether bytes off .. off+size-1 lie within the limit of `g`.
bool within_limit(const segment& g, std::uint64_t off, unsigned size);
bool canonical_range(std::uint64_t la, unsigned size);

inline bool is_code(const segment& g) {
    return g.code_or_data() && (g.attributes & 8) != 0;
}
inline bool is_data(const segment& g) {
    return g.code_or_data() && (g.attributes & 8) == 0;
}
inline bool is_conforming(const segment& g) {
    return is_code(g) && (g.attributes & 4) != 0;
}
inline bool is_writable(const segment& g) {
    return is_data(g) && (g.attributes & 2) != 0;
}
inline bool is_readable(const segment& g) {
    return is_data(g) || (g.attributes & 2) != 0;
}
constexpr bool is_null(std::uint16_t selector) {
    return (selector & 0xfffc) == 0;
}

// Types of system descriptors (S = 0).
enum system_type : std::uint8_t {
    type_tss16 = 1,
    type_ldt = 2,
    type_tss16_busy = 3,
    type_call_gate16 = 4,
    type_task_gate = 5,
    type_interrupt_gate16 = 6,
    type_trap_gate16 = 7,
    type_tss = 9,
    type_tss_busy = 11,
    type_call_gate = 12,
    type_interrupt_gate = 14,
    type_trap_gate = 15
};

// A descriptor as it stands in its table.
struct descriptor {
    std::uint64_t low = 0;
    std::uint64_t high = 0;  // bytes 15:8 of a system descriptor in long mode
    std::uint64_t la = 0;    // where it is

    // As the hidden part of a segment register; `high` gives base bits 63:32.
    segment as_segment(std::uint16_t selector) const;
    // As a gate.
    std::uint16_t gate_selector() const { return static_cast<std::uint16_t>(low >> 16); }
    std::uint64_t gate_offset() const {
        return (low & 0xffff) | (low >> 32 & 0xffff'0000) | (high & 0xffff'ffff) << 32;
    }
};

// Reads the descriptor that `selector` names, in long mode all 16 bytes of a system descriptor. A
// selector outside its table raises `vector` with the selector as error code.
bool read_descriptor(context&, std::uint16_t selector, std::uint8_t vector, descriptor&);
// As read_descriptor, but a selector outside its table is no fault: `found` is false.
bool look_up_descriptor(context&, std::uint16_t selector, descriptor&, bool& found);
// Sets the accessed bit of a code or data descriptor in memory, if it is clear.
bool mark_accessed(context&, descriptor&);

// Loads ES, SS, DS, FS or GS as MOV Sreg does, in every mode. A failure changes only accessed bits.
bool load_data_segment(context&, unsigned reg, std::uint16_t selector);
// The value a segment register takes in real or virtual-8086 mode.
segment real_mode_segment(const context&, unsigned reg, std::uint16_t selector);
// The register after a null selector.
segment null_segment(std::uint16_t selector);

}  // namespace knc::isa

#endif
