#include <knc/cache/parameters.h>

#include <algorithm>

#include <fmt/format.h>

#include <knc/base/address_map.h>
#include <knc/cache/l3_parameters.h>

namespace knc::cache {

namespace {

constexpr std::uint32_t line_bytes = base::line_bytes;
// A set must have room for the lines that an instruction needs at a time.
constexpr std::uint32_t fewest_ways = 2, most_ways = 32;

bool power_of_two(std::uint64_t n) {
    return n != 0 && (n & (n - 1)) == 0;
}

std::string impossible(const char* name, const geometry& g) {
    if (g.ways < fewest_ways || g.ways > most_ways)
        return fmt::format("{}.ways: {} to {}", name, fewest_ways, most_ways);
    if (g.bytes % (line_bytes * g.ways) != 0 || !power_of_two(g.bytes / line_bytes / g.ways))
        return fmt::format("{}.bytes: a power of two of sets of {} lines of {} bytes", name, g.ways,
                           line_bytes);
    if (g.policy == replacement::tree_plru && !power_of_two(g.ways))
        return fmt::format("{}.replacement: tree_plru needs a power of two of ways", name);
    return {};
}

}  // namespace

std::string impossible(const parameters& p) {
    for (const auto& [name, g] :
         {std::pair{"l1d", &p.l1d}, std::pair{"l1i", &p.l1i}, std::pair{"l2", &p.l2}}) {
        std::string why = impossible(name, *g);
        if (!why.empty()) return why;
    }
    if (least_send_cycles(p) == 0) return "request_cycles and reply_cycles: 1 and up";
    if (p.mshrs == 0 || p.victims == 0) return "mshrs and victims: 1 and up";
    if (p.pin_cycles == 0) return "pin_cycles: 1 and up";
    return {};
}

std::string impossible(const l3_parameters& p) {
    if (!p.exists()) return {};
    std::string why = impossible("l3", p.slice);
    if (!why.empty()) return why;
    if (p.cycles == 0 || p.forward_cycles == 0 || p.interval == 0)
        return "cycles, forward_cycles and interval: 1 and up";
    if (p.monitored == 0 || p.monitored > 1024) return "monitored: 1 to 1024";
    return {};
}

void set_bounds(const parameters& p, base::event_bounds& b) {
    // Lookups of the L2 in one cycle: one for each store that leaves a buffer, plus those of the
    // instruction that issues (its data, its code) and those that the cycle's messages cause.
    constexpr std::uint32_t others = 64;
    const auto threads = static_cast<std::uint32_t>(base::threads_per_core);
    const std::uint32_t lookups = threads * p.store_buffer + others;
    // The stream prefetcher may request this many lines per miss.
    b[base::hwp_l2hit] = b[base::hwp_l2miss] = lookups * p.prefetch.distance;
    // WBINVD evicts at most as many lines at a time as the victim buffer holds.
    b[base::data_cache_lines_written_back] = lookups + p.victims;
}

std::uint32_t least_send_cycles(const parameters& p) {
    return std::min(p.request_cycles, p.reply_cycles);
}

}  // namespace knc::cache
