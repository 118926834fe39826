// Instructions on the flags themselves: LAHF SAHF CLC STC CMC CLD STD PUSHF POPF. Rows in
// ops_data_transfer.cpp.
#ifndef KNC_ISA_OPS_FLAGS_H
#define KNC_ISA_OPS_FLAGS_H

#include <knc/isa/op_table.h>

namespace knc::isa {

status lahf(context&, const insn&);
status sahf(context&, const insn&);
status clear_carry(context&, const insn&);
status set_carry(context&, const insn&);
status complement_carry(context&, const insn&);
status clear_direction(context&, const insn&);
status set_direction(context&, const insn&);
handler select_pushf(const decoded&, insn&);
handler select_popf(const decoded&, insn&);

}  // namespace knc::isa

#endif
