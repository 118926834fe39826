// ADD OR ADC SBB AND SUB XOR CMP TEST INC DEC NEG NOT, by operation, size and form.
//
// Source: Intel SDM vol. 2.
#include <knc/isa/op_table.h>

#include <knc/isa/context.h>
#include <knc/isa/memory_operand.h>
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
// The destination is the memory operand, B gives the source.
template <class Op, class T, value_of<T> B>
struct to_memory {
    static T result(context& c, const insn& i, T a) {
        return Op::template result<T>(c.s.arithmetic, a, B(c, i));
    }
    static void flags(context& c, const insn& i, T a, T r) {
        Op::template flags<T>(c.s.arithmetic, a, B(c, i), r);
    }
    // Where nothing is written.
    static status compare(context& c, const insn& i, T a) {
        flags(c, i, a, result(c, i, a));
        return status::ok;
    }
};
template <class Op, class T, value_of<T> B>
handler to_memory_from(addressing how) {
    using operation = to_memory<Op, T, B>;
    if constexpr (Op::writes)
        return updater<T, operation>(how);
    else
        return reader<T, operation::compare>(how);
}

template <class Op, class T>
status rr(context& c, const insn& i) {
    return to_register<Op, T>(c, i, c.get<T>(i.rm));
}
template <class Op, class T>
status ri(context& c, const insn& i) {
    return to_register<Op, T>(c, i, static_cast<T>(i.imm));
}

template <class Op>
handler binary(const decoded& d, insn& out) {
    const form f = form_of(d, out);
    const addressing how = addressing_of(d, out);
    return for_size(out.size, [f, how](auto t) -> handler {
        using T = decltype(t);
        switch (f) {
            case form::rr:
                return rr<Op, T>;
            case form::rm:
                return reader<T, to_register<Op, T>>(how);
            case form::mr:
                return to_memory_from<Op, T, register_value<T>>(how);
            case form::ri:
                return ri<Op, T>;
            case form::mi:
                return to_memory_from<Op, T, immediate_value<T>>(how);
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
struct unary_memory {
    static T result(context&, const insn&, T a) { return Op::template result<T>(a); }
    static void flags(context& c, const insn&, T a, T r) {
        Op::template flags<T>(c.s.arithmetic, a, r);
    }
};
template <class Op>
handler unary(const decoded& d, insn& out) {
    const bool memory = form_of(d, out) == form::m;
    const addressing how = addressing_of(d, out);
    return for_size(out.size, [memory, how](auto t) -> handler {
        using T = decltype(t);
        return memory ? updater<T, unary_memory<Op, T>>(how) : unary_register<Op, T>;
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
