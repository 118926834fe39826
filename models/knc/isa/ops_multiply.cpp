// MUL IMUL DIV IDIV; the decimal adjustments are in ops_decimal.cpp.
//
// Flags the manual leaves undefined: docs/isa_flags.md. Source: Intel SDM vol. 2.
#include <knc/isa/op_table.h>

#include <iterator>
#include <type_traits>

#include <knc/isa/context.h>
#include <knc/isa/memory_operand.h>
#include <knc/isa/ops_decimal.h>
#include <knc/isa/select.h>
#include <knc/isa/wide.h>

namespace knc::isa {
namespace {

// The type twice as wide as the operand, for products and dividends.
template <class T>
struct twice;
template <>
struct twice<std::uint8_t> {
    using u = std::uint16_t;
    using s = std::int16_t;
};
template <>
struct twice<std::uint16_t> {
    using u = std::uint32_t;
    using s = std::int32_t;
};
template <>
struct twice<std::uint32_t> {
    using u = std::uint64_t;
    using s = std::int64_t;
};
template <>
struct twice<std::uint64_t> {
    using u = uint128;
    using s = int128;
};

// rDX:rAX of T; AX for bytes.
template <class T>
typename twice<T>::u accumulator(const context& c) {
    if constexpr (sizeof(T) == 1) {
        return c.get<std::uint16_t>(8 * rax);
    } else {
        using U = typename twice<T>::u;
        return static_cast<U>(static_cast<U>(c.get<T>(8 * rdx)) << (8 * sizeof(T)) |
                              c.get<T>(8 * rax));
    }
}
// Halves of a product, or quotient (low) and remainder (high).
template <class T>
void set_accumulator(context& c, T high, T low) {
    c.set<T>(8 * rax, low);
    c.set<T>(sizeof(T) == 1 ? 8 * rax + 1 : 8 * rdx, high);
}

// SF and PF of the low half; ZF and AF 0.
template <class T>
void product_flags(context& c, T low, bool overflow) {
    if (low != 0)
        c.s.arithmetic.logic<T>(low);
    else
        c.s.arithmetic.set(flag_pf);
    c.s.arithmetic.set_cf_of(overflow, overflow);
}

struct mul_op {
    template <class T>
    static status run(context& c, T b) {
        using U = typename twice<T>::u;
        const auto p = static_cast<U>(static_cast<U>(c.get<T>(8 * rax)) * b);
        const auto high = static_cast<T>(p >> (8 * sizeof(T)));
        set_accumulator<T>(c, high, static_cast<T>(p));
        product_flags<T>(c, static_cast<T>(p), high != 0);
        return status::ok;
    }
};

// Product of two signed T, and whether it does not fit.
template <class T>
typename twice<T>::s signed_product(T a, T b, bool& overflow) {
    using S = std::make_signed_t<T>;
    using W = typename twice<T>::s;
    const auto p = static_cast<W>(static_cast<W>(static_cast<S>(a)) * static_cast<S>(b));
    overflow = p != static_cast<S>(p);
    return p;
}
struct imul_op {
    template <class T>
    static status run(context& c, T b) {
        bool overflow;
        const auto p = signed_product<T>(c.get<T>(8 * rax), b, overflow);
        set_accumulator<T>(c, static_cast<T>(p >> (8 * sizeof(T))), static_cast<T>(p));
        product_flags<T>(c, static_cast<T>(p), overflow);
        return status::ok;
    }
};
struct div_op {
    template <class T>
    static status run(context& c, T b) {
        using U = typename twice<T>::u;
        if (b == 0) return c.raise(vector_de);
        const U a = accumulator<T>(c);
        const auto q = static_cast<U>(a / b);
        if (q > static_cast<T>(-1)) return c.raise(vector_de);
        set_accumulator<T>(c, static_cast<T>(a % b), static_cast<T>(q));
        return status::ok;
    }
};
struct idiv_op {
    template <class T>
    static status run(context& c, T divisor) {
        using S = std::make_signed_t<T>;
        using U = typename twice<T>::u;
        if (divisor == 0) return c.raise(vector_de);
        const U bits = accumulator<T>(c);
        const auto sign = static_cast<U>(U{1} << (16 * sizeof(T) - 1));
        const bool a_negative = (bits & sign) != 0, b_negative = static_cast<S>(divisor) < 0;
        // Magnitudes: the most negative dividend has no positive counterpart.
        const auto a = static_cast<U>(a_negative ? U{0} - bits : bits);
        const auto b = static_cast<T>(b_negative ? T{0} - divisor : divisor);
        const auto q = static_cast<U>(a / b);
        const auto r = static_cast<T>(a % b);
        const bool q_negative = a_negative != b_negative;
        const auto limit = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
        if (q_negative ? q > limit : q >= limit) return c.raise(vector_de);
        const auto low = static_cast<T>(q);
        set_accumulator<T>(c, static_cast<T>(a_negative ? T{0} - r : r),
                           static_cast<T>(q_negative ? T{0} - low : low));
        return status::ok;
    }
};

template <class Op, class T>
status by_register(context& c, const insn& i) {
    return Op::template run<T>(c, c.get<T>(i.reg));
}
template <class Op, class T>
status by_memory(context& c, const insn& i) {
    T b;
    if (!c.load<T>(i.seg, c.offset(i), b)) return c.failure;
    return Op::template run<T>(c, b);
}
template <class Op>
handler select_accumulator(const decoded& d, insn& out) {
    const bool memory = form_of(d, out) == form::m;
    return for_size(out.size, [memory](auto t) -> handler {
        return memory ? by_memory<Op, decltype(t)> : by_register<Op, decltype(t)>;
    });
}

// IMUL with a destination register: reg = a * b.
template <class T>
status multiply_into(context& c, const insn& i, T a, T b) {
    bool overflow;
    const auto r = static_cast<T>(signed_product<T>(a, b, overflow));
    c.set<T>(i.reg, r);
    product_flags<T>(c, r, overflow);
    return status::ok;
}
template <class T, bool Immediate>
status imul_register(context& c, const insn& i) {
    return multiply_into<T>(c, i, Immediate ? static_cast<T>(i.imm) : c.get<T>(i.reg),
                            c.get<T>(i.rm));
}
template <class T, bool Immediate>
status imul_by(context& c, const insn& i, T b) {
    return multiply_into<T>(c, i, Immediate ? static_cast<T>(i.imm) : c.get<T>(i.reg), b);
}
handler select_imul(const decoded& d, insn& out) {
    if (d.i.operand_count_visible == 1) return select_accumulator<imul_op>(d, out);
    const bool memory = form_of(d, out) == form::rm, three = d.i.operand_count_visible == 3;
    const addressing how = addressing_of(d, out);
    return for_word_size(out.size, [memory, three, how](auto t) -> handler {
        using T = decltype(t);
        if (memory)
            return three ? reader<T, imul_by<T, true>>(how) : reader<T, imul_by<T, false>>(how);
        return three ? imul_register<T, true> : imul_register<T, false>;
    });
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_MUL, select_accumulator<mul_op>, 0},
    {ZYDIS_MNEMONIC_IMUL, select_imul, 0},
    {ZYDIS_MNEMONIC_DIV, select_accumulator<div_op>, insn_microcode},
    {ZYDIS_MNEMONIC_IDIV, select_accumulator<idiv_op>, insn_microcode},
    {ZYDIS_MNEMONIC_AAA, always<aaa>, 0},
    {ZYDIS_MNEMONIC_AAS, always<aas>, 0},
    {ZYDIS_MNEMONIC_AAM, always<aam>, insn_microcode},
    {ZYDIS_MNEMONIC_AAD, always<aad>, 0},
    {ZYDIS_MNEMONIC_DAA, always<daa>, 0},
    {ZYDIS_MNEMONIC_DAS, always<das>, 0},
    {ZYDIS_MNEMONIC_SALC, always<salc>, 0},
};

}  // namespace

op_table multiply_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
