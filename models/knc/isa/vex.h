// What the VEX-encoded instructions on general registers share.
#ifndef KNC_ISA_VEX_H
#define KNC_ISA_VEX_H

#include <knc/isa/context.h>

namespace knc::isa {

// VEX prefixes exist in protected mode only.
inline bool vex_allowed(const context& c) {
    return c.s.protected_mode() && !c.s.virtual_8086();
}

}  // namespace knc::isa

#endif
