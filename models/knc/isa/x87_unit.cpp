#include <knc/isa/x87_unit.h>

namespace knc::isa {
namespace {

bool aligned(context& c, const insn& i, unsigned alignment) {
    const bool checked = c.s.cpl == 3 && (c.s.cr0 & cr0_am) != 0 && (c.s.eflags & flag_ac) != 0;
    if (!checked || (c.linear(i.seg, c.offset(i)) & (alignment - 1)) == 0) return true;
    c.raise(vector_ac, 0);
    return false;
}

}  // namespace

bool x87_available(context& c) {
    if ((c.s.cr0 & (cr0_em | cr0_ts)) == 0) return true;
    c.raise(vector_nm);
    return false;
}

bool x87_no_exception_waits(context& c) {
    if ((c.s.x87.status & x87_es) == 0 || (c.s.cr0 & cr0_ne) == 0) return true;
    c.raise(vector_mf);
    return false;
}

bool x87_ready(context& c) {
    return x87_available(c) && x87_no_exception_waits(c);
}

void x87_record(context& c, const insn& i) {
    x87_state& x = c.s.x87;
    x.opcode = static_cast<std::uint16_t>(i.imm2);
    x.instruction_pointer = (c.s.r[rip] - i.length) & c.ip_mask;
    x.instruction_selector = c.s.seg[cs].selector;
    if ((i.flags & (insn_reads | insn_writes)) == 0) return;
    x.data_pointer = c.offset(i);
    x.data_selector = c.s.seg[i.seg].selector;
}

void x87_operands(const decoded& d, insn& out) {
    const auto& modrm = d.i.raw.modrm;
    out.imm2 = static_cast<std::uint16_t>((d.i.opcode & 7) << 8 | modrm.mod << 6 | modrm.reg << 3 |
                                          modrm.rm);
    out.reg = out.rm = 0;
    unsigned found = 0;
    for (unsigned n = 0; n < d.i.operand_count_visible; ++n) {
        const ZydisDecodedOperand& o = d.ops[n];
        if (o.type != ZYDIS_OPERAND_TYPE_REGISTER || o.reg.value < ZYDIS_REGISTER_ST0 ||
            o.reg.value > ZYDIS_REGISTER_ST7)
            continue;
        (found++ == 0 ? out.reg : out.rm) =
            static_cast<std::uint8_t>(o.reg.value - ZYDIS_REGISTER_ST0);
    }
}

bool x87_signal(x87_state& x, unsigned flags, unsigned clear) {
    x.raised = static_cast<std::uint16_t>(flags);
    x.set_status(x87_c1 | clear, flags);
    if ((x.status & ~x.control & x87_exceptions) != 0) x.set_status(0, x87_es | x87_busy);
    return x87_stops(flags, x.control);
}

void x87_write(x87_state& x, unsigned n, const x87_result& r, unsigned pops, unsigned clear) {
    if (x87_signal(x, r.flags, clear)) return;
    x.set(n, r.value);
    while (pops-- > 0) x.pop();
}

void x87_push(x87_state& x, const x87_result& r) {
    const x87_result pushed =
        x.empty(7) || (r.flags & x87_sf) != 0 ? r : x87_result{x87_indefinite, x87_stack_overflow};
    x87_signal(x, pushed.flags);
    if ((pushed.flags & ~x.control & x87_ie) != 0) return;
    x.set_top(x.top() - 1);
    x.set(0, pushed.value);
}

void x87_underflow(x87_state& x, unsigned n, unsigned pops) {
    x87_write(x, n, {x87_indefinite, x87_stack_underflow}, pops);
}

bool x87_read(context& c, const insn& i, unsigned size, unsigned alignment, void* data) {
    return c.read(i.seg, c.offset(i), size, data) && aligned(c, i, alignment);
}

bool x87_write_memory(context& c, const insn& i, unsigned size, unsigned alignment,
                      const void* data) {
    return c.check_write(i.seg, c.offset(i), size) && aligned(c, i, alignment) &&
           c.write(i.seg, c.offset(i), size, data);
}

}  // namespace knc::isa
