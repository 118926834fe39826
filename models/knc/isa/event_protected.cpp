// Handlers outside long mode: real-mode vectors and 8-byte gates.

#include <knc/isa/event_entry.h>
#include <knc/isa/task_switch.h>
#include <knc/isa/tss.h>

namespace knc::isa {
namespace {

constexpr std::uint32_t gate_types = 1u << type_task_gate | 1u << type_interrupt_gate16 |
                                     1u << type_trap_gate16 | 1u << type_interrupt_gate |
                                     1u << type_trap_gate;

// Selectors that entry from virtual-8086 mode saves, in the order they are pushed.
constexpr segment_register saved_segments[] = {gs, fs, ds, es};

}  // namespace

status enter_real_mode_handler(context& c, const event& e) {
    const unsigned offset = e.fault.vector * 4u;
    if (offset + 3 > c.s.idtr.limit) return c.gp(e.gate_error());
    std::uint16_t vector[2];
    if (!c.read_system(c.s.idtr.base + offset, 4, vector)) return c.failure;
    far_stack k = present_stack(c);
    frame f(2);
    f.push(c.s.rflags());
    f.push(c.s.seg[cs].selector);
    f.push(e.next_ip);
    if (!f.write(c, k)) return c.failure;
    set_stack_pointer(c, k);
    c.s.eflags &= ~(flag_if | flag_tf | flag_rf | flag_ac);
    c.s.seg[cs] = real_mode_segment(c, cs, vector[1]);
    c.s.r[rip] = vector[0];
    c.update_mode();
    return status::ok;
}

status enter_protected_handler(context& c, const event& e) {
    descriptor gate, d;
    segment code;
    if (!read_gate(c, e, 8, gate_types, gate)) return c.failure;
    const unsigned type = gate.low >> 40 & 15;
    if (type == type_task_gate) {
        return enter_task_of_event(c, gate, e.fault, e.saved_flags(c.s), e.next_ip);
    }
    if (!find_handler(c, gate, d, code)) return c.failure;

    const bool from_v86 = c.s.virtual_8086();
    far_stack k = present_stack(c);
    k.cpl = handler_cpl(c, code);
    if (from_v86 && k.cpl != 0) return c.gp(code.selector & 0xfffcu);
    const bool inner = k.cpl != c.s.cpl;
    if (inner && !read_inner_stack(c, k.cpl, k)) return c.failure;

    const bool wide = type >= type_interrupt_gate;
    const std::uint64_t ip = wide ? gate.gate_offset() : gate.gate_offset() & 0xffff;
    if (!within_limit(code, ip, 1)) return c.gp();
    frame f(wide ? 4 : 2);
    if (from_v86) {
        for (const segment_register r : saved_segments) f.push(c.s.seg[r].selector);
    }
    if (inner) {
        f.push(c.s.seg[ss].selector);
        f.push(c.s.r[rsp]);
    }
    f.push(e.saved_flags(c.s));
    f.push(c.s.seg[cs].selector);
    f.push(e.next_ip);
    if (e.fault.has_error) f.push(e.fault.error);
    if (!f.write(c, k)) return c.failure;

    if (from_v86) {
        for (const segment_register r : saved_segments) c.s.seg[r] = null_segment(0);
    }
    if (inner) c.s.seg[ss] = k.ss;
    set_stack_pointer(c, k);
    const bool interrupt = type == type_interrupt_gate || type == type_interrupt_gate16;
    start_handler(c, code, ip, k.cpl, interrupt);
    return status::ok;
}

}  // namespace knc::isa
