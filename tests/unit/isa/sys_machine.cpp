#include "sys_machine.h"

#include <knc/isa/decoder.h>
#include <knc/isa/segmentation.h>

namespace knc::isa::test {

std::uint64_t descriptor_of(std::uint32_t base, std::uint32_t limit, unsigned access,
                            unsigned flags) {
    return (std::uint64_t{limit} & 0xffff) | (std::uint64_t{base} & 0xff'ffff) << 16 |
           std::uint64_t{access} << 40 | (std::uint64_t{limit} >> 16 & 15) << 48 |
           std::uint64_t{flags} << 52 | (std::uint64_t{base} >> 24) << 56;
}

std::uint64_t gate_of(unsigned type, unsigned dpl, std::uint16_t selector, std::uint64_t offset,
                      unsigned ist) {
    return (offset & 0xffff) | std::uint64_t{selector} << 16 | std::uint64_t{ist} << 32 |
           std::uint64_t{0x80 | dpl << 5 | type} << 40 | (offset >> 16 & 0xffff) << 48;
}

sys_machine::sys_machine(profile p) : c(*this, p), ram_(ram_size) {
    reset(c.s);
    c.count_in(events);
    // Access byte: present, DPL, S, type (A = 1010 code read, 2 data write, E conforming code);
    // flags: G = 8, D/B = 4, L = 2.
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
    descriptor d;
    d.low = descriptor_at(sel) | std::uint64_t{1} << 40;
    return d.as_segment(sel);
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

status sys_machine::run(std::initializer_list<std::uint8_t> bytes) {
    insn i;
    if (decode(c.instruction_set, c.s.mode, bytes.begin(), static_cast<unsigned>(bytes.size()),
               i) != decode_result::ok) {
        return c.unsupported("the bytes end inside the instruction");
    }
    const std::uint64_t start = c.s.r[rip];
    c.s.r[rip] = (start + i.length) & c.ip_mask;
    const status r = i.execute(c, i);
    if (r != status::ok) c.s.r[rip] = start;
    return r;
}

std::uint32_t sys_machine::flags_of(std::initializer_list<std::uint8_t> bytes) {
    insn i;
    decode(c.instruction_set, c.s.mode, bytes.begin(), static_cast<unsigned>(bytes.size()), i);
    return i.flags;
}

std::uint8_t* sys_machine::page(std::uint64_t paddr) {
    return paddr < ram_size ? ram_.data() + (paddr & ~std::uint64_t{0xfff}) : nullptr;
}

status sys_machine::line(std::uint64_t paddr, access_kind kind, std::uint8_t*& host) {
    if (line_blocks > 0) {
        --line_blocks;
        return status::blocked;
    }
    return environment::line(paddr, kind, host);
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

status sys_machine::log(std::vector<device_access>& accesses, std::uint64_t at, unsigned size,
                        void* read, const void* written) {
    if (device_blocks > 0) {
        --device_blocks;
        return status::blocked;
    }
    std::uint64_t value = 0;
    if (read != nullptr) std::memcpy(read, &device_value, size);
    if (written != nullptr) std::memcpy(&value, written, size);
    accesses.push_back({written != nullptr, at, size, value});
    return status::ok;
}

status sys_machine::read_device(std::uint64_t paddr, unsigned size, void* data) {
    return log(device_log, paddr, size, data, nullptr);
}
status sys_machine::write_device(std::uint64_t paddr, unsigned size, const void* data) {
    return log(device_log, paddr, size, nullptr, data);
}
status sys_machine::read_port(std::uint16_t port, unsigned size, void* data) {
    return log(port_log, port, size, data, nullptr);
}
status sys_machine::write_port(std::uint16_t port, unsigned size, const void* data) {
    return log(port_log, port, size, nullptr, data);
}

bool sys_machine::read_msr(std::uint32_t number, std::uint64_t& value) {
    const auto found = msrs.find(number);
    if (found == msrs.end()) return false;
    value = found->second;
    return true;
}

bool sys_machine::write_msr(std::uint32_t number, std::uint64_t value) {
    const auto found = msrs.find(number);
    if (found == msrs.end()) return false;
    found->second = value;
    return true;
}

bool sys_machine::rdpmc(std::uint32_t index, std::uint64_t& value) {
    value = 0x12'3456'7890 + index;
    return index < 2;
}

}  // namespace knc::isa::test
