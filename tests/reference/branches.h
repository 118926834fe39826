// Whether a branch is taken, by what it is and the state before it: not by where it leads, which
// may be the next instruction. Source: Intel SDM vol. 2, Jcc, LOOP, INTO; vol. 1, appendix B.
#ifndef KNC_TESTS_REFERENCE_BRANCHES_H
#define KNC_TESTS_REFERENCE_BRANCHES_H

#include <knc/isa/context.h>

namespace knc::reference {

// `i` has not been executed. What is no conditional branch is taken.
bool will_be_taken(const isa::context&, const isa::insn& i);

}  // namespace knc::reference

#endif
