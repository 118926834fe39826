#include "flat_machine.h"

#include <cstring>

#include <support/isa_descriptors.h>

namespace knc::isa::test {
namespace {

constexpr std::uint64_t present_writable_user = 7;
constexpr std::uint64_t large_and_rights = 0x87;
constexpr std::uint16_t table_limit = 0x7ff, ldt_limit = 0x3f;

}  // namespace

flat_machine::flat_machine(profile p) : isa_machine(p, ram_size) {}

void flat_machine::fill_descriptors(bool long_mode) {
    const struct {
        std::uint16_t at;
        std::uint64_t value;
    } rows[] = {
        {code64, descriptor_of(0, 0xfffff, 0x9b, 0xa)},
        {data0, descriptor_of(0, 0xfffff, 0x93, 0xc)},
        {code32, descriptor_of(0, 0xfffff, 0x9b, 0xc)},
        {data3, descriptor_of(0, 0xfffff, 0xf3, 0xc)},
        {user64, descriptor_of(0, 0xfffff, 0xfb, 0xa)},
        {user32, descriptor_of(0, 0xfffff, 0xfb, 0xc)},
        {task, descriptor_of(tss_at, 0xff, 0x8b, 0)},
        {code16, descriptor_of(0, 0xffff, 0x9b, 0)},
        {data16, descriptor_of(0, 0xffff, 0x93, 0)},
        {local, descriptor_of(ldt_at, ldt_limit, 0x82, 0)},
        {conforming, descriptor_of(0, 0xfffff, 0x9f, 0xc)},
        {expand_down, descriptor_of(0, 0x2ffff, 0x97, 4)},
        {call_gate, gate_of(type_call_gate, 3, long_mode ? code64 : code32, handler_at)},
    };
    for (const auto& r : rows) put(gdt_at + r.at, r.value);
    const std::uint16_t to = long_mode ? code64 : code32;
    for (unsigned v = 0; v < 256; ++v) {
        const std::uint64_t gate =
            gate_of(type_interrupt_gate, v % 4 == 3 ? 3 : 0, to, handler_at + 16 * v);
        if (long_mode) {
            put(idt_at + 16 * v, gate);
            put(idt_at + 16 * v + 8, std::uint64_t{0});
        } else {
            put(idt_at + 8 * v, gate);
        }
    }
    if (long_mode) {
        for (unsigned n = 0; n < 10; ++n) put(tss_at + 4 + 8 * n, stack_at - 0x800 * n);
    } else {
        put(tss_at + 4, static_cast<std::uint32_t>(stack_at));
        put(tss_at + 8, data0);
    }
}

// RAM in 4 KB pages; in long mode the two 2 MB above it are one large page, a device.
void flat_machine::fill_page_tables(world w) {
    const auto put_pages = [this](std::uint64_t at, auto entry) {
        for (std::uint64_t n = 0; n < ram_size >> 12; ++n)
            put(at + n * sizeof entry,
                static_cast<decltype(entry)>(n << 12 | present_writable_user));
    };
    const std::uint64_t first = tables_at, second = tables_at + 0x1000;
    if (w == world::paged32) {
        put(first, static_cast<std::uint32_t>(second | present_writable_user));
        put(first + 4, static_cast<std::uint32_t>(0x40'0000 | large_and_rights));
        put_pages(second, std::uint32_t{});
        return;
    }
    const std::uint64_t directory = tables_at + 0x2000, pages = tables_at + 0x3000;
    put(first, second | present_writable_user);
    put(second, directory | (w == world::pae32 ? 1 : present_writable_user));
    put(directory, pages | present_writable_user);
    put(directory + 8, 0x20'0000 | large_and_rights);
    put_pages(pages, std::uint64_t{});
}

segment flat_machine::segment_of(std::uint16_t sel) {
    return loaded_segment(get<std::uint64_t>(gdt_at + (sel & ~7u)), sel);
}

void flat_machine::enter(world w, unsigned cpl) {
    const bool long_mode = w == world::long64;
    std::memset(ram.data(), 0, ram_size);
    fill_descriptors(long_mode);
    reset(c.s);
    enable_caches(c.s);
    c.fault = {};
    c.message.clear();
    c.interrupt_shadow = c.debug_shadow = c.nmi_blocked = c.unusual = false;
    c.delay = c.uncached = c.debug_conditions = 0;
    events = {};
    device_answers = ~0u;
    lines_come_late = false;
    there_.clear();
    now = priority = 0;
    clear_logs();
    state& s = c.s;
    s.eflags = 2;
    s.cpl = static_cast<std::uint8_t>(cpl);
    s.r[rip] = code_at;
    s.r[rsp] = cpl == 0 ? stack_at - 0x100 : stack3_at;
    s.gdtr = {gdt_at, gdt_end - 1};
    if (w == world::real) {
        for (segment& g : s.seg) g = {0, 0x93, 0xffff, 0};
        s.idtr = {0, 0x3ff};
        s.r[rsp] = 0xf000;
    } else {
        s.cr0 = cr0_pe | cr0_et | cr0_ne;
        s.idtr = {idt_at, long_mode ? std::uint16_t{0xfff} : table_limit};
        s.tr = {task, 0x8b, 0xff, tss_at};
        s.ldtr = {local, 0x82, ldt_limit, ldt_at};
        const std::uint16_t rpl = static_cast<std::uint16_t>(cpl);
        const std::uint16_t code = w == world::protected16 ? code16
                                   : w == world::long64    ? (cpl == 3 ? user64 : code64)
                                                           : (cpl == 3 ? user32 : code32);
        const std::uint16_t data = w == world::protected16 ? data16 : cpl == 3 ? data3 : data0;
        for (segment& g : s.seg) g = segment_of(static_cast<std::uint16_t>(data | rpl));
        s.seg[cs] = segment_of(static_cast<std::uint16_t>(code | rpl));
        if (w == world::protected16) s.r[rsp] = 0xf000;
    }
    if (w == world::paged32 || w == world::pae32 || long_mode) {
        fill_page_tables(w);
        s.cr0 |= cr0_pg | cr0_wp;
        s.cr4 = w == world::paged32 ? cr4_pse : cr4_pae;
        s.cr3 = w == world::pae32 ? tables_at + 0x1000 : tables_at;
        if (w == world::pae32) s.pdpte = {(tables_at + 0x2000) | 1, 0, 0, 0};
        if (long_mode) s.efer = efer_lme | efer_lma | efer_sce | efer_nxe;
    }
    c.flush_translations();
    c.update_mode();
}

}  // namespace knc::isa::test
