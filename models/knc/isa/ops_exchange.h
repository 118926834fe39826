// XADD, CMPXCHG and CMPXCHG8B/16B: read-modify-write with two results. Rows in ops_alu.cpp.
#ifndef KNC_ISA_OPS_EXCHANGE_H
#define KNC_ISA_OPS_EXCHANGE_H

#include <knc/isa/op_table.h>

namespace knc::isa {

handler select_xadd(const decoded&, insn&);
handler select_cmpxchg(const decoded&, insn&);
handler select_cmpxchg8b(const decoded&, insn&);
handler select_cmpxchg16b(const decoded&, insn&);

}  // namespace knc::isa

#endif
