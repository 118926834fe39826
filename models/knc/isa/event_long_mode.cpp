// Handlers in long mode: 16-byte gates, RSP0-2 and IST.

#include <knc/isa/event_entry.h>
#include <knc/isa/paging.h>
#include <knc/isa/tss.h>

namespace knc::isa {
namespace {

constexpr std::uint32_t gate_types = 1u << type_interrupt_gate | 1u << type_trap_gate;

bool choose_stack(context& c, const descriptor& gate, far_stack& k) {
    const unsigned ist = gate.low >> 32 & 7;
    const bool inner = k.cpl != c.s.cpl;
    k.sp = c.s.r[rsp];
    if ((ist != 0 || inner) && !read_long_mode_stack(c, k.cpl, ist, k.sp)) return false;
    k.ss = inner ? null_segment(k.cpl) : c.s.seg[ss];
    k.sp &= ~std::uint64_t{15};
    return true;
}

}  // namespace

status enter_long_mode_handler(context& c, const event& e) {
    descriptor gate, d;
    segment code;
    if (!read_gate(c, e, 16, gate_types, gate)) return c.failure;
    if (!find_handler(c, gate, d, code)) return c.failure;
    far_stack k;
    k.wide = true;
    k.cpl = handler_cpl(c, code);
    if (!choose_stack(c, gate, k)) return c.failure;
    if (!canonical(gate.gate_offset())) return c.gp();

    frame f(8);
    for (const std::uint64_t word :
         {std::uint64_t{c.s.seg[ss].selector}, c.s.r[rsp], e.saved_flags(c.s),
          std::uint64_t{c.s.seg[cs].selector}, e.next_ip}) {
        f.push(word);
    }
    if (e.fault.has_error) f.push(e.fault.error);
    if (!f.write(c, k)) return c.failure;

    c.s.seg[ss] = k.ss;
    c.s.r[rsp] = k.sp;
    const bool interrupt = (gate.low >> 40 & 15) == type_interrupt_gate;
    start_handler(c, code, gate.gate_offset(), k.cpl, interrupt);
    return status::ok;
}

}  // namespace knc::isa
