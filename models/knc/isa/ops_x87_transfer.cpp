// Loads, stores and moves of the x87 unit: FLD FST FSTP FILD FIST FISTP FBLD FBSTP FXCH FCMOVcc,
// constants.
//
// Source: Intel SDM vol. 2.
#include <knc/isa/op_table.h>

#include <utility>

#include <knc/isa/select.h>
#include <knc/isa/x87_convert.h>
#include <knc/isa/x87_round.h>
#include <knc/isa/x87_unit.h>

namespace knc::isa {
namespace {

template <class T>
status load_real(context& c, const insn& i) {
    T bits;
    if (!c.load<T>(i.seg, c.offset(i), bits)) return c.failure;
    const x87_operand v = x87_from_real(bits);
    x87_result r = {x87_encode(v), x87_denormal(v)};
    x87_decided(v, r);
    x87_push(c.s.x87, r);
    return status::ok;
}

constexpr unsigned extended_bytes = 10, extended_alignment = 8;

status load_extended(context& c, const insn& i) {
    std::uint8_t bytes[extended_bytes];
    if (!x87_read(c, i, extended_bytes, extended_alignment, bytes)) return c.failure;
    x87_push(c.s.x87, {x87_from_extended(bytes), 0});
    return status::ok;
}

status load_decimal(context& c, const insn& i) {
    std::uint8_t bytes[extended_bytes];
    if (!x87_read(c, i, extended_bytes, extended_alignment, bytes)) return c.failure;
    x87_push(c.s.x87, {x87_encode(x87_from_decimal(bytes)), 0});
    return status::ok;
}

status load_register(context& c, const insn& i) {
    x87_state& x = c.s.x87;
    x87_push(x, x.empty(i.reg) ? x87_result{x87_indefinite, x87_stack_underflow}
                               : x87_result{x.st(i.reg), 0});
    return status::ok;
}

template <class T>
status load_integer(context& c, const insn& i) {
    T v;
    if (!c.load<T>(i.seg, c.offset(i), v)) return c.failure;
    x87_push(c.s.x87, {x87_encode(x87_from_integer(v)), 0});
    return status::ok;
}

// Constants with 128 bits, because the rounding direction determines the last of 64 bits.
template <std::uint64_t High, std::uint64_t Low, int Exponent>
status load_constant(context& c, const insn&) {
    const x87_unrounded v{false, Exponent, uint128{High} << 64 | Low};
    x87_push(c.s.x87, {x87_deliver(v, 64, c.s.x87.control, 0).value, 0});
    return status::ok;
}
constexpr auto log2_of_10 = load_constant<0xd49a784bcd1b8afe, 0x492bf6ff4dafdb4c, 1>;
constexpr auto log2_of_e = load_constant<0xb8aa3b295c17f0bb, 0xbe87fed0691d3e88, 0>;
constexpr auto pi = load_constant<0xc90fdaa22168c234, 0xc4c6628b80dc1cd1, 1>;
constexpr auto log10_of_2 = load_constant<0x9a209a84fbcff798, 0x8f8959ac0b7c9178, -2>;
constexpr auto log_of_2 = load_constant<0xb17217f7d1cf79ab, 0xc9e3b39803f2f6af, -1>;
constexpr auto one = load_constant<x87_integer_bit, 0, 0>;

status load_zero(context& c, const insn&) {
    x87_push(c.s.x87, {x87_zero(false), 0});
    return status::ok;
}

// The conversions by one name, with the number of bytes they need.
x87_stored convert_single(const x87_register& r, unsigned control) {
    return x87_to_single(x87_decode(r), control);
}
x87_stored convert_double(const x87_register& r, unsigned control) {
    return x87_to_double(x87_decode(r), control);
}
x87_stored convert_extended(const x87_register& r, unsigned) {
    return x87_to_extended(r);
}
x87_stored convert_decimal(const x87_register& r, unsigned control) {
    return x87_to_decimal(x87_decode(r), control);
}
template <unsigned Bytes>
x87_stored convert_integer(const x87_register& r, unsigned control) {
    return x87_to_integer(x87_decode(r), Bytes, control);
}

using conversion = x87_stored (*)(const x87_register&, unsigned control);

template <conversion Convert, unsigned Bytes, bool Pop>
status store(context& c, const insn& i) {
    x87_state& x = c.s.x87;
    x87_stored s = Convert(x.empty(0) ? x87_indefinite : x.st(0), x.control);
    if (x.empty(0)) s.flags |= x87_stack_underflow;
    const bool stopped = (s.flags & ~x.control & (x87_ie | x87_oe | x87_ue)) != 0;
    if (stopped) {
        s.flags &= ~(x87_pe | x87_c1);  // nothing has been rounded
    } else {
        constexpr unsigned alignment = Bytes == extended_bytes ? extended_alignment : Bytes;
        if (!x87_write_memory(c, i, Bytes, alignment, s.bytes.data())) return c.failure;
    }
    x87_signal(x, s.flags);
    if (Pop && !stopped) x.pop();
    return status::ok;
}

template <bool Pop>
status store_register(context& c, const insn& i) {
    x87_state& x = c.s.x87;
    if (x.empty(0)) {
        x87_underflow(x, i.reg, Pop);
    } else {
        x87_write(x, i.reg, {x.st(0), 0}, Pop);
    }
    return status::ok;
}

// An old encoding of FSTP that moves nothing, and reports nothing, if ST(0) is empty.
status store_register_unchecked(context& c, const insn& i) {
    x87_state& x = c.s.x87;
    if (!x.empty(0)) return store_register<true>(c, i);
    x.set_status(x87_c1, 0);
    x.pop();
    return status::ok;
}

status exchange(context& c, const insn& i) {
    x87_state& x = c.s.x87;
    const bool underflow = x.empty(0) || x.empty(i.reg);
    if (x87_signal(x, underflow ? x87_stack_underflow : 0)) return status::ok;
    const x87_register a = x.empty(0) ? x87_indefinite : x.st(0);
    const x87_register b = x.empty(i.reg) ? x87_indefinite : x.st(i.reg);
    x.set(i.reg, a);
    x.set(0, b);
    return status::ok;
}

template <unsigned Condition>
status conditional_move(context& c, const insn& i) {
    x87_state& x = c.s.x87;
    if (x.empty(0) || x.empty(i.rm)) {
        x87_underflow(x, 0);
    } else if (c.s.arithmetic.condition(Condition)) {
        x.set(0, x.st(i.rm));
    }
    return status::ok;
}

handler select_fld(const decoded& d, insn& out) {
    if (!is_memory(d.ops[0])) return x87_select<load_register>(d, out);
    if (out.size == 4) return x87_select<load_real<std::uint32_t>>(d, out);
    if (out.size == 8) return x87_select<load_real<std::uint64_t>>(d, out);
    return x87_select<load_extended>(d, out);
}

handler select_fild(const decoded& d, insn& out) {
    if (out.size == 2) return x87_select<load_integer<std::int16_t>>(d, out);
    if (out.size == 4) return x87_select<load_integer<std::int32_t>>(d, out);
    return x87_select<load_integer<std::int64_t>>(d, out);
}

template <bool Pop>
handler select_fst(const decoded& d, insn& out) {
    if (!is_memory(d.ops[0])) return x87_select<store_register<Pop>>(d, out);
    if (out.size == 4) return x87_select<store<convert_single, 4, Pop>>(d, out);
    if (out.size == 8) return x87_select<store<convert_double, 8, Pop>>(d, out);
    return x87_select<store<convert_extended, extended_bytes, Pop>>(d, out);
}

template <bool Pop>
handler select_fist(const decoded& d, insn& out) {
    if (out.size == 2) return x87_select<store<convert_integer<2>, 2, Pop>>(d, out);
    if (out.size == 4) return x87_select<store<convert_integer<4>, 4, Pop>>(d, out);
    return x87_select<store<convert_integer<8>, 8, Pop>>(d, out);
}

// Condition codes as of CMOVcc.
constexpr unsigned below = 2, equal = 4, below_or_equal = 6, unordered = 10;

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_FLD, select_fld, insn_x87},
    {ZYDIS_MNEMONIC_FST, select_fst<false>, insn_x87},
    {ZYDIS_MNEMONIC_FSTP, select_fst<true>, insn_x87},
    {ZYDIS_MNEMONIC_FSTPNCE, x87_select<store_register_unchecked>, insn_x87},
    {ZYDIS_MNEMONIC_FILD, select_fild, insn_x87},
    {ZYDIS_MNEMONIC_FIST, select_fist<false>, insn_x87},
    {ZYDIS_MNEMONIC_FISTP, select_fist<true>, insn_x87},
    {ZYDIS_MNEMONIC_FBLD, x87_select<load_decimal>, insn_x87 | insn_microcode},
    {ZYDIS_MNEMONIC_FBSTP, x87_select<store<convert_decimal, extended_bytes, true>>,
     insn_x87 | insn_microcode},
    {ZYDIS_MNEMONIC_FXCH, x87_select<exchange>, insn_x87},
    {ZYDIS_MNEMONIC_FLD1, x87_select<one>, insn_x87},
    {ZYDIS_MNEMONIC_FLDL2T, x87_select<log2_of_10>, insn_x87},
    {ZYDIS_MNEMONIC_FLDL2E, x87_select<log2_of_e>, insn_x87},
    {ZYDIS_MNEMONIC_FLDPI, x87_select<pi>, insn_x87},
    {ZYDIS_MNEMONIC_FLDLG2, x87_select<log10_of_2>, insn_x87},
    {ZYDIS_MNEMONIC_FLDLN2, x87_select<log_of_2>, insn_x87},
    {ZYDIS_MNEMONIC_FLDZ, x87_select<load_zero>, insn_x87},
    {ZYDIS_MNEMONIC_FCMOVB, x87_select<conditional_move<below>>, insn_x87},
    {ZYDIS_MNEMONIC_FCMOVNB, x87_select<conditional_move<below + 1>>, insn_x87},
    {ZYDIS_MNEMONIC_FCMOVE, x87_select<conditional_move<equal>>, insn_x87},
    {ZYDIS_MNEMONIC_FCMOVNE, x87_select<conditional_move<equal + 1>>, insn_x87},
    {ZYDIS_MNEMONIC_FCMOVBE, x87_select<conditional_move<below_or_equal>>, insn_x87},
    {ZYDIS_MNEMONIC_FCMOVNBE, x87_select<conditional_move<below_or_equal + 1>>, insn_x87},
    {ZYDIS_MNEMONIC_FCMOVU, x87_select<conditional_move<unordered>>, insn_x87},
    {ZYDIS_MNEMONIC_FCMOVNU, x87_select<conditional_move<unordered + 1>>, insn_x87},
};

}  // namespace

op_table x87_transfer_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
