// The stack registers an x87 instruction reads and writes, for the pipelines.
//
// Models: operands, named or implied, as sets of registers counted from the top of stack before the
// instruction. A register that the instruction may leave unwritten counts as read too, because it
// may keep its value. Leaves out: tags, status and control word. Source: Intel SDM vol. 2; Zydis'
// description of the operands where it is right.
#ifndef KNC_ISA_X87_STACK_USE_H
#define KNC_ISA_X87_STACK_USE_H

#include <cstdint>

#include <knc/isa/op_table.h>

namespace knc::isa {

// Sets as in insn::reads and insn::writes; both empty for an instruction that is not x87.
struct x87_stack_sets {
    register_set reads = 0;
    register_set writes = 0;
};

x87_stack_sets x87_stack_use(const decoded&);

}  // namespace knc::isa

#endif
