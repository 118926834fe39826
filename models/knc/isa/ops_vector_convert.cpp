// VCVT, VCVTFXPNT and VRNDFXPNT: conversions between the types of vector elements.
//
// Immediates: bits 1:0 the rounding direction, bits 7:4 the bits of fraction. A reserved number of
// bits of fraction is #UD. Source: Intel Xeon Phi coprocessor instruction set reference 327364, 6.
#include <knc/isa/op_table.h>

#include <iterator>

#include <knc/isa/vector_integer.h>
#include <knc/isa/vector_operand.h>

namespace knc::isa {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

unsigned adjustment(const insn& i) {
    return vector_adjustments[i.imm >> 4 & 7];
}
vector_rounding direction(const insn& i) {
    return static_cast<vector_rounding>(i.imm & 3);
}

// ---- lanes of the same width
template <u32 (*Of)(u32, unsigned, vector_environment&)>
status float_to_fixed(context& c, const insn& i) {
    vector_execution_f32 x(c, i);
    if (!x.begin()) return c.failure;
    x.environment().rounding = direction(i);
    return x.write([&](unsigned n) { return Of(x.third(n), adjustment(i), x.environment()); });
}
template <class Integer>
status fixed_to_float(context& c, const insn& i) {
    vector_execution_i32 x(c, i);
    if (!x.begin()) return c.failure;
    x.environment().rounding = direction(i);
    return x.write([&](unsigned n) {
        return vector_from_integer<u32>(static_cast<Integer>(x.third(n)), adjustment(i),
                                        x.environment());
    });
}
template <class T>
status round_to_fixed(context& c, const insn& i) {
    vector_execution_float<T> x(c, i);
    if (!x.begin()) return c.failure;
    x.environment().rounding = direction(i);
    return x.write([&](unsigned n) {
        return vector_round_to_fixed(x.third(n), adjustment(i), x.environment());
    });
}

// ---- from the low eight lanes of 32 bits
template <class Of>
status widen(context& c, const insn& i, Of of) {
    vector_execution<u64, u32, vector_operand_half> x(c, i);
    if (!x.begin()) return c.failure;
    // The destination may be the source, whose lane n must survive the results below it.
    const vector_register third = x.third();
    return x.write([&](unsigned n) { return of(third.get<u32>(n), x.environment()); });
}
status float32_to_float64(context& c, const insn& i) {
    return widen(c, i, vector_to_float64);
}
template <class Integer>
status integer_to_float64(context& c, const insn& i) {
    return widen(c, i, [](u32 v, vector_environment& e) {
        return vector_from_integer<u64>(static_cast<Integer>(v), 0, e);
    });
}

// ---- to the low eight lanes of 32 bits; the others become 0
template <class Of>
status narrow(context& c, const insn& i, Of of) {
    constexpr unsigned half = 8;
    vector_execution<u32, u64, vector_operand_64> x(c, i);
    if (!x.begin()) return c.failure;
    const vector_register third = x.third();
    for (unsigned n = half; n < 2 * half; ++n) x.result().template set<u32>(n, 0);
    return x.write([&](unsigned n) { return of(third.get<u64>(n), x.environment()); });
}
status float64_to_float32(context& c, const insn& i) {
    return narrow(c, i, vector_to_float32);
}
template <u32 (*Of)(u64, unsigned, vector_environment&)>
status float64_to_fixed(context& c, const insn& i) {
    return narrow(c, i, [&](u64 v, vector_environment& e) {
        e.rounding = direction(i);
        return Of(v, adjustment(i), e);
    });
}

// Rejects the reserved adjustments.
template <handler H>
status with_adjustment(context& c, const insn& i) {
    const auto n = static_cast<unsigned>(i.imm >> 4 & 15);
    return n < std::size(vector_adjustments) ? H(c, i) : c.ud();
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_VCVTPS2PD, vector_selected<float32_to_float64>, insn_vector | insn_converts},
    {ZYDIS_MNEMONIC_VCVTPD2PS, vector_selected<float64_to_float32>, insn_vector | insn_converts},
    {ZYDIS_MNEMONIC_VCVTDQ2PD, vector_selected<integer_to_float64<std::int32_t>>,
     insn_vector | insn_converts},
    {ZYDIS_MNEMONIC_VCVTUDQ2PD, vector_selected<integer_to_float64<u32>>,
     insn_vector | insn_converts},
    {ZYDIS_MNEMONIC_VCVTFXPNTDQ2PS, vector_selected<with_adjustment<fixed_to_float<std::int32_t>>>,
     insn_vector | insn_converts},
    {ZYDIS_MNEMONIC_VCVTFXPNTUDQ2PS, vector_selected<with_adjustment<fixed_to_float<u32>>>,
     insn_vector | insn_converts},
    {ZYDIS_MNEMONIC_VCVTFXPNTPS2DQ,
     vector_selected<with_adjustment<float_to_fixed<vector_to_int32>>>,
     insn_vector | insn_converts},
    {ZYDIS_MNEMONIC_VCVTFXPNTPS2UDQ,
     vector_selected<with_adjustment<float_to_fixed<vector_to_uint32>>>,
     insn_vector | insn_converts},
    {ZYDIS_MNEMONIC_VCVTFXPNTPD2DQ,
     vector_selected<with_adjustment<float64_to_fixed<vector_to_int32>>>,
     insn_vector | insn_converts},
    {ZYDIS_MNEMONIC_VCVTFXPNTPD2UDQ,
     vector_selected<with_adjustment<float64_to_fixed<vector_to_uint32>>>,
     insn_vector | insn_converts},
    {ZYDIS_MNEMONIC_VRNDFXPNTPS, vector_selected<with_adjustment<round_to_fixed<u32>>>,
     insn_vector | insn_converts},
    {ZYDIS_MNEMONIC_VRNDFXPNTPD, vector_selected<with_adjustment<round_to_fixed<u64>>>,
     insn_vector | insn_converts},
};

}  // namespace

op_table vector_convert_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
