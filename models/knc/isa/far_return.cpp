// Far RET and IRET.

#include <knc/isa/far_stack.h>
#include <knc/isa/far_transfer.h>
#include <knc/isa/system_flags.h>
#include <knc/isa/task_switch.h>
#include <knc/isa/virtual_interrupts.h>

namespace knc::isa {
namespace {

bool refuse(context& c, std::uint8_t vector, std::uint16_t selector) {
    c.raise(vector, selector & 0xfffcu);
    return false;
}

// The code segment returned to; its RPL is the new CPL.
bool read_return_code(context& c, std::uint16_t selector, segment& code) {
    if (is_null(selector)) return refuse(c, vector_gp, 0);
    descriptor d;
    if (!read_descriptor(c, selector, vector_gp, d)) return false;
    code = d.as_segment(selector);
    const unsigned rpl = selector & 3;
    const bool level = is_conforming(code) ? code.dpl() <= rpl : code.dpl() == rpl;
    if (!is_code(code) || rpl < c.s.cpl || !level) return refuse(c, vector_gp, selector);
    if (!code_loadable(c, code)) return false;
    code.attributes |= 1;
    return mark_accessed(c, d);
}

// The stack segment returned to, for CPL `cpl`.
bool read_return_stack(context& c, std::uint16_t selector, std::uint8_t cpl, segment& stack) {
    if (is_null(selector)) {
        const bool allowed = c.s.long_mode() && cpl != 3 && selector == cpl;
        if (!allowed) return refuse(c, vector_gp, 0);
        stack = null_segment(selector);
        return true;
    }
    descriptor d;
    if (!read_descriptor(c, selector, vector_gp, d)) return false;
    stack = d.as_segment(selector);
    if ((selector & 3) != cpl || stack.dpl() != cpl || !is_writable(stack)) {
        return refuse(c, vector_gp, selector);
    }
    if (!stack.present()) return refuse(c, vector_ss, selector);
    stack.attributes |= 1;
    return mark_accessed(c, d);
}

// Data segments of an inner level must not stay loaded. In long mode the base of FS and GS stays.
void drop_inner_segments(context& c) {
    for (const unsigned n : {es, ds, fs, gs}) {
        segment& g = c.s.seg[n];
        if (!g.usable() || is_conforming(g) || g.dpl() >= c.s.cpl) continue;
        const std::uint64_t base = c.s.long_mode() ? g.base : 0;
        g = null_segment(0);
        g.base = base;
    }
    c.update_mode();
}

// Goes to `code`:`ip`, and to the stack `stack`:`sp` if there is one.
void leave(context& c, const segment& code, std::uint64_t ip, const segment* stack,
           std::uint64_t sp) {
    const bool outer = (code.selector & 3) > c.s.cpl;
    enter_code(c, code, ip, code.selector & 3);
    if (stack != nullptr) {
        c.s.seg[ss] = *stack;
        far_stack k = present_stack(c);
        k.sp = sp;
        set_stack_pointer(c, k);
    }
    if (outer) drop_inner_segments(c);
    c.update_mode();
}

void load_flags(context& c, std::uint64_t flags, unsigned width, std::uint32_t also) {
    const std::uint32_t wide = width > 2 ? flag_rf | also : 0;
    write_flags(c, flags, writable_flags(c.s, width) | wide);
}

status return_in_real_mode(context& c, unsigned width) {
    const bool is_virtual = c.s.virtual_8086() && iopl(c.s) < 3;
    if (is_virtual && !has_virtual_flags(c, width)) return c.gp();
    std::uint64_t words[3];
    if (!read_stack(c, width, 3, words) || !real_mode_ip_allowed(c, words[0])) return c.failure;
    if (is_virtual && !load_virtual_flag(c, static_cast<std::uint16_t>(words[2]))) return c.failure;
    drop_from_stack(c, 3 * width);
    load_flags(c, words[2], width, 0);
    enter_real_mode_code(c, static_cast<std::uint16_t>(words[1]), words[0]);
    return status::ok;
}

// Words of the frame in the order of their addresses, `words` being EIP CS EFLAGS ESP SS ES DS FS
// GS.
status return_to_virtual_8086(context& c) {
    std::uint64_t words[9];
    if (!read_stack(c, 4, 9, words)) return c.failure;
    if (words[0] > 0xffff) return c.gp();
    constexpr segment_register order[] = {ss, es, ds, fs, gs};
    write_flags(c, words[2], writable_flags(c.s, 4) | flag_rf | flag_vif | flag_vip | flag_vm);
    for (unsigned n = 0; n < 5; ++n) {
        c.s.seg[order[n]] =
            real_mode_segment(c, order[n], static_cast<std::uint16_t>(words[4 + n]));
    }
    c.s.cpl = 3;
    c.s.r[rsp] = words[3];
    enter_real_mode_code(c, static_cast<std::uint16_t>(words[1]), words[0]);
    return status::ok;
}

status return_in_protected_mode(context& c, unsigned width) {
    const bool takes_stack = c.s.mode == code_mode::bits64;
    std::uint64_t words[5];
    if (!read_stack(c, width, takes_stack ? 5 : 3, words)) return c.failure;
    const bool to_v86 = (words[2] & flag_vm) != 0 && width == 4 && c.s.cpl == 0;
    if (to_v86 && !c.s.long_mode()) return return_to_virtual_8086(c);

    const auto selector = static_cast<std::uint16_t>(words[1]);
    const auto cpl = static_cast<std::uint8_t>(selector & 3);
    segment code, stack;
    if (!read_return_code(c, selector, code) || !ip_allowed(c, code, words[0])) return c.failure;
    const bool outer = cpl > c.s.cpl;
    if (outer && !takes_stack && !read_stack(c, width, 5, words)) return c.failure;
    const bool new_stack = outer || takes_stack;
    if (new_stack && !read_return_stack(c, static_cast<std::uint16_t>(words[4]), cpl, stack)) {
        return c.failure;
    }
    if (!new_stack) drop_from_stack(c, 3 * width);
    load_flags(c, words[2], width, c.s.cpl == 0 ? flag_vif | flag_vip : 0);
    leave(c, code, words[0], new_stack ? &stack : nullptr, words[3]);
    return status::ok;
}

}  // namespace

status interrupt_return(context& c, unsigned width) {
    status r;
    if (!selects_descriptors(c)) {
        r = return_in_real_mode(c, width);
    } else if ((c.s.eflags & flag_nt) != 0) {
        r = c.s.long_mode() ? c.gp() : return_from_task(c);
    } else {
        r = return_in_protected_mode(c, width);
    }
    if (r == status::ok) c.nmi_blocked = false;
    return r;
}

status far_return(context& c, unsigned width, std::uint16_t release) {
    std::uint64_t words[2], outer_words[2] = {};
    if (!read_stack(c, width, 2, words)) return c.failure;
    const auto selector = static_cast<std::uint16_t>(words[1]);
    if (!selects_descriptors(c)) {
        if (!real_mode_ip_allowed(c, words[0])) return c.failure;
        drop_from_stack(c, 2 * width + release);
        enter_real_mode_code(c, selector, words[0]);
        return status::ok;
    }
    segment code, stack;
    if (!read_return_code(c, selector, code) || !ip_allowed(c, code, words[0])) return c.failure;
    const auto cpl = static_cast<std::uint8_t>(selector & 3);
    if (cpl == c.s.cpl) {
        drop_from_stack(c, 2 * width + release);
        leave(c, code, words[0], nullptr, 0);
        return status::ok;
    }
    if (!read_stack(c, width, 2, outer_words, 2 * width + release) ||
        !read_return_stack(c, static_cast<std::uint16_t>(outer_words[1]), cpl, stack)) {
        return c.failure;
    }
    leave(c, code, words[0], &stack, outer_words[0] + release);
    return status::ok;
}

}  // namespace knc::isa
