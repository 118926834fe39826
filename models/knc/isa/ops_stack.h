// PUSH and POP of general registers, immediates and memory; PUSHA, POPA. Rows in
// ops_data_transfer.cpp.
#ifndef KNC_ISA_OPS_STACK_H
#define KNC_ISA_OPS_STACK_H

#include <knc/isa/op_table.h>

namespace knc::isa {

handler select_push(const decoded&, insn&);
handler select_pop(const decoded&, insn&);
handler select_pusha(const decoded&, insn&);
handler select_popa(const decoded&, insn&);

}  // namespace knc::isa

#endif
