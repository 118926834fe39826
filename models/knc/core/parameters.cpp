#include <knc/core/parameters.h>

#include <fmt/format.h>

#include <knc/base/event.h>

namespace knc::core {
namespace {

bool power_of_two(std::uint32_t n) {
    return n != 0 && (n & (n - 1)) == 0;
}

std::string impossible_array(const char* name, std::uint32_t entries, std::uint32_t ways) {
    if (power_of_two(entries) && power_of_two(ways) && ways <= entries) return "";
    return fmt::format(
        "{}: {} entries, {} ways: powers of two are wanted, not more ways than entries", name,
        entries, ways);
}

}  // namespace

std::string impossible(const parameters& p) {
    const struct {
        const char* name;
        std::uint32_t value;
    } at_least_one[] = {
        {"issue_interval", p.issue_interval},
        {"event_entry_cycles", p.event_entry_cycles},
        {"agi_cycles", p.agi_cycles},
        {"pebs_cycles", p.pebs_cycles},
        {"vector_convert_cycles", p.vector_convert_cycles},
        {"banks", p.banks},
        {"bank_bytes", p.bank_bytes},
        {"branch.unconditional_cycles", p.branch.unconditional_cycles},
        {"branch.conditional_cycles_u", p.branch.conditional_cycles_u},
        {"branch.conditional_cycles_v", p.branch.conditional_cycles_v},
    };
    for (const auto& n : at_least_one)
        if (n.value == 0) return fmt::format("{}: 0", n.name);
    if (p.threads < 1 || p.threads > base::threads_per_core)
        return fmt::format("threads: {}: 1 to {} are wanted", p.threads, base::threads_per_core);
    if (p.pentium && p.threads != 1) return "threads: a Pentium has one";
    if (!power_of_two(p.fetch_bytes))
        return fmt::format("fetch_bytes: {}: a power of two is wanted", p.fetch_bytes);
    constexpr std::uint32_t address_bits = 64;
    if (p.branch.set_shift >= address_bits)
        return fmt::format("branch.set_shift: {}: an address has {} bits", p.branch.set_shift,
                           address_bits);
    const struct {
        const char* name;
        tlb_geometry geometry;
    } arrays[] = {
        {"branch", {p.branch.entries, p.branch.ways}},
        {"tlb.data_4k", p.tlb.data_4k},
        {"tlb.data_64k", p.tlb.data_64k},
        {"tlb.data_2m", p.tlb.data_2m},
        {"tlb.code", p.tlb.code},
        {"tlb.second", p.tlb.second},
    };
    for (const auto& a : arrays) {
        const std::string why = impossible_array(a.name, a.geometry.entries, a.geometry.ways);
        if (!why.empty()) return why;
    }
    return "";
}

}  // namespace knc::core
