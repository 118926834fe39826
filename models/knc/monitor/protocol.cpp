#include <knc/monitor/protocol.h>

namespace knc::monitor {

namespace {

constexpr std::uint64_t most_tiles = 1024, most_controllers = 1024, most_ids = 1024;
constexpr std::size_t event_words = (base::cell_count + 63) / 64;
constexpr std::size_t first_event_word = 11, shape_words = first_event_word + event_words;

std::size_t thread_words(const platform_shape& p) {
    return p.events.count() + 4;
}
std::size_t snapshot_words(const platform_shape& p) {
    return 4 + std::size_t{2} * p.controllers + p.bandwidth_ids + thread_words(p) * p.threads();
}

}  // namespace

words encode(const platform_shape& p) {
    words w{protocol_version,
            base::cell_count,
            p.tiles,
            p.controllers,
            p.clock_hz,
            p.ring_slots,
            static_cast<std::uint64_t>(p.registers),
            p.threads_per_core,
            p.l3_lines,
            p.bandwidth_ids,
            p.bus ? 1U : 0U};
    w.resize(shape_words);
    for (std::size_t e = 0; e < base::cell_count; ++e)
        w[first_event_word + e / 64] |= std::uint64_t{p.events[e]} << e % 64;
    return w;
}

std::optional<platform_shape> decode_shape(const words& w) {
    if (w.size() != shape_words || w[0] != protocol_version || w[1] != base::cell_count ||
        w[2] > most_tiles || w[3] > most_controllers || w[4] == 0 ||
        w[6] > static_cast<std::uint64_t>(pmu::front_end_kind::p55c) || w[7] == 0 ||
        w[7] > base::threads_per_core || w[9] > most_ids)
        return {};
    platform_shape p{static_cast<unsigned>(w[2]),
                     static_cast<unsigned>(w[3]),
                     w[4],
                     w[5],
                     static_cast<pmu::front_end_kind>(w[6]),
                     static_cast<unsigned>(w[7]),
                     {},
                     w[8],
                     static_cast<std::uint32_t>(w[9]),
                     w[10] != 0};
    for (std::size_t e = 0; e < base::cell_count; ++e)
        p.events[e] = (w[first_event_word + e / 64] >> e % 64 & 1) != 0;
    return p;
}

words encode(const snapshot& s, const platform_shape& p) {
    words w{s.cycle, s.ring_busy, s.bus.reads, s.bus.writes};
    w.reserve(snapshot_words(p));
    for (const controller_counts& c : s.controllers) w.insert(w.end(), {c.reads, c.writes});
    w.insert(w.end(), s.traffic.begin(), s.traffic.end());
    for (const thread_counts& t : s.threads) {
        for (std::size_t e = 0; e < base::cell_count; ++e)
            if (p.events[e]) w.push_back(t.events[e]);
        w.insert(w.end(), {t.awake, t.rmid, t.l3_lines, t.online ? 1U : 0U});
    }
    return w;
}

std::optional<snapshot> decode_snapshot(const words& w, const platform_shape& p, bool ended) {
    if (w.size() != snapshot_words(p)) return {};
    snapshot s = start_of(p);
    auto next = w.begin();
    s.cycle = *next++;
    s.ring_busy = *next++;
    s.bus.reads = *next++;
    s.bus.writes = *next++;
    s.ended = ended;
    for (controller_counts& c : s.controllers) {
        c.reads = *next++;
        c.writes = *next++;
    }
    for (std::uint64_t& t : s.traffic) t = *next++;
    for (thread_counts& t : s.threads) {
        for (std::size_t e = 0; e < base::cell_count; ++e)
            if (p.events[e]) t.events[e] = *next++;
        t.awake = *next++;
        t.rmid = *next++;
        t.l3_lines = *next++;
        t.online = *next++ != 0;
    }
    return s;
}

}  // namespace knc::monitor
