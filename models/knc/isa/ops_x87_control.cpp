// Control of the x87 unit: FNINIT FNCLEX FLDCW FNSTCW FNSTSW FINCSTP FDECSTP FFREE FFREEP FNOP
// FWAIT, obsolete instructions of the 8087 and 80287, and MXCSR.
//
// Source: Intel SDM vol. 2.
#include <knc/isa/op_table.h>

#include <knc/isa/select.h>
#include <knc/isa/x87_unit.h>

namespace knc::isa {
namespace {

status nothing(context&, const insn&) {
    return status::ok;
}

status initialize(context& c, const insn&) {
    c.s.x87.initialize();
    return status::ok;
}

status clear_exceptions(context& c, const insn&) {
    c.s.x87.set_status(x87_exceptions | x87_sf | x87_es | x87_busy, 0);
    return status::ok;
}

status load_control(context& c, const insn& i) {
    std::uint16_t v;
    if (!c.load<std::uint16_t>(i.seg, c.offset(i), v)) return c.failure;
    c.s.x87.set_control(v);
    c.s.x87.update_summary();
    return status::ok;
}

status store_control(context& c, const insn& i) {
    return c.store<std::uint16_t>(i.seg, c.offset(i), c.s.x87.control) ? status::ok : c.failure;
}

status store_status(context& c, const insn& i) {
    return c.store<std::uint16_t>(i.seg, c.offset(i), c.s.x87.status) ? status::ok : c.failure;
}
status store_status_ax(context& c, const insn&) {
    c.set<std::uint16_t>(register_offset(ZYDIS_REGISTER_AX), c.s.x87.status);
    return status::ok;
}

template <int Step>
status turn_stack(context& c, const insn&) {
    x87_state& x = c.s.x87;
    x.set_status(x87_c1, 0);
    x.set_top(x.top() + static_cast<unsigned>(Step));
    return status::ok;
}

template <bool Pop>
status free_register(context& c, const insn& i) {
    x87_state& x = c.s.x87;
    x.set_status(x87_c1, 0);
    x.free(i.reg);
    if (Pop) x.pop();
    return status::ok;
}

// Waits, whatever CR0.EM is; CR0.TS counts only with CR0.MP.
status wait(context& c, const insn&) {
    constexpr std::uint64_t off = cr0_mp | cr0_ts;
    if ((c.s.cr0 & off) == off) return c.raise(vector_nm);
    return x87_no_exception_waits(c) ? status::ok : c.failure;
}

handler select_store_status(const decoded& d, insn&) {
    return is_memory(d.ops[0]) ? x87_not_waiting<store_status> : x87_not_waiting<store_status_ax>;
}

// CR0.EM makes the x87 unit unavailable, but an instruction on MXCSR undefined.
bool mxcsr_available(context& c) {
    if ((c.s.cr0 & cr0_em) != 0) {
        c.ud();
    } else if ((c.s.cr0 & cr0_ts) != 0) {
        c.raise(vector_nm);
    } else {
        return true;
    }
    return false;
}

status load_mxcsr(context& c, const insn& i) {
    std::uint32_t v;
    if (!mxcsr_available(c) || !c.load<std::uint32_t>(i.seg, c.offset(i), v)) return c.failure;
    if (!mxcsr_valid(v, c.instruction_set)) return c.gp();
    c.s.mxcsr = v;
    return status::ok;
}

status store_mxcsr(context& c, const insn& i) {
    const bool done = mxcsr_available(c) && c.store<std::uint32_t>(i.seg, c.offset(i), c.s.mxcsr);
    return done ? status::ok : c.failure;
}

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_FNINIT, always<x87_not_waiting<initialize>>, insn_x87},
    {ZYDIS_MNEMONIC_FNCLEX, always<x87_not_waiting<clear_exceptions>>, insn_x87},
    {ZYDIS_MNEMONIC_FLDCW, always<x87_waiting<load_control>>, insn_x87},
    {ZYDIS_MNEMONIC_FNSTCW, always<x87_not_waiting<store_control>>, insn_x87},
    {ZYDIS_MNEMONIC_FNSTSW, select_store_status, insn_x87},
    {ZYDIS_MNEMONIC_FINCSTP, x87_select<turn_stack<1>>, insn_x87},
    {ZYDIS_MNEMONIC_FDECSTP, x87_select<turn_stack<-1>>, insn_x87},
    {ZYDIS_MNEMONIC_FFREE, x87_select<free_register<false>>, insn_x87},
    {ZYDIS_MNEMONIC_FFREEP, x87_select<free_register<true>>, insn_x87},
    {ZYDIS_MNEMONIC_FNOP, x87_select<nothing>, insn_x87},
    {ZYDIS_MNEMONIC_FWAIT, always<wait>, insn_x87},
    {ZYDIS_MNEMONIC_FENI8087_NOP, always<x87_not_waiting<nothing>>, insn_x87},
    {ZYDIS_MNEMONIC_FDISI8087_NOP, always<x87_not_waiting<nothing>>, insn_x87},
    {ZYDIS_MNEMONIC_FSETPM287_NOP, always<x87_not_waiting<nothing>>, insn_x87},
    {ZYDIS_MNEMONIC_LDMXCSR, always<load_mxcsr>, 0},
    {ZYDIS_MNEMONIC_STMXCSR, always<store_mxcsr>, 0},
};

}  // namespace

op_table x87_control_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
