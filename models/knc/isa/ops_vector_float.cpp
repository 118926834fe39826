// VADD VSUB VSUBR VADDN VMUL VFMADD VFMSUB VFNMADD VFNMSUB VADDSETS VGMAX VGMIN VGMAXABS VGETEXP
// VGETMANT VSCALE VFIXUPNAN VRCP23 VRSQRT23 VLOG2 VEXP223, of float32 and float64.
//
// Source: Intel Xeon Phi coprocessor instruction set reference 327364, 6; docs/vector.md.
#include <knc/isa/op_table.h>

#include <iterator>

#include <knc/isa/vector_approximate.h>
#include <knc/isa/vector_arithmetic.h>
#include <knc/isa/vector_compare.h>
#include <knc/isa/vector_host.h>
#include <knc/isa/vector_operand.h>
#include <knc/isa/vector_parts.h>

namespace knc::isa {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class T>
using binary = T (*)(T, T, vector_environment&);
template <class T>
using ternary = T (*)(T, T, T, vector_environment&);

using host = vector_host_operation;

template <class T, binary<T> Of>
status two_sources(context& c, const insn& i) {
    vector_execution_float<T> x(c, i);
    if (!x.begin()) return c.failure;
    return x.write([&](unsigned n) { return Of(x.second(n), x.third(n), x.environment()); });
}
// The same with a shorter way for all lanes together.
template <class T, binary<T> Of, host Together>
status sum_or_product(context& c, const insn& i) {
    vector_execution_float<T> x(c, i);
    if (!x.begin()) return c.failure;
    if (vector_by_host<T, Together>(x.second(), x.third(), x.third(), x.active(), x.environment(),
                                    x.result()))
        return x.end();
    return x.write([&](unsigned n) { return Of(x.second(n), x.third(n), x.environment()); });
}
template <class T>
T subtract_reversed(T a, T b, vector_environment& e) {
    return vector_subtract(b, a, e);
}

// The three digits of the mnemonic name the operands of a * b + c.
template <unsigned Digits, class T, ternary<T> Of, host Together>
status multiply_add(context& c, const insn& i) {
    vector_execution_float<T> x(c, i);
    if (!x.begin()) return c.failure;
    const vector_register &factor = x.operand(Digits / 100), &other = x.operand(Digits / 10 % 10),
                          &addend = x.operand(Digits % 10);
    if (vector_by_host<T, Together>(factor, other, addend, x.active(), x.environment(), x.result()))
        return x.end();
    return x.write([&](unsigned n) {
        return Of(factor.get<T>(n), other.get<T>(n), addend.get<T>(n), x.environment());
    });
}
// Lanes 0 and 1 of each four of the third source are the addend and the factor of all four.
status multiply_add_233(context& c, const insn& i) {
    if (vector_swizzled(i)) return c.ud();
    vector_execution_f32 x(c, i);
    if (!x.begin()) return c.failure;
    const vector_register third = x.third();
    return x.write([&](unsigned n) {
        const unsigned group = n & ~3u;
        return vector_multiply_add(x.second(n), third.get<u32>(group + 1), third.get<u32>(group),
                                   x.environment());
    });
}

// The signs of the results replace the active bits of the writemask.
status add_and_set_signs(context& c, const insn& i) {
    if (vector_fields::of(i).mask == 0) return c.ud();
    vector_execution_f32 x(c, i);
    if (!x.begin()) return c.failure;
    mask_t& signs = c.s.vector.k[x.fields().mask];
    return x.write([&](unsigned n) {
        const u32 sum = vector_add(x.second(n), x.third(n), x.environment());
        set_lane(signs, n, sum >> 31 != 0);
        return sum;
    });
}

template <class T>
status exponent(context& c, const insn& i) {
    vector_execution_float<T> x(c, i);
    if (!x.begin()) return c.failure;
    return x.write([&](unsigned n) { return vector_exponent(x.third(n), x.environment()); });
}
template <class T>
status significand(context& c, const insn& i) {
    vector_execution_float<T> x(c, i);
    if (!x.begin()) return c.failure;
    const auto immediate = static_cast<unsigned>(i.imm) & 15u;
    return x.write(
        [&](unsigned n) { return vector_significand(x.third(n), immediate, x.environment()); });
}
status scale(context& c, const insn& i) {
    vector_execution_i32 x(c, i);
    if (!x.begin()) return c.failure;
    return x.write([&](unsigned n) {
        return vector_scale(x.second(n), static_cast<std::int32_t>(x.third(n)), x.environment());
    });
}
// The table is the low 32 bits of a lane.
template <class T, const vector_form (&Forms)[8]>
status fix_up(context& c, const insn& i) {
    vector_execution<T, T, Forms> x(c, i);
    if (!x.begin()) return c.failure;
    return x.write([&](unsigned n) {
        return vector_fix_up(x.destination(n), x.second(n), static_cast<u32>(x.third(n)),
                             x.environment());
    });
}

template <u32 (*Of)(u32, vector_environment&)>
status approximate(context& c, const insn& i) {
    vector_execution_f32 x(c, i);
    if (!x.begin()) return c.failure;
    return x.write([&](unsigned n) { return Of(x.third(n), x.environment()); });
}
u32 power_of_two(u32 v, vector_environment&) {
    return vector_exp2(static_cast<std::int32_t>(v));
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_VADDPS, vector_selected<sum_or_product<u32, vector_add, host::add>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VADDPD, vector_selected<sum_or_product<u64, vector_add, host::add>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VSUBPS, vector_selected<sum_or_product<u32, vector_subtract, host::subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VSUBPD, vector_selected<sum_or_product<u64, vector_subtract, host::subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VSUBRPS,
     vector_selected<sum_or_product<u32, subtract_reversed, host::subtract_reversed>>, insn_vector},
    {ZYDIS_MNEMONIC_VSUBRPD,
     vector_selected<sum_or_product<u64, subtract_reversed, host::subtract_reversed>>, insn_vector},
    {ZYDIS_MNEMONIC_VADDNPS,
     vector_selected<sum_or_product<u32, vector_add_negated, host::add_negated>>, insn_vector},
    {ZYDIS_MNEMONIC_VADDNPD,
     vector_selected<sum_or_product<u64, vector_add_negated, host::add_negated>>, insn_vector},
    {ZYDIS_MNEMONIC_VMULPS, vector_selected<sum_or_product<u32, vector_multiply, host::multiply>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VMULPD, vector_selected<sum_or_product<u64, vector_multiply, host::multiply>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VGMINPS, vector_selected<two_sources<u32, vector_minimum>>, insn_vector},
    {ZYDIS_MNEMONIC_VGMINPD, vector_selected<two_sources<u64, vector_minimum>>, insn_vector},
    {ZYDIS_MNEMONIC_VGMAXPS, vector_selected<two_sources<u32, vector_maximum>>, insn_vector},
    {ZYDIS_MNEMONIC_VGMAXPD, vector_selected<two_sources<u64, vector_maximum>>, insn_vector},
    {ZYDIS_MNEMONIC_VGMAXABSPS, vector_selected<two_sources<u32, vector_maximum_magnitude>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFMADD132PS,
     vector_updating<multiply_add<132, u32, vector_multiply_add, host::multiply_add>>, insn_vector},
    {ZYDIS_MNEMONIC_VFMADD132PD,
     vector_updating<multiply_add<132, u64, vector_multiply_add, host::multiply_add>>, insn_vector},
    {ZYDIS_MNEMONIC_VFMADD213PS,
     vector_updating<multiply_add<213, u32, vector_multiply_add, host::multiply_add>>, insn_vector},
    {ZYDIS_MNEMONIC_VFMADD213PD,
     vector_updating<multiply_add<213, u64, vector_multiply_add, host::multiply_add>>, insn_vector},
    {ZYDIS_MNEMONIC_VFMADD231PS,
     vector_updating<multiply_add<231, u32, vector_multiply_add, host::multiply_add>>, insn_vector},
    {ZYDIS_MNEMONIC_VFMADD231PD,
     vector_updating<multiply_add<231, u64, vector_multiply_add, host::multiply_add>>, insn_vector},
    {ZYDIS_MNEMONIC_VFMSUB132PS,
     vector_updating<multiply_add<132, u32, vector_multiply_subtract, host::multiply_subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFMSUB132PD,
     vector_updating<multiply_add<132, u64, vector_multiply_subtract, host::multiply_subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFMSUB213PS,
     vector_updating<multiply_add<213, u32, vector_multiply_subtract, host::multiply_subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFMSUB213PD,
     vector_updating<multiply_add<213, u64, vector_multiply_subtract, host::multiply_subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFMSUB231PS,
     vector_updating<multiply_add<231, u32, vector_multiply_subtract, host::multiply_subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFMSUB231PD,
     vector_updating<multiply_add<231, u64, vector_multiply_subtract, host::multiply_subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFNMADD132PS,
     vector_updating<
         multiply_add<132, u32, vector_negated_multiply_add, host::negated_multiply_add>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFNMADD132PD,
     vector_updating<
         multiply_add<132, u64, vector_negated_multiply_add, host::negated_multiply_add>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFNMADD213PS,
     vector_updating<
         multiply_add<213, u32, vector_negated_multiply_add, host::negated_multiply_add>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFNMADD213PD,
     vector_updating<
         multiply_add<213, u64, vector_negated_multiply_add, host::negated_multiply_add>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFNMADD231PS,
     vector_updating<
         multiply_add<231, u32, vector_negated_multiply_add, host::negated_multiply_add>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFNMADD231PD,
     vector_updating<
         multiply_add<231, u64, vector_negated_multiply_add, host::negated_multiply_add>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFNMSUB132PS,
     vector_updating<
         multiply_add<132, u32, vector_negated_multiply_subtract, host::negated_multiply_subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFNMSUB132PD,
     vector_updating<
         multiply_add<132, u64, vector_negated_multiply_subtract, host::negated_multiply_subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFNMSUB213PS,
     vector_updating<
         multiply_add<213, u32, vector_negated_multiply_subtract, host::negated_multiply_subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFNMSUB213PD,
     vector_updating<
         multiply_add<213, u64, vector_negated_multiply_subtract, host::negated_multiply_subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFNMSUB231PS,
     vector_updating<
         multiply_add<231, u32, vector_negated_multiply_subtract, host::negated_multiply_subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFNMSUB231PD,
     vector_updating<
         multiply_add<231, u64, vector_negated_multiply_subtract, host::negated_multiply_subtract>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VFMADD233PS, vector_selected<multiply_add_233>, insn_vector},
    {ZYDIS_MNEMONIC_VADDSETSPS, vector_updating_masks<add_and_set_signs>, insn_vector},
    {ZYDIS_MNEMONIC_VGETEXPPS, vector_selected<exponent<u32>>, insn_vector},
    {ZYDIS_MNEMONIC_VGETEXPPD, vector_selected<exponent<u64>>, insn_vector},
    {ZYDIS_MNEMONIC_VGETMANTPS, vector_selected<significand<u32>>, insn_vector},
    {ZYDIS_MNEMONIC_VGETMANTPD, vector_selected<significand<u64>>, insn_vector},
    {ZYDIS_MNEMONIC_VSCALEPS, vector_selected<scale>, insn_vector},
    {ZYDIS_MNEMONIC_VFIXUPNANPS, vector_updating<fix_up<u32, vector_operand_i32>>, insn_vector},
    {ZYDIS_MNEMONIC_VFIXUPNANPD, vector_updating<fix_up<u64, vector_operand_64>>, insn_vector},
    {ZYDIS_MNEMONIC_VRCP23PS, vector_selected<approximate<vector_reciprocal>>, insn_vector},
    {ZYDIS_MNEMONIC_VRSQRT23PS, vector_selected<approximate<vector_reciprocal_square_root>>,
     insn_vector},
    {ZYDIS_MNEMONIC_VLOG2PS, vector_selected<approximate<vector_log2>>, insn_vector},
    {ZYDIS_MNEMONIC_VEXP223PS, vector_selected<approximate<power_of_two>>, insn_vector},
};

}  // namespace

op_table vector_float_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
