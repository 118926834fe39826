#include <knc/isa/virtual_interrupts.h>

#include <knc/isa/far_transfer.h>
#include <knc/isa/stack.h>
#include <knc/isa/system_flags.h>

namespace knc::isa {

bool has_virtual_interrupts(const context& c) {
    if (c.s.cpl != 3 || iopl(c.s) == 3) return false;
    return (c.s.cr4 & (c.s.virtual_8086() ? cr4_vme : cr4_pvi)) != 0;
}

status clear_virtual_interrupts(context& c) {
    c.s.eflags &= ~flag_vif;
    return status::ok;
}

status set_virtual_interrupts(context& c) {
    if ((c.s.eflags & flag_vip) != 0) return c.gp();
    c.s.eflags |= flag_vif;
    return status::ok;
}

std::uint16_t flags_with_virtual(const state& s) {
    const auto flags = static_cast<std::uint32_t>(s.rflags()) & ~flag_if;
    return static_cast<std::uint16_t>(flags | flag_iopl |
                                      ((s.eflags & flag_vif) != 0 ? flag_if : 0u));
}

bool load_virtual_flag(context& c, std::uint16_t image) {
    const bool pending = (c.s.eflags & flag_vip) != 0;
    if ((pending && (image & flag_if) != 0) || (image & flag_tf) != 0) {
        c.failure = c.gp();
        return false;
    }
    c.s.eflags = (image & flag_if) != 0 ? c.s.eflags | flag_vif : c.s.eflags & ~flag_vif;
    return true;
}

// The bitmap of 32 bytes ends where the I/O permission bitmap begins.
interrupt_goes redirection(context& c, std::uint8_t vector) {
    constexpr unsigned map_base_field = 102, bitmap_bytes = 32, busy_tss32 = 11;
    if ((c.s.cr4 & cr4_vme) == 0 || c.s.tr.type() != busy_tss32 || c.s.tr.limit <= map_base_field)
        return interrupt_goes::to_monitor;
    std::uint16_t map_base = 0;
    if (!c.read_system(c.s.tr.base + map_base_field, sizeof map_base, &map_base))
        return interrupt_goes::nowhere;
    if (map_base < bitmap_bytes || map_base - 1u > c.s.tr.limit) return interrupt_goes::to_monitor;
    std::uint8_t bits = 0;
    if (!c.read_system(c.s.tr.base + map_base - bitmap_bytes + vector / 8u, sizeof bits, &bits))
        return interrupt_goes::nowhere;
    return (bits >> vector % 8 & 1) != 0 ? interrupt_goes::to_monitor : interrupt_goes::to_program;
}

status enter_8086_handler(context& c, std::uint8_t vector) {
    const bool is_virtual = iopl(c.s) < 3;
    std::uint16_t entry[2];  // IP, CS
    if (!c.read_system(vector * sizeof entry, sizeof entry, entry)) return c.failure;
    // The words of the frame must all have room before the first is written.
    const std::uint16_t frame[] = {
        is_virtual ? flags_with_virtual(c.s) : static_cast<std::uint16_t>(c.s.rflags()),
        c.s.seg[cs].selector, static_cast<std::uint16_t>(c.s.r[rip])};
    for (unsigned n = 1; n <= 3; ++n)
        if (!c.check_write(ss, (c.s.r[rsp] - 2 * n) & 0xffff, 2)) return c.failure;
    for (const std::uint16_t word : frame)
        if (!push<std::uint16_t, false>(c, word)) return c.failure;
    c.s.eflags &= ~(flag_tf | flag_rf | (is_virtual ? flag_vif : flag_if));
    enter_real_mode_code(c, entry[1], entry[0]);
    return status::ok;
}

}  // namespace knc::isa
