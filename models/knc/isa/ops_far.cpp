// Far JMP, CALL and RET, INT n, INT1, INT3, INTO, IRET, SYSCALL, SYSRET.

#include <iterator>
#include <utility>

#include <knc/isa/event_delivery.h>
#include <knc/isa/far_transfer.h>
#include <knc/isa/fast_call.h>
#include <knc/isa/op_table.h>
#include <knc/isa/ops_hint.h>
#include <knc/isa/select.h>
#include <knc/isa/system_flags.h>
#include <knc/isa/virtual_interrupts.h>

namespace knc::isa {
namespace {

using transfer = status (*)(context&, std::uint16_t selector, std::uint64_t offset, unsigned width);

// ptr16:16, ptr16:32: imm2:imm.
template <transfer To>
status direct(context& c, const insn& i) {
    return To(c, static_cast<std::uint16_t>(i.imm2), static_cast<std::uint64_t>(i.imm), i.size);
}

// m16:16, m16:32, m16:64.
template <transfer To>
status indirect(context& c, const insn& i) {
    std::uint8_t bytes[10];
    if (!c.read(i.seg, c.offset(i), i.size + 2u, bytes)) return c.failure;
    std::uint64_t offset = 0;
    std::uint16_t selector = 0;
    std::memcpy(&offset, bytes, i.size);
    std::memcpy(&selector, bytes + i.size, sizeof selector);
    return To(c, selector, offset, i.size);
}

status ret(context& c, const insn& i) {
    return far_return(c, i.size, static_cast<std::uint16_t>(i.imm));
}

status iret(context& c, const insn& i) {
    return interrupt_return(c, i.size);
}

status trap(context& c, event_kind kind, std::uint8_t vector) {
    fault f;
    f.vector = vector;
    f.trap = true;
    const status r = deliver_once(c, kind, f, c.s.r[rip]);
    c.unstepped = r == status::ok;
    return r;
}

status int_n(context& c, const insn& i) {
    const auto vector = static_cast<std::uint8_t>(i.imm);
    if (c.s.virtual_8086()) {
        switch (redirection(c, vector)) {
            case interrupt_goes::to_program: {
                const status r = enter_8086_handler(c, vector);
                c.unstepped = r == status::ok;
                return r;
            }
            case interrupt_goes::nowhere:
                return c.failure;
            case interrupt_goes::to_monitor:
                if (iopl(c.s) < 3) return c.gp();
        }
    }
    return trap(c, event_kind::software_interrupt, vector);
}
// INT1 raises its own #DB, which also reports the conditions that MOV SS has held back.
status int1(context& c, const insn&) {
    const status r = trap(c, event_kind::exception, vector_db);
    if (r == status::ok) report_conditions(c, std::exchange(c.held_conditions, 0));
    return r;
}
status int3(context& c, const insn&) {
    return trap(c, event_kind::software_interrupt, vector_bp);
}
status into(context& c, const insn&) {
    c.branch_taken = c.s.arithmetic.of();
    return c.branch_taken ? trap(c, event_kind::software_interrupt, vector_of) : status::ok;
}

status syscall(context& c, const insn&) {
    return system_call(c);
}
template <bool Wide>
status sysret(context& c, const insn&) {
    return system_return(c, Wide);
}

void set_width(const decoded& d, insn& out) {
    out.size = static_cast<std::uint8_t>(d.i.operand_width / 8);
}

template <transfer To>
handler select_transfer(const decoded& d, insn& out) {
    if (!is_far(d)) return nullptr;
    set_width(d, out);
    const ZydisDecodedOperand& o = d.ops[0];
    if (o.type != ZYDIS_OPERAND_TYPE_POINTER) return indirect<To>;
    out.imm = o.ptr.offset;
    out.imm2 = static_cast<std::uint16_t>(o.ptr.segment);
    return direct<To>;
}

handler select_ret(const decoded& d, insn& out) {
    set_width(d, out);
    return is_far(d) ? ret : nullptr;
}

handler select_iret(const decoded& d, insn& out) {
    set_width(d, out);
    return iret;
}

// Both exist in 64-bit code only.
handler select_syscall(const decoded& d, insn& out) {
    return d.mode == code_mode::bits64 ? syscall : select_undefined(d, out);
}
handler select_sysret(const decoded& d, insn& out) {
    if (d.mode != code_mode::bits64) return select_undefined(d, out);
    return d.i.operand_width == 64 ? sysret<true> : sysret<false>;
}

template <handler H>
handler always(const decoded&, insn&) {
    return H;
}

// SYSCALL and SYSRET make no access.
constexpr std::uint32_t transfer_flags =
    insn_branch | insn_microcode | insn_segment_load | insn_mode;
constexpr std::uint32_t fast_flags = transfer_flags | insn_tf_afterwards;
constexpr std::uint32_t far_flags = transfer_flags | insn_several_accesses;
constexpr std::uint32_t return_flags = far_flags | insn_serializing;

constexpr op_row rows[] = {
    {ZYDIS_MNEMONIC_JMP, select_transfer<far_jump>, far_flags},
    {ZYDIS_MNEMONIC_CALL, select_transfer<far_call>, far_flags | insn_writes},
    {ZYDIS_MNEMONIC_RET, select_ret, far_flags | insn_reads},
    {ZYDIS_MNEMONIC_INT, always<int_n>, far_flags},
    {ZYDIS_MNEMONIC_INT1, always<int1>, far_flags},
    {ZYDIS_MNEMONIC_INT3, always<int3>, far_flags},
    {ZYDIS_MNEMONIC_INTO, always<into>, far_flags | insn_conditional},
    {ZYDIS_MNEMONIC_IRET, select_iret, return_flags},
    {ZYDIS_MNEMONIC_IRETD, select_iret, return_flags},
    {ZYDIS_MNEMONIC_IRETQ, select_iret, return_flags},
    {ZYDIS_MNEMONIC_SYSCALL, select_syscall, fast_flags},
    {ZYDIS_MNEMONIC_SYSRET, select_sysret, fast_flags},
};

}  // namespace

op_table far_ops() {
    return {rows, std::size(rows)};
}

}  // namespace knc::isa
