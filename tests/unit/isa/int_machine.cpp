#include "int_machine.h"

namespace knc::isa::test {
namespace {

constexpr std::uint64_t pml4_at = 0x1000, pdpt_at = 0x2000, directory_at = 0x3000;
constexpr std::uint64_t present_writable_user = 7, large = 0x80;
constexpr std::uint16_t code64 = 0xa09b, code32 = 0xc09b, data32 = 0xc093, data16 = 0x0093;

}  // namespace

int_machine::int_machine(code_mode m, profile p) : isa_machine(p, low_ram) {
    reset(c.s);
    enable_caches(c.s);
    c.s.eflags = 2;
    for (segment& g : c.s.seg) g = {0x10, data32, 0xffff'ffff, 0};
    if (m == code_mode::bits16) {
        for (segment& g : c.s.seg) g = {0, data16, 0xffff, 0};
    } else if (m == code_mode::bits32) {
        c.s.cr0 |= cr0_pe;
        c.s.seg[cs] = {0x08, code32, 0xffff'ffff, 0};
    } else {
        map_first_gigabyte();
        c.s.cr0 |= cr0_pe | cr0_pg;
        c.s.cr4 = cr4_pae;
        c.s.cr3 = pml4_at;
        c.s.efer = efer_lme | efer_lma;
        c.s.seg[cs] = {0x08, code64, 0xffff'ffff, 0};
    }
    c.s.r[rip] = code_at;
    c.s.r[rsp] = m == code_mode::bits16 ? 0xf000 : stack_at;
    c.flush_translations();
    c.update_mode();
}

void int_machine::user(unsigned cpl) {
    c.s.cpl = static_cast<std::uint8_t>(cpl);
    c.update_mode();
}

void int_machine::map_first_gigabyte() {
    put<std::uint64_t>(pml4_at, pdpt_at | present_writable_user);
    put<std::uint64_t>(pdpt_at, directory_at | present_writable_user);
    for (std::uint64_t n = 0; n < 512; ++n)
        put<std::uint64_t>(directory_at + 8 * n, n << 21 | large | present_writable_user);
}

}  // namespace knc::isa::test
