#include <knc/isa/fast_call.h>

#include <knc/isa/paging.h>

namespace knc::isa {
namespace {

// The attributes that the two instructions give CS and SS without reading a descriptor: present,
// limit in pages, accessed; 64-bit execute/read code, 32-bit read/write data.
constexpr std::uint16_t code_attributes = 0xa09b, stack_attributes = 0xc093;
constexpr std::uint64_t returned_flags = 0x3c7fd7;

void load_fixed_segments(context& c, std::uint16_t code, std::uint16_t stack, std::uint8_t cpl) {
    const auto dpl = static_cast<std::uint16_t>(cpl << 5);
    c.s.seg[cs] = {code, static_cast<std::uint16_t>(code_attributes | dpl), 0xffff'ffff, 0};
    c.s.seg[ss] = {stack, static_cast<std::uint16_t>(stack_attributes | dpl), 0xffff'ffff, 0};
    c.s.cpl = cpl;
    c.update_mode();
}

bool available(const context& c) {
    return (c.s.efer & efer_sce) != 0;
}

}  // namespace

status system_call(context& c) {
    if (!available(c)) return c.ud();
    const std::uint64_t flags = c.s.rflags();
    c.s.r[rcx] = c.s.r[rip];
    c.s.r[r11] = flags;
    c.s.r[rip] = c.s.lstar;
    c.s.set_rflags(flags & ~(c.s.sfmask | flag_rf));
    const auto selector = static_cast<std::uint16_t>(c.s.star >> 32 & 0xfffc);
    load_fixed_segments(c, selector, static_cast<std::uint16_t>(selector + 8), 0);
    return status::ok;
}

status system_return(context& c, bool wide) {
    if (!available(c)) return c.ud();
    if (c.s.cpl != 0) return c.gp();
    const auto base = static_cast<std::uint16_t>(c.s.star >> 48);
    if (!wide) return c.gp(base & 0xfffcu);
    if (!canonical(c.s.r[rcx])) return c.gp();
    c.s.r[rip] = c.s.r[rcx];
    c.s.set_rflags(c.s.r[r11] & returned_flags);
    load_fixed_segments(c, static_cast<std::uint16_t>((base + 16) | 3),
                        static_cast<std::uint16_t>((base + 8) | 3), 3);
    return status::ok;
}

}  // namespace knc::isa
