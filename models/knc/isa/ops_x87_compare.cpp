// Comparisons and examination: FCOM FUCOM FICOM with their popping forms, FTST, FXAM, FCOMI FUCOMI.
//
// Source: Intel SDM vol. 2.
#include <knc/isa/op_table.h>

#include <knc/isa/select.h>
#include <knc/isa/x87_arithmetic.h>
#include <knc/isa/x87_unit.h>

namespace knc::isa {
namespace {

constexpr unsigned unordered = x87_c3 | x87_c2 | x87_c0;

// Compares ST(0) with `b`; condition codes are set even if an unmasked exception keeps the stack.
void compare(x87_state& x, const x87_operand& b, bool quiet, unsigned pops) {
    const unsigned flags = x87_compare(x87_decode(x.st(0)), b, quiet);
    if (x87_signal(x, flags, unordered)) return;
    while (pops-- > 0) x.pop();
}
void compare_empty(x87_state& x, unsigned pops) {
    if (x87_signal(x, unordered | x87_stack_underflow, unordered)) return;
    while (pops-- > 0) x.pop();
}

template <bool Quiet, unsigned Pops>
status with_register(context& c, const insn& i) {
    x87_state& x = c.s.x87;
    if (x.empty(0) || x.empty(i.reg)) {
        compare_empty(x, Pops);
    } else {
        compare(x, x87_decode(x.st(i.reg)), Quiet, Pops);
    }
    return status::ok;
}

template <class T, unsigned Pops>
status with_memory(context& c, const insn& i) {
    T v;
    if (!c.load<T>(i.seg, c.offset(i), v)) return c.failure;
    x87_state& x = c.s.x87;
    if (x.empty(0)) {
        compare_empty(x, Pops);
    } else if constexpr (std::is_signed_v<T>) {
        compare(x, x87_from_integer(v), false, Pops);
    } else {
        compare(x, x87_from_real(v), false, Pops);
    }
    return status::ok;
}

status with_zero(context& c, const insn&) {
    x87_state& x = c.s.x87;
    if (x.empty(0)) {
        compare_empty(x, 0);
    } else {
        compare(x, x87_operand{}, false, 0);
    }
    return status::ok;
}

// CF, PF and ZF as C0, C2 and C3 would be.
template <bool Quiet, unsigned Pops>
status into_eflags(context& c, const insn& i) {
    x87_state& x = c.s.x87;
    const unsigned flags = x.empty(0) || x.empty(i.rm)
                               ? unordered | x87_stack_underflow
                               : x87_compare(x87_decode(x.st(0)), x87_decode(x.st(i.rm)), Quiet);
    const bool underflow = (flags & x87_sf) != 0;
    const bool stopped = x87_signal(x, (flags & ~unordered) | (underflow ? 0 : x.status & x87_c1));
    c.s.arithmetic.set(((flags & x87_c0) != 0 ? flag_cf : 0) |
                       ((flags & x87_c2) != 0 ? flag_pf : 0) |
                       ((flags & x87_c3) != 0 ? flag_zf : 0));
    if (Pops != 0 && !stopped) x.pop();
    return status::ok;
}

unsigned class_of(const x87_operand& a) {
    switch (a.kind) {
        case x87_kind::zero:
            return x87_c3;
        case x87_kind::normal:
            return x87_c2;
        case x87_kind::denormal:
            return x87_c3 | x87_c2;
        case x87_kind::infinity:
            return x87_c2 | x87_c0;
        case x87_kind::quiet_nan:
        case x87_kind::signaling_nan:
            return x87_c0;
        default:
            return 0;
    }
}

status examine(context& c, const insn&) {
    x87_state& x = c.s.x87;
    const unsigned kind = x.empty(0) ? x87_c3 | x87_c0 : class_of(x87_decode(x.st(0)));
    x87_signal(x, kind | (x.st(0).negative() ? x87_c1 : 0), unordered);
    return status::ok;
}

template <unsigned Pops>
handler select_fcom(const decoded& d, insn& out) {
    if (!is_memory(d.ops[0])) return x87_select<with_register<false, Pops>>(d, out);
    if (out.size == 4) return x87_select<with_memory<std::uint32_t, Pops>>(d, out);
    return x87_select<with_memory<std::uint64_t, Pops>>(d, out);
}

template <unsigned Pops>
handler select_ficom(const decoded& d, insn& out) {
    if (out.size == 2) return x87_select<with_memory<std::int16_t, Pops>>(d, out);
    return x87_select<with_memory<std::int32_t, Pops>>(d, out);
}

// The comparand is the last register named: FUCOMP names ST(0) too.
template <unsigned Pops>
handler select_fucom(const decoded& d, insn& out) {
    const handler h = x87_select<with_register<true, Pops>>(d, out);
    if (d.i.operand_count_visible > 1) out.reg = out.rm;
    return h;
}

// Both comparands are implied.
template <bool Quiet>
handler select_pop_both(const decoded& d, insn& out) {
    const handler h = x87_select<with_register<Quiet, 2>>(d, out);
    out.reg = 1;
    return h;
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_FCOM, select_fcom<0>, insn_x87},
    {ZYDIS_MNEMONIC_FCOMP, select_fcom<1>, insn_x87},
    {ZYDIS_MNEMONIC_FCOMPP, select_pop_both<false>, insn_x87},
    {ZYDIS_MNEMONIC_FUCOM, select_fucom<0>, insn_x87},
    {ZYDIS_MNEMONIC_FUCOMP, select_fucom<1>, insn_x87},
    {ZYDIS_MNEMONIC_FUCOMPP, select_pop_both<true>, insn_x87},
    {ZYDIS_MNEMONIC_FICOM, select_ficom<0>, insn_x87},
    {ZYDIS_MNEMONIC_FICOMP, select_ficom<1>, insn_x87},
    {ZYDIS_MNEMONIC_FTST, x87_select<with_zero>, insn_x87},
    {ZYDIS_MNEMONIC_FXAM, x87_select<examine>, insn_x87},
    {ZYDIS_MNEMONIC_FCOMI, x87_select<into_eflags<false, 0>>, insn_x87},
    {ZYDIS_MNEMONIC_FCOMIP, x87_select<into_eflags<false, 1>>, insn_x87},
    {ZYDIS_MNEMONIC_FUCOMI, x87_select<into_eflags<true, 0>>, insn_x87},
    {ZYDIS_MNEMONIC_FUCOMIP, x87_select<into_eflags<true, 1>>, insn_x87},
};

}  // namespace

op_table x87_compare_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
