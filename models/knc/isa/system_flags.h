// Who may change which flags.
//
// Models: the privilege rules of POPF, IRET, CLI and STI. Leaves out: virtual-8086 extensions
// (knc/isa/virtual_interrupts.h). Source: Intel SDM vol. 2, CLI, IRET, POPF, STI.
#ifndef KNC_ISA_SYSTEM_FLAGS_H
#define KNC_ISA_SYSTEM_FLAGS_H

#include <cstdint>

#include <knc/isa/context.h>

namespace knc::isa {

inline unsigned iopl(const state& s) {
    return s.eflags >> 12 & 3;
}

// Flags that POPF of `width` bytes changes at the present privilege level.
inline std::uint32_t writable_flags(const state& s, unsigned width) {
    return arithmetic_flags | flag_tf | flag_df | flag_nt | (width > 2 ? flag_ac | flag_id : 0) |
           (s.cpl == 0 ? flag_iopl : 0) | (s.cpl <= iopl(s) ? flag_if : 0);
}

// Replaces the flags in `mask`.
inline void write_flags(context& c, std::uint64_t value, std::uint32_t mask) {
    c.s.set_rflags((c.s.rflags() & ~std::uint64_t{mask}) | (value & mask));
    c.update_mode();
}

}  // namespace knc::isa

#endif
