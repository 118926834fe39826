// Instructions without an architectural result: NOP, prefetches, cache line evictions, fences,
// DELAY, SPFLT; and the opcodes defined to be undefined. Rows in ops_control.cpp.
#ifndef KNC_ISA_OPS_HINT_H
#define KNC_ISA_OPS_HINT_H

#include <knc/isa/op_table.h>

namespace knc::isa {

handler select_hint(const decoded&, insn&);
handler select_prefetch(const decoded&, insn&);
handler select_clevict(const decoded&, insn&);
handler select_clflush(const decoded&, insn&);
handler select_delay(const decoded&, insn&);
handler select_spflt(const decoded&, insn&);
handler select_undefined(const decoded&, insn&);

}  // namespace knc::isa

#endif
