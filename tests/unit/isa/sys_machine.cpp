#include "sys_machine.h"

namespace knc::isa::test {

sys_machine::sys_machine(profile p) : isa_machine(p, ram_size) {
    device_value = 0;
    reset(c.s);
    // Types: 0xa code that can be read, 2 data that can be written, 0xe conforming code.
    set_descriptor(code64, descriptor_of(0, 0xfffff, 0x9a, 0xa));
    set_descriptor(data0, descriptor_of(0, 0xfffff, 0x92, 0xc));
    set_descriptor(code32, descriptor_of(0, 0xfffff, 0x9a, 0xc));
    set_descriptor(data3, descriptor_of(0, 0xfffff, 0xf2, 0xc));
    set_descriptor(user64, descriptor_of(0, 0xfffff, 0xfa, 0xa));
    set_descriptor(user32, descriptor_of(0, 0xfffff, 0xfa, 0xc));
    set_descriptor(tss, descriptor_of(tss_at, 0x7f, 0x8b, 0));
    set_descriptor(conforming64, descriptor_of(0, 0xfffff, 0x9e, 0xa));
    set_descriptor(conforming32, descriptor_of(0, 0xfffff, 0x9e, 0xc));
}

void sys_machine::set_descriptor(unsigned sel, std::uint64_t value, std::uint64_t high) {
    put(gdt_at + (sel & ~7u), value);
    if (high != 0) put(gdt_at + (sel & ~7u) + 8, high);
}

void sys_machine::set_gate(unsigned vector, std::uint64_t low, std::uint64_t high) {
    if (c.s.long_mode()) {
        put(idt_at + 16 * vector, low);
        put(idt_at + 16 * vector + 8, high);
    } else {
        put(idt_at + 8 * vector, low);
    }
}

segment sys_machine::segment_of(std::uint16_t sel) {
    return loaded_segment(descriptor_at(sel), sel);
}

void sys_machine::enter_long_mode(unsigned cpl) {
    enter_protected_mode(0);
    put<std::uint64_t>(tables_at, (tables_at + 0x1000) | 7);
    put<std::uint64_t>(tables_at + 0x1000, (tables_at + 0x2000) | 7);
    put<std::uint64_t>(tables_at + 0x2000, 0x87);
    put<std::uint64_t>(tables_at + 0x2008, 0x20'0087);
    put<std::uint64_t>(tss_at + 4, stack0_at);
    put<std::uint64_t>(tss_at + 36, ist_at);
    c.s.cr3 = tables_at;
    c.s.cr4 = cr4_pae;
    c.s.efer = efer_lme | efer_lma | efer_sce | efer_nxe;
    c.s.cr0 |= cr0_pg | cr0_wp;
    c.s.idtr = {idt_at, 0xfff};
    c.s.seg[cs] = segment_of(code64);
    c.update_mode();
    c.flush_translations();
    set_cpl(cpl);
}

void sys_machine::enter_protected_mode(unsigned cpl) {
    enter_flat_protected_mode(c.s, code_at);
    c.s.gdtr = {gdt_at, gdt_limit};
    c.s.idtr = {idt_at, 0x7ff};
    c.s.tr = {tss, 0x8b, 0x7f, tss_at};
    c.s.seg[cs] = segment_of(code32);
    c.s.r[rsp] = stack_at;
    put<std::uint32_t>(tss_at + 4, stack0_at);
    put<std::uint16_t>(tss_at + 8, data0);
    c.update_mode();
    c.flush_translations();
    set_cpl(cpl);
}

void sys_machine::enter_real_mode() {
    reset(c.s);
    enable_caches(c.s);
    c.s.seg[cs] = {0, 0x93, 0xffff, 0};
    c.s.r[rip] = code_at;
    c.s.r[rsp] = 0x7000;
    c.update_mode();
    c.flush_translations();
}

void sys_machine::set_cpl(unsigned cpl) {
    if (cpl == 3) {
        c.s.seg[cs] = segment_of(c.s.long_mode() ? user64 : user32);
        for (const unsigned n : {ss, ds, es, fs, gs}) c.s.seg[n] = segment_of(data3);
    }
    c.s.cpl = static_cast<std::uint8_t>(cpl);
    c.update_mode();
}

void sys_machine::prefetch(std::uint64_t paddr, const prefetch_hint& hint, bool cacheable) {
    cache_log.push_back({cache_request::kind::prefetch, paddr, hint, cacheable});
}
status sys_machine::evict(std::uint64_t paddr, cache_level level) {
    if (cache_blocks > 0) {
        --cache_blocks;
        return status::blocked;
    }
    cache_log.push_back({cache_request::kind::evict, paddr, {level, false, false}, false});
    return status::ok;
}
status sys_machine::flush_caches() {
    if (cache_blocks > 0) {
        --cache_blocks;
        return status::blocked;
    }
    cache_log.push_back({cache_request::kind::flush});
    return status::ok;
}

}  // namespace knc::isa::test
