// ROL ROR RCL RCR SHL SHR SAR SHLD SHRD.
//
// The count is taken modulo 32 (64 for 64-bit operands); a count of 0 changes no flag but still
// writes the destination. Flags the manual leaves undefined: docs/isa_flags.md.
// Source: Intel SDM vol. 2.
#include <knc/isa/op_table.h>

#include <iterator>
#include <type_traits>

#include <knc/isa/context.h>
#include <knc/isa/select.h>
#include <knc/isa/wide.h>

namespace knc::isa {
namespace {

template <class T>
constexpr unsigned width = 8 * sizeof(T);
template <class T>
constexpr unsigned count_mask = sizeof(T) == 8 ? 63 : 31;

template <class T>
bool top(T v) {
    return (v >> (width<T> - 1) & 1) != 0;
}
template <class T>
bool below_top(T v) {
    return (v >> (width<T> - 2) & 1) != 0;
}
template <class T>
bool bit(T v, unsigned n) {
    return (static_cast<std::uint64_t>(v) >> n & 1) != 0;
}

// An operation shifts `a` by n = 1 .. count_mask and sets the flags. OF is that of a shift by one
// bit, whatever n.
struct shl_op {
    template <class T>
    static T run(arithmetic_state& f, T a, unsigned n) {
        const auto r = static_cast<T>(static_cast<std::uint64_t>(a) << n);
        f.logic<T>(r);
        f.set_cf_of(n <= width<T> && bit(a, width<T> - n), top(a) != below_top(a));
        return r;
    }
};
struct shr_op {
    template <class T>
    static T run(arithmetic_state& f, T a, unsigned n) {
        const auto r = static_cast<T>(static_cast<std::uint64_t>(a) >> n);
        f.logic<T>(r);
        f.set_cf_of(bit(a, n - 1), top(a));
        return r;
    }
};
struct sar_op {
    template <class T>
    static T run(arithmetic_state& f, T a, unsigned n) {
        const std::int64_t wide = static_cast<std::make_signed_t<T>>(a);
        const auto r = static_cast<T>(wide >> n);
        f.logic<T>(r);
        f.set_cf_of((wide >> (n - 1) & 1) != 0, false);
        return r;
    }
};
template <class T>
T rotate_left(T a, unsigned n) {
    const std::uint64_t wide = a;
    return n == 0 ? a : static_cast<T>(wide << n | wide >> (width<T> - n));
}
struct rol_op {
    template <class T>
    static T run(arithmetic_state& f, T a, unsigned n) {
        const T r = rotate_left(a, n % width<T>);
        f.set_cf_of(bit(r, 0), top(a) != below_top(a));
        return r;
    }
};
struct ror_op {
    template <class T>
    static T run(arithmetic_state& f, T a, unsigned n) {
        const T r = rotate_left(a, (width<T> - n % width<T>) % width<T>);
        f.set_cf_of(top(r), top(a) != bit(a, 0));
        return r;
    }
};
// `a` with the carry `c` above it, rotated left by n = 1 .. width; the carry out is `c`.
template <class T>
T rotate_through(T a, bool& c, unsigned n) {
    const std::uint64_t wide = a;
    std::uint64_t r = std::uint64_t{c} << (n - 1);
    if (n < width<T>) r |= wide << n;
    if (n > 1) r |= wide >> (width<T> + 1 - n);
    c = bit(a, width<T> - n);
    return static_cast<T>(r);
}
// A count that goes round to 0 changes no flag.
struct rcl_op {
    template <class T>
    static T run(arithmetic_state& f, T a, unsigned n) {
        const unsigned left = n % (width<T> + 1);
        if (left == 0) return a;
        bool c = f.cf();
        const T r = rotate_through(a, c, left);
        f.set_cf_of(c, top(a) != below_top(a));
        return r;
    }
};
struct rcr_op {
    template <class T>
    static T run(arithmetic_state& f, T a, unsigned n) {
        const unsigned right = n % (width<T> + 1);
        if (right == 0) return a;
        const bool before = f.cf();
        bool c = before;
        const T r = rotate_through(a, c, width<T> + 1 - right);
        f.set_cf_of(c, before != top(a));
        return r;
    }
};

struct by_cl {
    static unsigned count(const context& c, const insn&) { return c.get<std::uint8_t>(8 * rcx); }
};
struct by_immediate {
    static unsigned count(const context&, const insn& i) { return static_cast<unsigned>(i.imm); }
};

template <class Op, class By, class T>
status shift_register(context& c, const insn& i) {
    const unsigned n = By::count(c, i) & count_mask<T>;
    const T a = c.get<T>(i.reg);
    c.set<T>(i.reg, n == 0 ? a : Op::template run<T>(c.s.arithmetic, a, n));
    return status::ok;
}
template <class Op, class By, class T>
status shift_memory(context& c, const insn& i) {
    const unsigned n = By::count(c, i) & count_mask<T>;
    const std::uint64_t at = c.offset(i);
    T a;
    if (!c.load_for_update<T>(i.seg, at, a)) return c.failure;
    arithmetic_state f = c.s.arithmetic;
    const T r = n == 0 ? a : Op::template run<T>(f, a, n);
    if (!c.store<T>(i.seg, at, r)) return c.failure;
    c.s.arithmetic = f;
    return status::ok;
}

template <class Op>
handler select_shift(const decoded& d, insn& out) {
    form_of(d, out);
    const bool memory = is_memory(d.ops[0]), immediate = is_immediate(d.ops[1]);
    return for_size(out.size, [memory, immediate](auto t) -> handler {
        using T = decltype(t);
        if (memory)
            return immediate ? shift_memory<Op, by_immediate, T> : shift_memory<Op, by_cl, T>;
        return immediate ? shift_register<Op, by_immediate, T> : shift_register<Op, by_cl, T>;
    });
}

// The 16-bit forms with counts above 16 are undefined: the destination follows the source again.
template <class T>
uint128 joined(T high, T low) {
    return static_cast<uint128>(high) << width<T> | low;
}
struct shld_op {
    template <class T>
    static T run(arithmetic_state& f, T a, T b, unsigned n) {
        const bool beyond = n > width<T>;
        const auto wide = beyond ? joined(b, a) : joined(a, b);
        const unsigned k = beyond ? n - width<T> : n;
        const auto r = static_cast<T>(wide >> (width<T> - k));
        const bool c = (wide >> (2 * width<T> - k) & 1) != 0;
        f.logic<T>(r);
        f.set_cf_of(c, top(a) != below_top(a));
        return r;
    }
};
struct shrd_op {
    template <class T>
    static T run(arithmetic_state& f, T a, T b, unsigned n) {
        const bool beyond = n > width<T>;
        const auto wide = beyond ? joined(a, b) : joined(b, a);
        const unsigned k = beyond ? n - width<T> : n;
        const auto r = static_cast<T>(wide >> k);
        const bool c = (wide >> (k - 1) & 1) != 0;
        f.logic<T>(r);
        f.set_cf_of(c, top(a) != bit(b, 0));
        return r;
    }
};

template <class Op, class By, class T>
status double_register(context& c, const insn& i) {
    const unsigned n = By::count(c, i) & count_mask<T>;
    const T a = c.get<T>(i.reg), b = c.get<T>(i.rm);
    c.set<T>(i.reg, n == 0 ? a : Op::template run<T>(c.s.arithmetic, a, b, n));
    return status::ok;
}
template <class Op, class By, class T>
status double_memory(context& c, const insn& i) {
    const unsigned n = By::count(c, i) & count_mask<T>;
    const std::uint64_t at = c.offset(i);
    T a;
    if (!c.load_for_update<T>(i.seg, at, a)) return c.failure;
    arithmetic_state f = c.s.arithmetic;
    const T r = n == 0 ? a : Op::template run<T>(f, a, c.get<T>(i.reg), n);
    if (!c.store<T>(i.seg, at, r)) return c.failure;
    c.s.arithmetic = f;
    return status::ok;
}
template <class Op>
handler select_double(const decoded& d, insn& out) {
    const bool memory = form_of(d, out) == form::mr, immediate = is_immediate(d.ops[2]);
    return for_word_size(out.size, [memory, immediate](auto t) -> handler {
        using T = decltype(t);
        if (memory)
            return immediate ? double_memory<Op, by_immediate, T> : double_memory<Op, by_cl, T>;
        return immediate ? double_register<Op, by_immediate, T> : double_register<Op, by_cl, T>;
    });
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_ROL, select_shift<rol_op>, 0},
    {ZYDIS_MNEMONIC_ROR, select_shift<ror_op>, 0},
    {ZYDIS_MNEMONIC_RCL, select_shift<rcl_op>, 0},
    {ZYDIS_MNEMONIC_RCR, select_shift<rcr_op>, 0},
    {ZYDIS_MNEMONIC_SHL, select_shift<shl_op>, 0},
    {ZYDIS_MNEMONIC_SHR, select_shift<shr_op>, 0},
    {ZYDIS_MNEMONIC_SAR, select_shift<sar_op>, 0},
    {ZYDIS_MNEMONIC_SHLD, select_double<shld_op>, 0},
    {ZYDIS_MNEMONIC_SHRD, select_double<shrd_op>, 0},
};

}  // namespace

op_table shift_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
