// Arithmetic of the x87 unit: FADD FMUL FSUB FDIV with their reverse, popping and integer forms,
// FSQRT FABS FCHS FPREM FPREM1 FRNDINT FSCALE FXTRACT, and the transcendental functions.
//
// Source: Intel SDM vol. 2.
#include <knc/isa/op_table.h>

#include <knc/isa/select.h>
#include <knc/isa/x87_arithmetic.h>
#include <knc/isa/x87_transcendental.h>
#include <knc/isa/x87_unit.h>

namespace knc::isa {
namespace {

template <x87_binary F>
x87_result reversed(const x87_operand& a, const x87_operand& b, unsigned control) {
    return F(b, a, control);
}

// ST(reg) = ST(reg) op ST(rm).
template <x87_binary F, unsigned Pops>
status of_registers(context& c, const insn& i) {
    x87_state& x = c.s.x87;
    if (x.empty(i.reg) || x.empty(i.rm)) {
        x87_underflow(x, i.reg, Pops);
    } else {
        const x87_operand a = x87_decode(x.st(i.reg)), b = x87_decode(x.st(i.rm));
        x87_write(x, i.reg, F(a, b, x.control), Pops);
    }
    return status::ok;
}

x87_operand from_memory(std::uint32_t v) {
    return x87_from_real(v);
}
x87_operand from_memory(std::uint64_t v) {
    return x87_from_real(v);
}
x87_operand from_memory(std::int16_t v) {
    return x87_from_integer(v);
}
x87_operand from_memory(std::int32_t v) {
    return x87_from_integer(v);
}

// ST(0) = ST(0) op memory; T unsigned: a real number, signed: an integer.
template <x87_binary F, class T>
status of_memory(context& c, const insn& i) {
    T v;
    if (!c.load<T>(i.seg, c.offset(i), v)) return c.failure;
    x87_state& x = c.s.x87;
    if (x.empty(0)) {
        x87_underflow(x, 0);
    } else {
        x87_write(x, 0, F(x87_decode(x.st(0)), from_memory(v), x.control));
    }
    return status::ok;
}

template <x87_binary F>
handler select_real(const decoded& d, insn& out) {
    if (!is_memory(d.ops[0])) return x87_select<of_registers<F, 0>>(d, out);
    if (out.size == 4) return x87_select<of_memory<F, std::uint32_t>>(d, out);
    return x87_select<of_memory<F, std::uint64_t>>(d, out);
}
template <x87_binary F>
handler select_pop(const decoded& d, insn& out) {
    return x87_select<of_registers<F, 1>>(d, out);
}
template <x87_binary F>
handler select_integer(const decoded& d, insn& out) {
    if (out.size == 2) return x87_select<of_memory<F, std::int16_t>>(d, out);
    return x87_select<of_memory<F, std::int32_t>>(d, out);
}

// ST(0) = f(ST(0)).
template <x87_unary F>
status of_top(context& c, const insn&) {
    x87_state& x = c.s.x87;
    if (x.empty(0)) {
        x87_underflow(x, 0);
    } else {
        x87_write(x, 0, F(x87_decode(x.st(0)), x.control));
    }
    return status::ok;
}

// The same for an angle: if it is too large, C2 is set and ST(0) stays.
template <x87_unary F>
status of_angle(context& c, const insn&) {
    x87_state& x = c.s.x87;
    const x87_result r = x.empty(0) ? x87_result{x87_indefinite, x87_stack_underflow}
                                    : F(x87_decode(x.st(0)), x.control);
    if (!x87_signal(x, r.flags, x87_c2) && (r.flags & x87_c2) == 0) x.set(0, r.value);
    return status::ok;
}

// ST(0) = f(ST(0), ST(1)).
template <x87_binary F>
status of_top_two(context& c, const insn&) {
    x87_state& x = c.s.x87;
    if (x.empty(0) || x.empty(1)) {
        x87_underflow(x, 0);
    } else {
        x87_write(x, 0, F(x87_decode(x.st(0)), x87_decode(x.st(1)), x.control));
    }
    return status::ok;
}

// As of_top_two; C0, C3 and C1 are bits of the quotient if there is one, C2: incomplete reduction.
template <x87_binary F>
status remainder(context& c, const insn&) {
    x87_state& x = c.s.x87;
    if (x.empty(0) || x.empty(1)) {
        x.set_status(x87_c2, 0);
        x87_underflow(x, 0);
        return status::ok;
    }
    const x87_operand a = x87_decode(x.st(0)), b = x87_decode(x.st(1));
    const x87_result r = F(a, b, x.control);
    const bool quotient =
        !a.nan() && !b.nan() && (r.flags & x87_ie) == 0 && !x87_stops(r.flags, x.control);
    x87_write(x, 0, r, 0, quotient ? x87_conditions : x87_c2);
    return status::ok;
}

// ST(1) = f(ST(0), ST(1)), and a pop.
template <x87_binary F>
status of_top_two_pop(context& c, const insn&) {
    x87_state& x = c.s.x87;
    if (x.empty(0) || x.empty(1)) {
        x87_underflow(x, 1, 1);
    } else {
        x87_write(x, 1, F(x87_decode(x.st(0)), x87_decode(x.st(1)), x.control), 1);
    }
    return status::ok;
}

// Acts on the sign bit, whatever the register contains.
template <bool Change>
status set_sign(context& c, const insn&) {
    x87_state& x = c.s.x87;
    if (x.empty(0)) {
        x87_underflow(x, 0);
    } else {
        x87_register r = x.st(0);
        r.sign_exponent = static_cast<std::uint16_t>((r.sign_exponent & 0x7fff) |
                                                     (Change && !r.negative() ? 0x8000 : 0));
        x87_write(x, 0, {r, 0});
    }
    return status::ok;
}

// A result in ST(0) and another one pushed above it, with the flags of both.
struct two_results {
    x87_register below, pushed;
    unsigned flags = 0;
};
template <two_results (*F)(const x87_operand&, unsigned control), unsigned Clear>
status of_top_push(context& c, const insn&) {
    x87_state& x = c.s.x87;
    two_results r = {x87_indefinite, x87_indefinite, 0};
    if (x.empty(0)) {
        r.flags = x87_stack_underflow;
    } else if (!x.empty(7)) {
        r.flags = x87_stack_overflow;
    } else {
        r = F(x87_decode(x.st(0)), x.control);
    }
    if (x87_signal(x, r.flags, Clear) || (r.flags & x87_c2) != 0) return status::ok;
    x.set(0, r.below);
    x.set_top(x.top() - 1);
    x.set(0, r.pushed);
    return status::ok;
}

two_results extract(const x87_operand& a, unsigned) {
    const x87_parts p = x87_extract(a);
    return {p.exponent.value, p.significand.value, p.significand.flags};
}
two_results sine_and_cosine(const x87_operand& a, unsigned control) {
    const x87_result s = x87_sine(a, control), c = x87_cosine(a, control);
    return {s.value, c.value, s.flags | c.flags};
}
// FPTAN pushes NaNs and the NaN of an invalid operation in place of the 1.
two_results partial_tangent(const x87_operand& a, unsigned control) {
    const x87_result t = x87_tangent(a, control);
    const bool special = a.nan() || (t.flags & x87_ie) != 0;
    return {t.value, special ? t.value : x87_one, t.flags};
}

constexpr std::uint32_t long_running = insn_x87 | insn_microcode;

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_FADD, select_real<x87_add>, insn_x87},
    {ZYDIS_MNEMONIC_FMUL, select_real<x87_multiply>, insn_x87},
    {ZYDIS_MNEMONIC_FSUB, select_real<x87_subtract>, insn_x87},
    {ZYDIS_MNEMONIC_FSUBR, select_real<reversed<x87_subtract>>, insn_x87},
    {ZYDIS_MNEMONIC_FDIV, select_real<x87_divide>, insn_x87},
    {ZYDIS_MNEMONIC_FDIVR, select_real<reversed<x87_divide>>, insn_x87},
    {ZYDIS_MNEMONIC_FADDP, select_pop<x87_add>, insn_x87},
    {ZYDIS_MNEMONIC_FMULP, select_pop<x87_multiply>, insn_x87},
    {ZYDIS_MNEMONIC_FSUBP, select_pop<x87_subtract>, insn_x87},
    {ZYDIS_MNEMONIC_FSUBRP, select_pop<reversed<x87_subtract>>, insn_x87},
    {ZYDIS_MNEMONIC_FDIVP, select_pop<x87_divide>, insn_x87},
    {ZYDIS_MNEMONIC_FDIVRP, select_pop<reversed<x87_divide>>, insn_x87},
    {ZYDIS_MNEMONIC_FIADD, select_integer<x87_add>, insn_x87},
    {ZYDIS_MNEMONIC_FIMUL, select_integer<x87_multiply>, insn_x87},
    {ZYDIS_MNEMONIC_FISUB, select_integer<x87_subtract>, insn_x87},
    {ZYDIS_MNEMONIC_FISUBR, select_integer<reversed<x87_subtract>>, insn_x87},
    {ZYDIS_MNEMONIC_FIDIV, select_integer<x87_divide>, insn_x87},
    {ZYDIS_MNEMONIC_FIDIVR, select_integer<reversed<x87_divide>>, insn_x87},
    {ZYDIS_MNEMONIC_FSQRT, x87_select<of_top<x87_square_root>>, insn_x87},
    {ZYDIS_MNEMONIC_FABS, x87_select<set_sign<false>>, insn_x87},
    {ZYDIS_MNEMONIC_FCHS, x87_select<set_sign<true>>, insn_x87},
    {ZYDIS_MNEMONIC_FRNDINT, x87_select<of_top<x87_to_integral>>, insn_x87},
    {ZYDIS_MNEMONIC_FSCALE, x87_select<of_top_two<x87_scale>>, long_running},
    {ZYDIS_MNEMONIC_FXTRACT, x87_select<of_top_push<extract, 0>>, long_running},
    {ZYDIS_MNEMONIC_FPREM, x87_select<remainder<x87_remainder>>, long_running},
    {ZYDIS_MNEMONIC_FPREM1, x87_select<remainder<x87_ieee_remainder>>, long_running},
    {ZYDIS_MNEMONIC_F2XM1, x87_select<of_top<x87_exp2_minus_1>>, long_running},
    {ZYDIS_MNEMONIC_FYL2X, x87_select<of_top_two_pop<x87_log2>>, long_running},
    {ZYDIS_MNEMONIC_FYL2XP1, x87_select<of_top_two_pop<x87_log2_plus_1>>, long_running},
    {ZYDIS_MNEMONIC_FPATAN, x87_select<of_top_two_pop<x87_arctangent>>, long_running},
    {ZYDIS_MNEMONIC_FPTAN, x87_select<of_top_push<partial_tangent, x87_c2>>, long_running},
    {ZYDIS_MNEMONIC_FSIN, x87_select<of_angle<x87_sine>>, long_running},
    {ZYDIS_MNEMONIC_FCOS, x87_select<of_angle<x87_cosine>>, long_running},
    {ZYDIS_MNEMONIC_FSINCOS, x87_select<of_top_push<sine_and_cosine, x87_c2>>, long_running},
};

}  // namespace

op_table x87_arithmetic_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
