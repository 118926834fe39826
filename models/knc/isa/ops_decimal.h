// Decimal adjustment of 16- and 32-bit code: AAA AAS AAM AAD DAA DAS; SALC. Rows in
// ops_multiply.cpp.
#ifndef KNC_ISA_OPS_DECIMAL_H
#define KNC_ISA_OPS_DECIMAL_H

#include <knc/isa/op_table.h>

namespace knc::isa {

status aaa(context&, const insn&);
status aas(context&, const insn&);
status aam(context&, const insn&);
status aad(context&, const insn&);
status daa(context&, const insn&);
status das(context&, const insn&);
status salc(context&, const insn&);

}  // namespace knc::isa

#endif
