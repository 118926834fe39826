// BT BTS BTR BTC BSF BSR SETcc, and Knights Corner's VEX-encoded POPCNT TZCNT LZCNT TZCNTI.
//
// TZCNTI finds the first set bit above the bit that its destination names (from bit 0 if that is
// negative). No manual of it is available. Published code iterates over the bits of a mask with it:
// it starts with -1, feeds the result back and ends at the operand width.
// Source: Intel SDM vol. 2.
#include <knc/isa/op_table.h>

#include <iterator>
#include <type_traits>

#include <knc/isa/address_mask.h>
#include <knc/isa/context.h>
#include <knc/isa/memory_operand.h>
#include <knc/isa/select.h>
#include <knc/isa/vex.h>

namespace knc::isa {
namespace {

template <class T>
constexpr unsigned width = 8 * sizeof(T);

struct bt_op {
    static constexpr bool writes = false;
    template <class T>
    static T run(T a, T) {
        return a;
    }
};
struct bts_op {
    static constexpr bool writes = true;
    template <class T>
    static T run(T a, T bit) {
        return static_cast<T>(a | bit);
    }
};
struct btr_op {
    static constexpr bool writes = true;
    template <class T>
    static T run(T a, T bit) {
        return static_cast<T>(a & ~bit);
    }
};
struct btc_op {
    static constexpr bool writes = true;
    template <class T>
    static T run(T a, T bit) {
        return static_cast<T>(a ^ bit);
    }
};

template <class Op, class T>
status test_register(context& c, const insn& i, T number) {
    const T a = c.get<T>(i.reg);
    const auto bit = static_cast<T>(T{1} << (number & (width<T> - 1)));
    if constexpr (Op::writes) c.set<T>(i.reg, Op::template run<T>(a, bit));
    c.s.arithmetic.set_cf((a & bit) != 0);
    return status::ok;
}
template <class Op, class T>
status test_memory(context& c, const insn& i, std::uint64_t at, T number) {
    T a;
    const bool ok = Op::writes ? c.load_for_update<T>(i.seg, at, a) : c.load<T>(i.seg, at, a);
    if (!ok) return c.failure;
    const auto bit = static_cast<T>(T{1} << (number & (width<T> - 1)));
    if constexpr (Op::writes) {
        if (!c.store<T>(i.seg, at, Op::template run<T>(a, bit))) return c.failure;
    }
    c.s.arithmetic.set_cf((a & bit) != 0);
    return status::ok;
}
template <class Op, class T>
status bt_rr(context& c, const insn& i) {
    return test_register<Op, T>(c, i, c.get<T>(i.rm));
}
template <class Op, class T>
status bt_ri(context& c, const insn& i) {
    return test_register<Op, T>(c, i, static_cast<T>(i.imm));
}
// A bit number in a register is signed and reaches beyond the operand.
template <class Op, class T>
status bt_mr(context& c, const insn& i) {
    const T number = c.get<T>(i.reg);
    const std::int64_t operand =
        static_cast<std::make_signed_t<T>>(number) >> __builtin_ctz(width<T>);
    const std::uint64_t at =
        (c.offset(i) + static_cast<std::uint64_t>(operand) * sizeof(T)) & address_mask(i);
    return test_memory<Op, T>(c, i, at, number);
}
template <class Op, class T>
status bt_mi(context& c, const insn& i) {
    return test_memory<Op, T>(c, i, c.offset(i), static_cast<T>(i.imm));
}
template <class Op>
handler select_bt(const decoded& d, insn& out) {
    const form f = form_of(d, out);
    return for_word_size(out.size, [f](auto t) -> handler {
        using T = decltype(t);
        return f == form::rr   ? bt_rr<Op, T>
               : f == form::ri ? bt_ri<Op, T>
               : f == form::mr ? bt_mr<Op, T>
                               : bt_mi<Op, T>;
    });
}

// Number of the lowest, highest set bit of v != 0.
template <class T>
unsigned lowest(T v) {
    return static_cast<unsigned>(__builtin_ctzll(v));
}
template <class T>
unsigned highest(T v) {
    return 63 - static_cast<unsigned>(__builtin_clzll(v));
}

// A source of 0 keeps the destination. PF is that of the result; the other flags except ZF are 0.
template <bool Forward, class T>
status scan(context& c, const insn& i, T v) {
    const unsigned n = v == 0 ? 0 : Forward ? lowest(v) : highest(v);
    if (v != 0) c.set<T>(i.reg, static_cast<T>(n));
    const bool even = __builtin_parity(n) == 0;
    c.s.arithmetic.set((v == 0 ? flag_zf : 0) | (even ? flag_pf : 0));
    return status::ok;
}
template <bool Forward, class T>
status scan_register(context& c, const insn& i) {
    return scan<Forward, T>(c, i, c.get<T>(i.rm));
}
template <bool Forward>
handler select_scan(const decoded& d, insn& out) {
    const bool memory = form_of(d, out) == form::rm;
    const addressing how = addressing_of(d, out);
    return for_word_size(out.size, [memory, how](auto t) -> handler {
        using T = decltype(t);
        return memory ? reader<T, scan<Forward, T>>(how) : scan_register<Forward, T>;
    });
}

template <unsigned Code>
std::uint8_t condition_value(const context& c, const insn&) {
    return c.s.arithmetic.condition(Code) ? 1 : 0;
}
template <unsigned Code>
status set_register(context& c, const insn& i) {
    c.set<std::uint8_t>(i.reg, condition_value<Code>(c, i));
    return status::ok;
}
handler select_set(const decoded& d, insn& out) {
    const bool memory = form_of(d, out) == form::m;
    const addressing how = addressing_of(d, out);
    return for_condition(d.i.opcode & 15u, [memory, how](auto code) -> handler {
        constexpr unsigned cc = decltype(code)::value;
        return memory ? writer<std::uint8_t, condition_value<cc>>(how) : set_register<cc>;
    });
}

// The counts: result in the destination, then flags from source and result.
void count_flags(context& c, bool zero, bool carry) {
    c.s.arithmetic.set((zero ? flag_zf : 0) | (carry ? flag_cf : 0));
}
struct popcnt_op {
    template <class T>
    static T run(context& c, T, T v) {
        count_flags(c, v == 0, false);
        return static_cast<T>(__builtin_popcountll(v));
    }
};
struct tzcnt_op {
    template <class T>
    static T run(context& c, T, T v) {
        const T n = v == 0 ? width<T> : lowest(v);
        count_flags(c, n == 0, v == 0);
        return n;
    }
};
struct lzcnt_op {
    template <class T>
    static T run(context& c, T, T v) {
        const T n = v == 0 ? width<T> : width<T> - 1 - highest(v);
        count_flags(c, n == 0, v == 0);
        return n;
    }
};
struct tzcnti_op {
    template <class T>
    static T run(context& c, T from, T v) {
        const bool whole = static_cast<std::make_signed_t<T>>(from) < 0;
        const T above = whole                  ? static_cast<T>(-1)
                        : from >= width<T> - 1 ? T{0}
                                               : static_cast<T>(static_cast<T>(-2) << from);
        return tzcnt_op::run<T>(c, from, static_cast<T>(v & above));
    }
};

template <class Op, class T>
status count(context& c, const insn& i) {
    if (!vex_allowed(c)) return c.ud();
    c.set<T>(i.reg, Op::template run<T>(c, c.get<T>(i.reg), c.get<T>(i.rm)));
    return status::ok;
}
template <class Op>
handler select_count(const decoded& d, insn& out) {
    form_of(d, out);
    return out.size == 8 ? count<Op, std::uint64_t> : count<Op, std::uint32_t>;
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_BT, select_bt<bt_op>, 0},
    {ZYDIS_MNEMONIC_BTS, select_bt<bts_op>, 0},
    {ZYDIS_MNEMONIC_BTR, select_bt<btr_op>, 0},
    {ZYDIS_MNEMONIC_BTC, select_bt<btc_op>, 0},
    {ZYDIS_MNEMONIC_BSF, select_scan<true>, 0},
    {ZYDIS_MNEMONIC_BSR, select_scan<false>, 0},
    {ZYDIS_MNEMONIC_SETO, select_set, 0},
    {ZYDIS_MNEMONIC_SETNO, select_set, 0},
    {ZYDIS_MNEMONIC_SETB, select_set, 0},
    {ZYDIS_MNEMONIC_SETNB, select_set, 0},
    {ZYDIS_MNEMONIC_SETZ, select_set, 0},
    {ZYDIS_MNEMONIC_SETNZ, select_set, 0},
    {ZYDIS_MNEMONIC_SETBE, select_set, 0},
    {ZYDIS_MNEMONIC_SETNBE, select_set, 0},
    {ZYDIS_MNEMONIC_SETS, select_set, 0},
    {ZYDIS_MNEMONIC_SETNS, select_set, 0},
    {ZYDIS_MNEMONIC_SETP, select_set, 0},
    {ZYDIS_MNEMONIC_SETNP, select_set, 0},
    {ZYDIS_MNEMONIC_SETL, select_set, 0},
    {ZYDIS_MNEMONIC_SETNL, select_set, 0},
    {ZYDIS_MNEMONIC_SETLE, select_set, 0},
    {ZYDIS_MNEMONIC_SETNLE, select_set, 0},
    {ZYDIS_MNEMONIC_POPCNT, select_count<popcnt_op>, 0},
    {ZYDIS_MNEMONIC_TZCNT, select_count<tzcnt_op>, 0},
    {ZYDIS_MNEMONIC_LZCNT, select_count<lzcnt_op>, 0},
    {ZYDIS_MNEMONIC_TZCNTI, select_count<tzcnti_op>, 0},
};

}  // namespace

op_table bit_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
