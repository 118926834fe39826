// What an instruction of the vector unit keeps in isa::insn beside its registers `reg` and `rm`.
//
// Models: the fields of MVEX that have no place of their own, in insn::imm2: second source,
// writemask, the function of the third source (swizzle, broadcast, conversion, rounding), eviction
// hint. Source: Intel Xeon Phi coprocessor instruction set reference 327364, 3.
#ifndef KNC_ISA_VECTOR_INSN_H
#define KNC_ISA_VECTOR_INSN_H

#include <cstdint>

#include <knc/isa/op_table.h>

namespace knc::isa {

struct vector_fields {
    unsigned source2 = 0;          // register number, 0-31
    unsigned mask = 0;             // writemask, 0-7
    unsigned function = 0;         // MVEX.SSS
    bool eviction_hint = false;    // MVEX.E with a memory operand
    bool static_rounding = false;  // MVEX.E without one: the function is a rounding mode

    std::uint16_t pack() const {
        return static_cast<std::uint16_t>(source2 | mask << 5 | function << 8 |
                                          unsigned{eviction_hint} << 11 |
                                          unsigned{static_rounding} << 12);
    }
    static vector_fields of(const insn& i) {
        vector_fields f;
        f.source2 = i.imm2 & 31u;
        f.mask = i.imm2 >> 5 & 7u;
        f.function = i.imm2 >> 8 & 7u;
        f.eviction_hint = (i.imm2 >> 11 & 1u) != 0;
        f.static_rounding = (i.imm2 >> 12 & 1u) != 0;
        return f;
    }
};

inline register_set vector_register_bit(unsigned n) {
    return register_set{1} << (vector_registers_shift + n);
}
inline register_set mask_register_bit(unsigned n) {
    return register_set{1} << (mask_registers_shift + n);
}
// What the addresses of a gather or scatter depend on: its index vector and its mask.
inline register_set sparse_sources(const insn& i) {
    const vector_fields f = vector_fields::of(i);
    return vector_register_bit(f.source2) | mask_register_bit(f.mask);
}

// Whether the instruction has an encoding of the vector unit (MVEX), or names mask registers.
bool is_vector(const decoded&);
// Fills in register numbers, fields and register sets of such an instruction.
void fill_vector(const decoded&, insn& out);

}  // namespace knc::isa

#endif
