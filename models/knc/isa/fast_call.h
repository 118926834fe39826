// SYSCALL and SYSRET.
//
// Models: the 64-bit forms, with STAR, LSTAR and SFMASK. Leaves out: return to 32-bit code, which
// no thread can execute in long mode: SYSRET without REX.W is #GP of the selector it would load.
// Source: Intel SDM vol. 2, SYSCALL and SYSRET.
#ifndef KNC_ISA_FAST_CALL_H
#define KNC_ISA_FAST_CALL_H

#include <knc/isa/context.h>

namespace knc::isa {

status system_call(context&);
// `wide`: the 64-bit form.
status system_return(context&, bool wide);

}  // namespace knc::isa

#endif
