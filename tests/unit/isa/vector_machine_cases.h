// Random cases of one form of an instruction, and how they run on the model.
#ifndef KNC_TESTS_ISA_VECTOR_MACHINE_CASES_H
#define KNC_TESTS_ISA_VECTOR_MACHINE_CASES_H

#include <string>

#include "int_machine.h"
#include "vector_machine.h"

namespace knc::isa::test {

// A form of an instruction: memory or register, MVEX.EH, SSS.
struct vm_variant {
    bool memory, eh;
    unsigned sss;
};
std::vector<vm_variant> vm_variants(const vm_row&);

struct vm_trial {
    vm_case c;
    vm_code code;
    vm_state before;
};
// Everything comes from `seed`: registers, operands, masks, MXCSR, address.
void vm_prepare(const vm_row&, const vm_variant&, std::uint64_t seed, vm_trial&);

class vm_model {
  public:
    vm_model() : machine_(code_mode::bits64) { machine_.c.s.seg[fs].base = vm_state::fs_base; }

    void set(const vm_state&);
    status step(const vm_code& code) { return machine_.step(code.bytes.data(), code.size); }
    const isa::fault& fault() const { return machine_.c.fault; }
    // What differs from the state expected; empty if nothing does.
    std::string differences(const vm_state& expected);
    context& hardware() { return machine_.c; }
    // The next access has to wait.
    void block() { machine_.line_blocks = 1; }

  private:
    bool equals(const vm_state&);

    int_machine machine_;
};

std::string vm_describe(const vm_trial&);

}  // namespace knc::isa::test

#endif
