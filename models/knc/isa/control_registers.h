// Control and debug registers with the checks of their writes.
//
// Models: CR0, CR3, CR4 (with the entry to and exit from long mode and the loading of the PAE
// page-directory pointers), CR8 through the environment, DR0-7.
// CR4.PGE and CR4.OSFXSR cannot be set on the card although CPUID reports both features: #GP(0).
// Profile compat lets them be set, without effect.
// What the breakpoints do: knc/isa/breakpoints.h.
// Source: Intel SDM vol. 3, 2.5 and 17.2, vol. 2, MOV to control registers.
#ifndef KNC_ISA_CONTROL_REGISTERS_H
#define KNC_ISA_CONTROL_REGISTERS_H

#include <cstdint>

#include <knc/isa/context.h>

namespace knc::isa {

inline constexpr std::uint64_t cr4_osfxsr = 1u << 9, cr4_osxmmexcpt = 1u << 10;

// The privilege level is the caller's to check. A refused value is #GP(0) and changes nothing.
status write_cr0(context&, std::uint64_t value);
status write_cr3(context&, std::uint64_t value);
status write_cr4(context&, std::uint64_t value);

// `n` is 0, 2, 3, 4 or 8.
std::uint64_t read_control_register(context&, unsigned n);
status write_control_register(context&, unsigned n, std::uint64_t value);

// `n` is 0 to 7; 4 and 5 stand for 6 and 7 unless CR4.DE makes them #UD.
status read_debug_register(context&, unsigned n, std::uint64_t& value);
status write_debug_register(context&, unsigned n, std::uint64_t value);

}  // namespace knc::isa

#endif
