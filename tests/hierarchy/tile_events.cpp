// Events of prefetches and of fills: what their counts must be, or how far they may go, by what was
// asked of the caches and what came from outside.
#include <initializer_list>

#include <fmt/format.h>

#include "tile.h"

namespace knc::test {

void tile::prefetch(unsigned index) {
    const access& a = threads_[index].now;
    const auto kind = a.hint.to_l1     ? a.hint.counted ? tally::vprefetch0 : tally::vprefetchnta
                      : a.hint.counted ? tally::vprefetch1
                                       : tally::vprefetch2;
    ++tally_.prefetches[kind][a.cacheable];
    const std::uint64_t reads = read_requests_, writes = write_requests_;
    l1d_.prefetch(index, a.paddr / coherence::line_bytes, a.hint, a.cacheable, now_);
    tally_.read_by_prefetch += read_requests_ - reads;
    if (kind == tally::vprefetch2)
        tally_.by_vprefetch2 += read_requests_ - reads + write_requests_ - writes;
}

void tile::receive(const coherence::message& m, base::cycle_t clock) {
    using kind = coherence::message_kind;
    const bool from_l3 = m.kind >= kind::l3_data_s && m.kind <= kind::l3_data_m;
    if (from_l3 || m.kind == kind::data_s || m.kind == kind::data_e || m.kind == kind::data_m) {
        const bool of_memory = coherence::source_of(m) == coherence::fill_source::memory;
        ++(of_memory ? tally_.from_memory : tally_.from_tiles);
        tally_.to_write += m.kind == kind::data_m || m.kind == kind::l3_data_m;
    }
    caches_.receive(m, clock);
}

std::string tile::wrong_counts(bool streams) const {
    const auto count = [this](std::initializer_list<base::event> events) {
        std::uint64_t n = 0;
        for (unsigned t = 0; t < threads; ++t)
            for (const base::event e : events) n += ledger_.total(t, e);
        return n;
    };
    std::string wrong;
    const auto expect = [&](const char* what, std::uint64_t n, std::uint64_t least,
                            std::uint64_t most) {
        if (n >= least && n <= most) return;
        wrong += fmt::format("tile {}: {} {}, not {} to {}; ", number_, what, n, least, most);
    };
    const auto& p = tally_.prefetches;
    const auto both = [](const std::array<std::uint64_t, 2>& n) { return n[0] + n[1]; };

    const std::uint64_t pf0 = both(p[tally::vprefetch0]), pf1 = both(p[tally::vprefetch1]);
    expect("VPREFETCH0", count({base::l1_data_pf1}), pf0, pf0);
    expect("VPREFETCH1", count({base::l1_data_pf2}), pf1, pf1);
    const std::uint64_t pf0_missed = count({base::l1_data_pf1_miss});
    const std::uint64_t seen_by_l2 = count({base::l2_data_pf2});
    const std::uint64_t pf1_missed = count({base::l2_data_pf2_miss});
    expect("missed VPREFETCH0", pf0_missed, 0, p[tally::vprefetch0][1]);
    expect("VPREFETCH1 at the L2", seen_by_l2, pf1_missed, p[tally::vprefetch1][1]);
    // Whatever may not be cached, and what misses the L2, which has what the L1 has.
    expect("dropped by the core", count({base::l1_data_pf1_drop}),
           p[tally::vprefetch0][0] + p[tally::vprefetch1][0] + pf1_missed, pf0 + pf1);
    expect("dropped by the L2", count({base::l2_data_pf2_drop}), tally_.by_vprefetch2,
           seen_by_l2 - pf1_missed + p[tally::vprefetch2][1]);

    // Each line that came is one fill, unless the stream prefetcher has asked for it.
    const std::uint64_t from_memory =
        count({base::l2_data_read_miss_mem_fill, base::l2_data_write_miss_mem_fill,
               base::l2_code_read_miss_mem_fill});
    const std::uint64_t from_tiles =
        count({base::l2_data_read_miss_cache_fill, base::l2_data_write_miss_cache_fill,
               base::l2_code_read_miss_cache_fill});
    const std::uint64_t to_write =
        count({base::l2_data_write_miss_mem_fill, base::l2_data_write_miss_cache_fill});
    const std::uint64_t by_streams = ledger_.total(0, base::hwp_l2miss);
    const auto less = [](std::uint64_t n, std::uint64_t m) { return n > m ? n - m : 0; };
    expect("fills from memory", from_memory, less(tally_.from_memory, by_streams),
           tally_.from_memory);
    expect("fills from tiles", from_tiles, less(tally_.from_tiles, by_streams), tally_.from_tiles);
    // What a prefetch asks for to be read a store may take over.
    expect("fills to write", to_write, less(tally_.to_write, by_streams),
           tally_.to_write + tally_.read_by_prefetch + by_streams);
    if (!streams && by_streams != 0) wrong += "streams without a prefetcher; ";
    return wrong;
}

}  // namespace knc::test
