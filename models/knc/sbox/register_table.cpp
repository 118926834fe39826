#include <knc/sbox/register_table.h>

#include <fmt/format.h>

namespace knc::sbox {

place find_register(std::uint32_t offset) {
    for (const register_info& r : register_table) {
        if (offset < r.offset) continue;
        const std::uint32_t distance = offset - r.offset;
        if (distance % r.stride == 0 && distance / r.stride < r.count)
            return {&r, distance / r.stride};
    }
    return {};
}

namespace {

std::string offset_text(const register_info& r) {
    const bool dbox = r.offset < sbox_base;
    std::string text =
        fmt::format("{} 0x{:04X}", dbox ? "DBOX" : "SBOX", r.offset - (dbox ? 0 : sbox_base));
    if (r.count > 1) text += fmt::format(" + {}n", r.stride);
    return text;
}

std::string reset_text(const register_info& r, const identity& card) {
    if (r.reset == reset_to::window) return "4n";
    if (r.reset == scratchpad) return "below";
    return fmt::format("0x{:08X}", r.reset(card, 0));
}

}  // namespace

std::string register_page() {
    const identity card;
    std::string text =
        "| offset | register | n | reset on a 3120A | writable | meaning |\n"
        "|---|---|---|---|---|---|\n";
    for (const register_info& r : register_table)
        text += fmt::format("| {} | {} | {} | {} | 0x{:08X} | {} |\n", offset_text(r), r.name,
                            r.count, reset_text(r, card), r.writable, r.meaning);
    text += "\n| scratchpad | on a 3120A |\n|---|---|\n";
    for (unsigned n = 0; n < 16; ++n)
        if (const std::uint32_t value = scratchpad(card, n))
            text += fmt::format("| {} | 0x{:08X} |\n", n, value);
    return text;
}

}  // namespace knc::sbox
