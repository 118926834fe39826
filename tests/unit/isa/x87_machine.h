// A thread for tests of x87 instructions: the unit initialised, CR0.NE set, an operand at
// `operand`.
#ifndef KNC_TESTS_ISA_X87_MACHINE_H
#define KNC_TESTS_ISA_X87_MACHINE_H

#include <ostream>

#include <knc/isa/x87_operand.h>

#include "int_machine.h"

namespace knc::isa {

inline bool operator==(const x87_register& a, const x87_register& b) {
    return a.significand == b.significand && a.sign_exponent == b.sign_exponent;
}
inline std::ostream& operator<<(std::ostream& o, const x87_register& r) {
    return o << std::hex << r.sign_exponent << ':' << r.significand << std::dec;
}

}  // namespace knc::isa

namespace knc::isa::test {

inline constexpr std::uint64_t one_bits = std::uint64_t{1} << 63;

class x87_machine final : public int_machine {
  public:
    static constexpr std::uint64_t operand = 0x4000;  // BX, EBX and RBX point here

    explicit x87_machine(code_mode mode = code_mode::bits64, profile p = profile::knc)
        : int_machine(mode, p) {
        c.s.cr0 |= cr0_ne;
        c.s.x87.initialize();
        c.s.r[rbx] = operand;
    }
    x87_state& x() { return c.s.x87; }
    void push(const x87_register& r) {
        x().set_top(x().top() - 1);
        x().set(0, r);
    }
    // A small integer as a register holds it.
    static x87_register number(std::int64_t v) { return x87_encode(x87_from_integer(v)); }
    unsigned exceptions() { return x().status & (x87_exceptions | x87_sf); }
};

}  // namespace knc::isa::test

#endif
