// ENTER, LEAVE and BOUND. Rows in ops_control.cpp.
#ifndef KNC_ISA_OPS_FRAME_H
#define KNC_ISA_OPS_FRAME_H

#include <knc/isa/op_table.h>

namespace knc::isa {

handler select_enter(const decoded&, insn&);
handler select_leave(const decoded&, insn&);
handler select_bound(const decoded&, insn&);

}  // namespace knc::isa

#endif
