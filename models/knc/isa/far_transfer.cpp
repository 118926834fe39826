// Far JMP and CALL.

#include <knc/isa/far_transfer.h>

#include <array>
#include <cstring>

#include <knc/isa/far_stack.h>
#include <knc/isa/paging.h>
#include <knc/isa/task_switch.h>
#include <knc/isa/tss.h>

namespace knc::isa {

bool code_loadable(context& c, const segment& code) {
    const std::uint32_t error = code.selector & 0xfffcu;
    if (c.s.long_mode() && (!code.long_mode() || code.big())) {
        c.gp(error);
        return false;
    }
    if (!code.present()) c.raise(vector_np, error);
    return code.present();
}

bool ip_allowed(context& c, const segment& code, std::uint64_t ip) {
    const bool allowed = c.s.long_mode() ? canonical(ip) : within_limit(code, ip, 1);
    if (!allowed) c.gp();
    return allowed;
}

void enter_code(context& c, segment code, std::uint64_t ip, std::uint8_t cpl) {
    code.selector = static_cast<std::uint16_t>((code.selector & ~3u) | cpl);
    c.s.seg[cs] = code;
    c.s.r[rip] = ip;
    c.s.cpl = cpl;
    c.update_mode();
}

bool real_mode_ip_allowed(context& c, std::uint64_t ip) {
    const bool allowed = within_limit(c.s.seg[cs], ip, 1);
    if (!allowed) c.gp();
    return allowed;
}

void enter_real_mode_code(context& c, std::uint16_t selector, std::uint64_t ip) {
    c.s.seg[cs] = real_mode_segment(c, cs, selector);
    c.s.r[rip] = ip;
    c.update_mode();
}

namespace {

bool refuse(context& c, std::uint8_t vector, std::uint16_t selector) {
    c.raise(vector, selector & 0xfffcu);
    return false;
}

// The descriptor that a far pointer names; a null selector is #GP(0).
bool read_target(context& c, std::uint16_t selector, descriptor& d) {
    if (is_null(selector)) return refuse(c, vector_gp, 0);
    return read_descriptor(c, selector, vector_gp, d);
}

// Privilege of a direct transfer: to the same level, or to conforming code of any inner level.
bool direct_allowed(const context& c, const segment& code) {
    if (is_conforming(code)) return code.dpl() <= c.s.cpl;
    return (code.selector & 3u) <= c.s.cpl && code.dpl() == c.s.cpl;
}

// Checks and reads the code segment of a direct transfer.
bool direct_target(context& c, descriptor& d, segment& code) {
    if (!direct_allowed(c, code)) return refuse(c, vector_gp, code.selector);
    if (!code_loadable(c, code)) return false;
    code.attributes |= 1;
    return mark_accessed(c, d);
}

struct call_gate {
    std::uint64_t offset = 0;
    unsigned width = 0;
    unsigned parameters = 0;
    segment code;
};

// Reads the target of the gate descriptor `d` that `selector` names. `call`: inner code is allowed.
bool open_gate(context& c, std::uint16_t selector, const descriptor& d, bool call, call_gate& g) {
    const segment gate = d.as_segment(selector);
    const bool wide = gate.type() == type_call_gate;
    if (gate.dpl() < c.s.cpl || gate.dpl() < (selector & 3u)) {
        return refuse(c, vector_gp, selector);
    }
    if (!gate.present()) return refuse(c, vector_np, selector);
    // The upper half of a 64-bit gate has type 0, so that no selector can name it.
    if (c.s.long_mode() && (d.high >> 40 & 31) != 0) return refuse(c, vector_gp, selector);
    g.width = c.s.long_mode() ? 8 : wide ? 4 : 2;
    g.offset = d.gate_offset() & base::mask(wide ? 64 : 16);
    g.parameters = c.s.long_mode() ? 0 : d.low >> 32 & 31;

    descriptor target;
    if (!read_target(c, d.gate_selector(), target)) return false;
    g.code = target.as_segment(d.gate_selector());
    const bool level =
        call || is_conforming(g.code) ? g.code.dpl() <= c.s.cpl : g.code.dpl() == c.s.cpl;
    if (!is_code(g.code) || !level) return refuse(c, vector_gp, g.code.selector);
    if (!code_loadable(c, g.code)) return false;
    g.code.attributes |= 1;
    return mark_accessed(c, target);
}

bool is_call_gate(const context& c, const segment& g) {
    if (g.code_or_data()) return false;
    return g.type() == type_call_gate || (g.type() == type_call_gate16 && !c.s.long_mode());
}

bool is_task(const context& c, const segment& g) {
    if (g.code_or_data() || c.s.long_mode()) return false;
    return g.type() == type_task_gate || g.type() == type_tss || g.type() == type_tss16;
}

// The stack of an inner level, with the parameters of the caller on it.
bool open_inner_stack(context& c, const call_gate& g, far_stack& k, frame& f) {
    k.cpl = static_cast<std::uint8_t>(g.code.dpl());
    if (c.s.long_mode()) {
        k.wide = true;
        k.ss = null_segment(k.cpl);
        if (!read_long_mode_stack(c, k.cpl, 0, k.sp)) return false;
    } else if (!read_inner_stack(c, k.cpl, k)) {
        return false;
    }
    f.push(c.s.seg[ss].selector);
    f.push(c.s.r[rsp]);
    std::array<std::uint64_t, 31> words;
    if (g.parameters != 0 && !read_stack(c, g.width, g.parameters, words.data())) return false;
    for (unsigned n = g.parameters; n-- > 0;) f.push(words[n]);
    return true;
}

status call_through_gate(context& c, const call_gate& g) {
    if (!ip_allowed(c, g.code, g.offset)) return c.failure;
    far_stack k = present_stack(c);
    frame f(g.width);
    const bool inner = !is_conforming(g.code) && g.code.dpl() < c.s.cpl;
    if (inner && !open_inner_stack(c, g, k, f)) return c.failure;
    f.push(c.s.seg[cs].selector);
    f.push(c.s.r[rip]);
    if (!f.write(c, k)) return c.failure;
    if (inner) c.s.seg[ss] = k.ss;
    set_stack_pointer(c, k);
    enter_code(c, g.code, g.offset, k.cpl);
    return status::ok;
}

bool push_return_address(context& c, unsigned width) {
    far_stack k = present_stack(c);
    frame f(width);
    f.push(c.s.seg[cs].selector);
    f.push(c.s.r[rip]);
    if (!f.write(c, k)) return false;
    set_stack_pointer(c, k);
    return true;
}

status real_mode_transfer(context& c, std::uint16_t selector, std::uint64_t offset, unsigned width,
                          bool call) {
    if (!real_mode_ip_allowed(c, offset)) return c.failure;
    if (call && !push_return_address(c, width)) return c.failure;
    enter_real_mode_code(c, selector, offset);
    return status::ok;
}

status transfer(context& c, std::uint16_t selector, std::uint64_t offset, unsigned width,
                bool call) {
    offset &= base::mask(8 * width);
    if (!selects_descriptors(c)) return real_mode_transfer(c, selector, offset, width, call);
    descriptor d;
    if (!read_target(c, selector, d)) return c.failure;
    segment target = d.as_segment(selector);
    if (is_call_gate(c, target)) {
        call_gate g;
        if (!open_gate(c, selector, d, call, g)) return c.failure;
        if (call) return call_through_gate(c, g);
        if (!ip_allowed(c, g.code, g.offset)) return c.failure;
        enter_code(c, g.code, g.offset, c.s.cpl);
        return status::ok;
    }
    if (is_task(c, target)) return enter_task(c, selector, d, call);
    if (!is_code(target)) return c.gp(selector & 0xfffcu);
    if (!direct_target(c, d, target) || !ip_allowed(c, target, offset)) return c.failure;
    if (call && !push_return_address(c, width)) return c.failure;
    enter_code(c, target, offset, c.s.cpl);
    return status::ok;
}

}  // namespace

status far_jump(context& c, std::uint16_t selector, std::uint64_t offset, unsigned width) {
    return transfer(c, selector, offset, width, false);
}

status far_call(context& c, std::uint16_t selector, std::uint64_t offset, unsigned width) {
    return transfer(c, selector, offset, width, true);
}

}  // namespace knc::isa
