#include <knc/isa/task_switch.h>

#include <array>
#include <cstring>

#include <knc/isa/far_stack.h>
#include <knc/isa/paging.h>

namespace knc::isa {
namespace {

// A TSS: the part that a switch saves is contiguous: IP, FLAGS, 8 general registers in the order of
// enum gpr, segment registers in the order of enum segment_register; the LDT selector follows.
struct layout {
    unsigned width;     // bytes of a word
    unsigned saved;     // offset of the saved part
    unsigned segments;  // segment registers in it
    unsigned least_limit;

    unsigned words() const { return 10 + segments; }
    unsigned saved_size() const { return width * words(); }
};
constexpr layout layout16{2, 0x0e, 4, 0x2b}, layout32{4, 0x20, 6, 0x67};
constexpr unsigned cr3_offset = 0x1c, trap_offset = 0x64;
constexpr std::uint16_t busy = 2;
constexpr std::uint64_t local_breakpoints = 0x155;  // L0-L3 and LE of DR7

const layout& layout_of(const segment& tss) {
    return (tss.type() & 8) != 0 ? layout32 : layout16;
}

enum class cause : std::uint8_t { jump, call, event, iret };

struct task {
    segment tss;
    descriptor d;
    std::array<std::uint64_t, 17> words{};  // saved part and LDT selector
    std::uint64_t cr3 = 0;
    std::uint8_t trap = 0;  // bit 0: #DB before the first instruction
};

bool refuse(context& c, std::uint8_t vector, std::uint32_t selector) {
    c.raise(vector, selector & 0xfffcu);
    return false;
}

bool read_task(context& c, task& t) {
    const layout& l = layout_of(t.tss);
    if (t.tss.limit < l.least_limit) return refuse(c, vector_ts, t.tss.selector);
    std::array<std::uint8_t, 17 * 4> bytes;
    if (!c.read_system(t.tss.base + l.saved, l.saved_size() + l.width, bytes.data())) return false;
    for (unsigned n = 0; n <= l.words(); ++n) {
        std::memcpy(&t.words[n], bytes.data() + n * l.width, l.width);
    }
    return l.width == 2 || (c.read_system(t.tss.base + cr3_offset, 4, &t.cr3) &&
                            c.read_system(t.tss.base + trap_offset, 1, &t.trap));
}

bool save_task(context& c, std::uint64_t flags, std::uint64_t ip) {
    const layout& l = layout_of(c.s.tr);
    std::array<std::uint8_t, 16 * 4> bytes;
    for (unsigned n = 0; n < l.words(); ++n) {
        const std::uint64_t word = n == 0   ? ip
                                   : n == 1 ? flags
                                   : n < 10 ? c.s.r[n - 2]
                                            : c.s.seg[n - 10].selector;
        std::memcpy(bytes.data() + n * l.width, &word, l.width);
    }
    return c.write_system(c.s.tr.base + l.saved, l.saved_size(), bytes.data());
}

bool load_ldt(context& c, std::uint16_t selector) {
    c.s.ldtr = null_segment(selector);
    if (is_null(selector)) return true;
    if ((selector & 4) != 0) return refuse(c, vector_ts, selector);
    descriptor d;
    if (!read_descriptor(c, selector, vector_ts, d)) return false;
    const segment g = d.as_segment(selector);
    if (g.code_or_data() || g.type() != type_ldt || !g.present()) {
        return refuse(c, vector_ts, selector);
    }
    c.s.ldtr = g;
    return true;
}

// Whether the new task, at the CPL of `c`, may have `g` in segment register `n`.
bool fits(const context& c, unsigned n, const segment& g) {
    const unsigned rpl = g.selector & 3;
    if (n == cs) return is_code(g) && (is_conforming(g) ? g.dpl() <= rpl : g.dpl() == rpl);
    if (n == ss) return is_writable(g) && g.dpl() == c.s.cpl && rpl == c.s.cpl;
    if (!g.code_or_data() || !is_readable(g)) return false;
    return is_conforming(g) || (g.dpl() >= c.s.cpl && g.dpl() >= rpl);
}

bool load_segment_of_task(context& c, unsigned n, std::uint16_t selector) {
    if (is_null(selector)) {
        c.s.seg[n] = null_segment(selector);
        return (n != cs && n != ss) || refuse(c, vector_ts, 0);
    }
    descriptor d;
    if (!read_descriptor(c, selector, vector_ts, d)) return false;
    const segment g = d.as_segment(selector);
    if (!fits(c, n, g)) return refuse(c, vector_ts, selector);
    if (!g.present()) return refuse(c, n == ss ? vector_ss : vector_np, selector);
    if (!mark_accessed(c, d)) return false;
    c.s.seg[n] = d.as_segment(selector);
    return true;
}

bool load_segments(context& c, const task& t) {
    const layout& l = layout_of(t.tss);
    const auto selector = [&](unsigned n) {
        return static_cast<std::uint16_t>(n < l.segments ? t.words[10 + n] : 0);
    };
    if (!load_ldt(c, static_cast<std::uint16_t>(t.words[l.words()]))) return false;
    if (c.s.virtual_8086()) {
        c.s.cpl = 3;
        for (unsigned n = 0; n < segment_count; ++n) {
            c.s.seg[n] = real_mode_segment(c, n, selector(n));
        }
        return true;
    }
    c.s.cpl = selector(cs) & 3;
    for (const unsigned n : {cs, ss, es, ds, fs, gs}) {
        if (!load_segment_of_task(c, n, selector(n))) return false;
    }
    return true;
}

// Makes the state of `t` the thread's. False: a fault; the caller must restore the state.
bool load_task(context& c, const task& t, cause why, const fault* pushed) {
    const layout& l = layout_of(t.tss);
    if (c.s.paging() && l.width == 4) {
        c.s.cr3 = t.cr3;
        const bool pae = (c.s.cr4 & cr4_pae) != 0;
        c.failure = pae ? load_page_directory_pointers(c.s, c.env, t.cr3) : status::ok;
        if (c.failure == status::fault) return refuse(c, vector_gp, 0);
        if (c.failure == status::blocked) return false;
        c.env.translations_void((c.s.cr4 & cr4_pge) != 0);
    }
    c.flush_translations();
    c.s.tr = t.tss;
    c.s.tr.attributes |= busy;
    c.s.cr0 |= cr0_ts;
    c.s.dr[7] &= ~local_breakpoints;
    c.s.r[rip] = t.words[0];
    const bool nests = why == cause::call || why == cause::event;
    c.s.set_rflags(t.words[1] | (nests ? flag_nt : 0));
    for (unsigned n = 0; n < 8; ++n) c.s.r[n] = t.words[2 + n];
    if (!load_segments(c, t)) return false;
    c.update_mode();
    if (!within_limit(c.s.seg[cs], c.s.r[rip], 1)) return refuse(c, vector_gp, 0);
    if (pushed == nullptr || !pushed->has_error) return true;
    far_stack k = present_stack(c);
    frame f(l.width);
    f.push(pushed->error);
    if (!f.write(c, k)) return false;
    set_stack_pointer(c, k);
    return true;
}

// Sets the busy bit of the TSS descriptor at `la`, whose byte 5 is `type`, to `set`.
bool write_busy(context& c, std::uint64_t la, std::uint8_t type, bool set) {
    const auto byte = static_cast<std::uint8_t>(set ? type | busy : type & ~busy);
    return c.write_system(la + 5, 1, &byte);
}

bool link_tasks(context& c, const task& t, cause why) {
    const segment old = c.s.tr;
    if (why == cause::jump || why == cause::iret) {
        const std::uint64_t la = c.s.gdtr.base + (old.selector & 0xfff8u);
        if (!write_busy(c, la, static_cast<std::uint8_t>(old.attributes), false)) return false;
    }
    if (why == cause::iret) return true;
    if (why != cause::jump && !c.write_system(t.tss.base, 2, &old.selector)) return false;
    return write_busy(c, t.d.la, static_cast<std::uint8_t>(t.tss.attributes), true);
}

void put_back(context& c, const state& s) {
    c.s = s;
    c.flush_translations();
    c.update_mode();
}

status switch_task(context& c, std::uint16_t selector, const descriptor& d, cause why,
                   std::uint64_t flags, std::uint64_t ip, const fault* pushed = nullptr) {
    task t;
    t.d = d;
    t.tss = d.as_segment(selector);
    if (!t.tss.present()) return c.raise(vector_np, selector & 0xfffcu);
    if (!read_task(c, t) || !save_task(c, flags, ip)) return c.failure;
    const state old = c.s;
    const bool loaded = load_task(c, t, why, pushed);
    const state fresh = c.s;
    put_back(c, old);
    if (!loaded || !link_tasks(c, t, why)) return c.failure;
    put_back(c, fresh);
    if ((t.trap & 1) != 0) c.meet(dr6_bt);
    return status::ok;
}

// The TSS descriptor that `selector` names, which must be of one of `types`.
bool read_tss_descriptor(context& c, std::uint16_t selector, std::uint8_t vector,
                         std::uint32_t types, descriptor& d) {
    if ((selector & 4) != 0 || is_null(selector)) return refuse(c, vector, selector);
    if (!read_descriptor(c, selector, vector, d)) return false;
    return (types >> (d.low >> 40 & 31) & 1) != 0 || refuse(c, vector, selector);
}

constexpr std::uint32_t available = 1u << type_tss | 1u << type_tss16;
constexpr std::uint32_t active = 1u << type_tss_busy | 1u << type_tss16_busy;

}  // namespace

status enter_task(context& c, std::uint16_t selector, const descriptor& d, bool call) {
    const segment g = d.as_segment(selector);
    const std::uint32_t error = selector & 0xfffcu;
    if (g.dpl() < c.s.cpl || g.dpl() < (selector & 3u)) return c.gp(error);
    if (!g.present()) return c.raise(vector_np, error);
    descriptor target = d;
    if (g.type() == type_task_gate) {
        selector = d.gate_selector();
        if (!read_tss_descriptor(c, selector, vector_gp, available, target)) return c.failure;
    }
    return switch_task(c, selector, target, call ? cause::call : cause::jump, c.s.rflags(),
                       c.s.r[rip]);
}

status enter_task_of_event(context& c, const descriptor& gate, const fault& f, std::uint64_t flags,
                           std::uint64_t next_ip) {
    descriptor d;
    if (!read_tss_descriptor(c, gate.gate_selector(), vector_gp, available, d)) return c.failure;
    return switch_task(c, gate.gate_selector(), d, cause::event, flags, next_ip, &f);
}

status return_from_task(context& c) {
    std::uint16_t link = 0;
    if (!c.read_system(c.s.tr.base, 2, &link)) return c.failure;
    descriptor d;
    if (!read_tss_descriptor(c, link, vector_ts, active, d)) return c.failure;
    return switch_task(c, link, d, cause::iret, c.s.rflags() & ~std::uint64_t{flag_nt}, c.s.r[rip]);
}

}  // namespace knc::isa
