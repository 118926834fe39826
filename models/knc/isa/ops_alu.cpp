// ADD OR ADC SBB AND SUB XOR CMP TEST INC DEC NEG NOT, by operation, size and form.
//
// Source: Intel SDM vol. 2.
#include <knc/isa/op_table.h>

#include <knc/isa/context.h>
#include <knc/isa/ops_exchange.h>
#include <knc/isa/select.h>

namespace knc::isa {
namespace {

// An operation is its result and, once the destination is written, its flags.
struct add_op {
    static constexpr bool writes = true;
    template <class T>
    static T result(const arithmetic_state&, T a, T b) {
        return static_cast<T>(a + b);
    }
    template <class T>
    static void flags(arithmetic_state& f, T a, T b, T r) {
        f.add<T>(a, b, r);
    }
};
struct adc_op : add_op {
    template <class T>
    static T result(const arithmetic_state& f, T a, T b) {
        return static_cast<T>(a + b + f.cf());
    }
};
struct sub_op {
    static constexpr bool writes = true;
    template <class T>
    static T result(const arithmetic_state&, T a, T b) {
        return static_cast<T>(a - b);
    }
    template <class T>
    static void flags(arithmetic_state& f, T a, T b, T r) {
        f.sub<T>(a, b, r);
    }
};
struct sbb_op : sub_op {
    template <class T>
    static T result(const arithmetic_state& f, T a, T b) {
        return static_cast<T>(a - b - f.cf());
    }
};
struct cmp_op : sub_op {
    static constexpr bool writes = false;
};
struct logic_op {
    static constexpr bool writes = true;
    template <class T>
    static void flags(arithmetic_state& f, T, T, T r) {
        f.logic<T>(r);
    }
};
struct and_op : logic_op {
    template <class T>
    static T result(const arithmetic_state&, T a, T b) {
        return static_cast<T>(a & b);
    }
};
struct test_op : and_op {
    static constexpr bool writes = false;
};
struct or_op : logic_op {
    template <class T>
    static T result(const arithmetic_state&, T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct xor_op : logic_op {
    template <class T>
    static T result(const arithmetic_state&, T a, T b) {
        return static_cast<T>(a ^ b);
    }
};

struct inc_op {
    template <class T>
    static T result(T a) {
        return static_cast<T>(a + 1);
    }
    template <class T>
    static void flags(arithmetic_state& f, T a, T r) {
        f.inc<T>(a, r);
    }
};
struct dec_op {
    template <class T>
    static T result(T a) {
        return static_cast<T>(a - 1);
    }
    template <class T>
    static void flags(arithmetic_state& f, T a, T r) {
        f.dec<T>(a, r);
    }
};
struct neg_op {
    template <class T>
    static T result(T a) {
        return static_cast<T>(0 - a);
    }
    template <class T>
    static void flags(arithmetic_state& f, T a, T r) {
        f.sub<T>(0, a, r);
    }
};
struct not_op {
    template <class T>
    static T result(T a) {
        return static_cast<T>(~a);
    }
    template <class T>
    static void flags(arithmetic_state&, T, T) {}
};

template <class Op, class T>
status to_register(context& c, const insn& i, T b) {
    const T a = c.get<T>(i.reg);
    const T r = Op::template result<T>(c.s.arithmetic, a, b);
    if constexpr (Op::writes) c.set<T>(i.reg, r);
    Op::template flags<T>(c.s.arithmetic, a, b, r);
    return status::ok;
}
template <class Op, class T>
status to_memory(context& c, const insn& i, T b) {
    const std::uint64_t at = c.offset(i);
    T a;
    if constexpr (Op::writes) {
        if (!c.load_for_update<T>(i.seg, at, a)) return c.failure;
    } else {
        if (!c.load<T>(i.seg, at, a)) return c.failure;
    }
    const T r = Op::template result<T>(c.s.arithmetic, a, b);
    if constexpr (Op::writes) {
        if (!c.store<T>(i.seg, at, r)) return c.failure;
    }
    Op::template flags<T>(c.s.arithmetic, a, b, r);
    return status::ok;
}

template <class Op, class T>
status rr(context& c, const insn& i) {
    return to_register<Op, T>(c, i, c.get<T>(i.rm));
}
template <class Op, class T>
status ri(context& c, const insn& i) {
    return to_register<Op, T>(c, i, static_cast<T>(i.imm));
}
template <class Op, class T>
status rm(context& c, const insn& i) {
    T b;
    if (!c.load<T>(i.seg, c.offset(i), b)) return c.failure;
    return to_register<Op, T>(c, i, b);
}
template <class Op, class T>
status mr(context& c, const insn& i) {
    return to_memory<Op, T>(c, i, c.get<T>(i.reg));
}
template <class Op, class T>
status mi(context& c, const insn& i) {
    return to_memory<Op, T>(c, i, static_cast<T>(i.imm));
}

template <class Op>
handler binary(const decoded& d, insn& out) {
    const form f = form_of(d, out);
    return for_size(out.size, [f](auto t) -> handler {
        using T = decltype(t);
        switch (f) {
            case form::rr:
                return rr<Op, T>;
            case form::rm:
                return rm<Op, T>;
            case form::mr:
                return mr<Op, T>;
            case form::ri:
                return ri<Op, T>;
            case form::mi:
                return mi<Op, T>;
            default:
                return nullptr;
        }
    });
}

template <class Op, class T>
status unary_register(context& c, const insn& i) {
    const T a = c.get<T>(i.reg);
    const T r = Op::template result<T>(a);
    c.set<T>(i.reg, r);
    Op::template flags<T>(c.s.arithmetic, a, r);
    return status::ok;
}
template <class Op, class T>
status unary_memory(context& c, const insn& i) {
    const std::uint64_t at = c.offset(i);
    T a;
    if (!c.load_for_update<T>(i.seg, at, a)) return c.failure;
    const T r = Op::template result<T>(a);
    if (!c.store<T>(i.seg, at, r)) return c.failure;
    Op::template flags<T>(c.s.arithmetic, a, r);
    return status::ok;
}
template <class Op>
handler unary(const decoded& d, insn& out) {
    const bool memory = form_of(d, out) == form::m;
    return for_size(out.size, [memory](auto t) -> handler {
        using T = decltype(t);
        return memory ? unary_memory<Op, T> : unary_register<Op, T>;
    });
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_ADD, binary<add_op>, 0},
    {ZYDIS_MNEMONIC_OR, binary<or_op>, 0},
    {ZYDIS_MNEMONIC_ADC, binary<adc_op>, 0},
    {ZYDIS_MNEMONIC_SBB, binary<sbb_op>, 0},
    {ZYDIS_MNEMONIC_AND, binary<and_op>, 0},
    {ZYDIS_MNEMONIC_SUB, binary<sub_op>, 0},
    {ZYDIS_MNEMONIC_XOR, binary<xor_op>, 0},
    {ZYDIS_MNEMONIC_CMP, binary<cmp_op>, 0},
    {ZYDIS_MNEMONIC_TEST, binary<test_op>, 0},
    {ZYDIS_MNEMONIC_INC, unary<inc_op>, 0},
    {ZYDIS_MNEMONIC_DEC, unary<dec_op>, 0},
    {ZYDIS_MNEMONIC_NEG, unary<neg_op>, 0},
    {ZYDIS_MNEMONIC_NOT, unary<not_op>, 0},
    {ZYDIS_MNEMONIC_XADD, select_xadd, 0},
    {ZYDIS_MNEMONIC_CMPXCHG, select_cmpxchg, 0},
    {ZYDIS_MNEMONIC_CMPXCHG8B, select_cmpxchg8b, insn_microcode},
    {ZYDIS_MNEMONIC_CMPXCHG16B, select_cmpxchg16b, insn_microcode},
};

}  // namespace

op_table alu_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
