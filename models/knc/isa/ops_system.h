// Selectors of the system instructions that are defined outside ops_system.cpp.
#ifndef KNC_ISA_OPS_SYSTEM_H
#define KNC_ISA_OPS_SYSTEM_H

#include <knc/isa/op_table.h>

namespace knc::isa {

// MOV to and from control and debug registers.
handler select_mov_system_register(const decoded&, insn&);
handler select_lmsw(const decoded&, insn&);
handler select_smsw(const decoded&, insn&);

handler select_lgdt(const decoded&, insn&);
handler select_lidt(const decoded&, insn&);
handler select_sgdt(const decoded&, insn&);
handler select_sidt(const decoded&, insn&);
handler select_lldt(const decoded&, insn&);
handler select_ltr(const decoded&, insn&);
handler select_sldt(const decoded&, insn&);
handler select_str(const decoded&, insn&);

}  // namespace knc::isa

#endif
