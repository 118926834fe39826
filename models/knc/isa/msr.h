// Model-specific registers of a thread.
//
// Models: one table of the MSRs the thread itself has, with their checks, reset values and effects:
// those of the architecture (EFER, STAR, ...), memory types (MTRRs, PAT), machine check, test
// registers, core C6. A number in no table is #GP(0), a set reserved bit too.
// The card has no CSTAR. PMU and time stamp counter: knc/pmu/knc_registers.h. Registers known by
// number only (SPU_BASE 0x1C, CBOX_SPU_PA 0x17E and 0x17F) do not exist here.
// Source: Intel SDM vol. 3, 2.2.1, 5.8.8, 11.11, 11.12 and 15.3; register lists of Intel's card
// kernel and host driver.
#ifndef KNC_ISA_MSR_H
#define KNC_ISA_MSR_H

#include <cstdint>

#include <knc/isa/context.h>

namespace knc::isa {

inline constexpr std::uint32_t msr_apic_base = 0x1b;
inline constexpr std::uint64_t apic_base_enable = 1u << 11;

enum class msr_access : std::uint8_t { read_write, read_only };

// What a value must meet beside its reserved bits, or what else is special about the register.
enum class msr_rule : std::uint8_t {
    none,
    canonical,
    range_type,   // the low byte is a memory type
    range_size,   // part of a memory type range
    range_types,  // each byte is a memory type
    page_types,   // each byte is one, or UC-
    efer,
    compat,     // exists in profile compat only
    local_apic  // the environment's
};

struct msr_info {
    std::uint32_t number;
    const char* name;
    msr_access access;
    std::uint64_t writable;  // the other bits are reserved
    std::uint64_t reset;
    bool kept_by_init;
    msr_rule rule;
    std::uint64_t& (*of)(state&);  // nullptr: constant, or not kept in the thread's state
    const char* meaning;
    const char* source;
};

struct msr_list {
    const msr_info *first, *last;
    const msr_info* begin() const { return first; }
    const msr_info* end() const { return last; }
};
// In order of number.
msr_list msrs();

// False: #GP(0) is due; nothing has changed. The privilege level is the caller's to check. Numbers
// that are not the thread's are the environment's.
bool read_msr(context&, std::uint32_t number, std::uint64_t& value);
bool write_msr(context&, std::uint32_t number, std::uint64_t value);

}  // namespace knc::isa

#endif
