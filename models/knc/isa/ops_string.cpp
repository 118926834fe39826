// MOVS CMPS SCAS LODS STOS, with and without repeat prefixes.
//
// One call does one element and returns status::repeat if more follow. The registers are complete
// after each element, so an interrupt, a fault or a blocked access between elements finds the state
// that the manual requires. A core that does several elements at once may call the handler again on
// status::repeat, as long as each operand stays in its page and no interrupt is due; it need not
// decode or look up anything in between.
// Source: Intel SDM vol. 2; vol. 1, 7.3.9.
#include <knc/isa/op_table.h>

#include <iterator>

#include <knc/isa/context.h>
#include <knc/isa/select.h>

namespace knc::isa {
namespace {

enum class repeat : std::uint8_t { none, while_equal, while_not_equal };

template <class A>
std::uint64_t address(const context& c, gpr r) {
    return c.get<A>(static_cast<std::uint8_t>(8 * r));
}
// Moves rSI or rDI past an element, in the direction of DF.
template <class A>
void advance(context& c, gpr r, unsigned size) {
    const std::uint64_t step =
        (c.s.eflags & flag_df) != 0 ? std::uint64_t{0} - size : std::uint64_t{size};
    c.set<A>(static_cast<std::uint8_t>(8 * r), static_cast<A>(address<A>(c, r) + step));
}

// T: element, A: address. step() does one element and returns false after an access that failed.
struct movs {
    static constexpr bool compares = false;
    template <class T, class A>
    static bool step(context& c, const insn& i) {
        T v;
        if (!c.load<T>(i.seg, address<A>(c, rsi), v) || !c.store<T>(es, address<A>(c, rdi), v))
            return false;
        advance<A>(c, rsi, sizeof(T));
        advance<A>(c, rdi, sizeof(T));
        return true;
    }
};
struct stos {
    static constexpr bool compares = false;
    template <class T, class A>
    static bool step(context& c, const insn&) {
        if (!c.store<T>(es, address<A>(c, rdi), c.get<T>(8 * rax))) return false;
        advance<A>(c, rdi, sizeof(T));
        return true;
    }
};
struct lods {
    static constexpr bool compares = false;
    template <class T, class A>
    static bool step(context& c, const insn& i) {
        T v;
        if (!c.load<T>(i.seg, address<A>(c, rsi), v)) return false;
        c.set<T>(8 * rax, v);
        advance<A>(c, rsi, sizeof(T));
        return true;
    }
};
struct cmps {
    static constexpr bool compares = true;
    template <class T, class A>
    static bool step(context& c, const insn& i) {
        T a, b;
        if (!c.load<T>(i.seg, address<A>(c, rsi), a) || !c.load<T>(es, address<A>(c, rdi), b))
            return false;
        advance<A>(c, rsi, sizeof(T));
        advance<A>(c, rdi, sizeof(T));
        c.s.arithmetic.sub<T>(a, b, static_cast<T>(a - b));
        return true;
    }
};
struct scas {
    static constexpr bool compares = true;
    template <class T, class A>
    static bool step(context& c, const insn&) {
        T b;
        if (!c.load<T>(es, address<A>(c, rdi), b)) return false;
        const T a = c.get<T>(8 * rax);
        advance<A>(c, rdi, sizeof(T));
        c.s.arithmetic.sub<T>(a, b, static_cast<T>(a - b));
        return true;
    }
};

template <class Op, class T, class A, repeat R>
status string(context& c, const insn& i) {
    if constexpr (R == repeat::none) {
        return Op::template step<T, A>(c, i) ? status::ok : c.failure;
    } else {
        const A left = c.get<A>(8 * rcx);
        if (left == 0) return status::ok;
        if (!Op::template step<T, A>(c, i)) return c.failure;
        c.set<A>(8 * rcx, static_cast<A>(left - 1));
        if (left == 1) return status::ok;
        if (Op::compares && c.s.arithmetic.zf() != (R == repeat::while_equal)) return status::ok;
        return status::repeat;
    }
}

template <class Op, repeat R>
handler for_sizes(const insn& i) {
    return for_size(i.size, [&i](auto t) {
        return for_word_size(i.address_size, [](auto a) -> handler {
            return string<Op, decltype(t), decltype(a), R>;
        });
    });
}

template <class Op>
handler select(const decoded& d, insn& out) {
    for (unsigned n = 0; n < d.i.operand_count; ++n) {
        const ZydisDecodedOperand& o = d.ops[n];
        if (!is_memory(o)) continue;
        out.size = static_cast<std::uint8_t>(o.size / 8);
        const bool source = ZydisRegisterGetId(o.mem.base) == rsi;
        if (source) out.seg = static_cast<std::uint8_t>(ZydisRegisterGetId(o.mem.segment));
    }
    if (out.rep == 0) return for_sizes<Op, repeat::none>(out);
    if (Op::compares && out.rep == 0xF2) return for_sizes<Op, repeat::while_not_equal>(out);
    return for_sizes<Op, repeat::while_equal>(out);
}

constexpr std::uint32_t flags = insn_string | insn_microcode;

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_MOVSB, select<movs>, flags}, {ZYDIS_MNEMONIC_MOVSW, select<movs>, flags},
    {ZYDIS_MNEMONIC_MOVSD, select<movs>, flags}, {ZYDIS_MNEMONIC_MOVSQ, select<movs>, flags},
    {ZYDIS_MNEMONIC_STOSB, select<stos>, flags}, {ZYDIS_MNEMONIC_STOSW, select<stos>, flags},
    {ZYDIS_MNEMONIC_STOSD, select<stos>, flags}, {ZYDIS_MNEMONIC_STOSQ, select<stos>, flags},
    {ZYDIS_MNEMONIC_LODSB, select<lods>, flags}, {ZYDIS_MNEMONIC_LODSW, select<lods>, flags},
    {ZYDIS_MNEMONIC_LODSD, select<lods>, flags}, {ZYDIS_MNEMONIC_LODSQ, select<lods>, flags},
    {ZYDIS_MNEMONIC_CMPSB, select<cmps>, flags}, {ZYDIS_MNEMONIC_CMPSW, select<cmps>, flags},
    {ZYDIS_MNEMONIC_CMPSD, select<cmps>, flags}, {ZYDIS_MNEMONIC_CMPSQ, select<cmps>, flags},
    {ZYDIS_MNEMONIC_SCASB, select<scas>, flags}, {ZYDIS_MNEMONIC_SCASW, select<scas>, flags},
    {ZYDIS_MNEMONIC_SCASD, select<scas>, flags}, {ZYDIS_MNEMONIC_SCASQ, select<scas>, flags},
};

}  // namespace

op_table string_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
