// Model-specific registers that belong to the thread's architectural state.
//
// Models: EFER, STAR, LSTAR, SFMASK, FS, GS and kernel GS base; TSC_AUX in profile compat. The card
// has no CSTAR. All other numbers are the environment's. Source: Intel SDM vol. 3, 2.2.1 and 5.8.8.
#ifndef KNC_ISA_MSR_H
#define KNC_ISA_MSR_H

#include <cstdint>

#include <knc/isa/context.h>

namespace knc::isa {

// False: #GP(0) is due; nothing has changed. The privilege level is the caller's to check.
bool read_msr(context&, std::uint32_t number, std::uint64_t& value);
bool write_msr(context&, std::uint32_t number, std::uint64_t value);

}  // namespace knc::isa

#endif
