#include <knc/isa/state.h>

#include <knc/base/address_map.h>
#include <knc/isa/memory_type.h>
#include <knc/isa/msr.h>

namespace knc::isa {
namespace {

constexpr std::uint16_t data_writable = 0x93;  // present, data, read/write, accessed
constexpr std::uint16_t flat_data = 0xc093;    // ... 32-bit, limit in pages
constexpr std::uint16_t flat_code = 0xc09b;    // present, code, execute/read, accessed
constexpr std::uint16_t long_code = 0xa09b;    // the same, 64-bit
constexpr std::uint16_t ldt = 0x82, busy_tss = 0x8b;

}  // namespace

void reset(state& s, std::uint32_t signature) {
    s = state{};
    for (const msr_row& m : msrs())
        if (m.of != nullptr) m.of(s) = m.reset();
    s.r[rdx] = signature;
    s.r[rip] = 0xfff0;
    for (segment& g : s.seg) g = {0, data_writable, 0xffff, 0};
    s.seg[cs] = {0xf000, data_writable, 0xffff, 0xffff'0000};
    s.ldtr = {0, ldt, 0xffff, 0};
    s.tr = {0, busy_tss, 0xffff, 0};
}

void init(state& s, std::uint32_t signature) {
    state before = s;
    reset(s, signature);
    constexpr std::uint64_t cache_control = cr0_cd | cr0_nw;
    s.cr0 = (s.cr0 & ~cache_control) | (before.cr0 & cache_control);
    s.x87 = before.x87;
    s.mxcsr = before.mxcsr;
    for (const msr_row& m : msrs())
        if (m.of != nullptr && m.kept_by_init) m.of(s) = m.of(before);
}

void enable_caches(state& s) {
    // Two naturally aligned blocks cover the hole: 2 MB from 0xFEE00000 and 16 MB from 0xFF000000.
    constexpr std::uint64_t blocks[][2] = {{base::hole_start, 2 << 20},
                                           {base::hole_end - (16 << 20), 16 << 20}};
    unsigned n = 0;
    for (const auto& [base, size] : blocks) {
        s.memory_types.base[n] = base | static_cast<std::uint64_t>(memory_type::uncacheable);
        s.memory_types.mask[n] = range_mask(size) | range_valid;
        ++n;
    }
    s.memory_types.default_type =
        ranges_enabled | static_cast<std::uint64_t>(memory_type::write_back);
    s.cr0 &= ~(cr0_cd | cr0_nw);
}

void enter(state& s, const entry_point& e, std::uint32_t signature) {
    reset(s, signature);
    s.cr0 = cr0_pe | cr0_et;
    enable_caches(s);
    const bool long_mode = e.page_tables != 0;
    for (segment& g : s.seg) g = {e.data_selector, flat_data, 0xffff'ffff, 0};
    s.seg[cs] = {e.code_selector, long_mode ? long_code : flat_code, 0xffff'ffff, 0};
    s.gdtr = e.gdt;
    if (long_mode) {
        s.cr4 |= cr4_pae;
        s.efer |= efer_lme | efer_lma;
        s.cr3 = e.page_tables;
        s.cr0 |= cr0_pg;
    }
    s.r[rax] = e.rax;
    s.r[rbx] = e.rbx;
    s.r[rsi] = e.rsi;
    s.r[rip] = e.rip;
}

void enter_flat_protected_mode(state& s, std::uint32_t eip, std::uint32_t signature) {
    enter(s, {eip}, signature);
}

}  // namespace knc::isa
