#include <knc/monitor/protocol.h>

namespace knc::monitor {

namespace {

constexpr std::size_t thread_words = base::event_count + 2;
constexpr std::uint64_t most_tiles = 1024, most_controllers = 1024;

std::size_t snapshot_words(const platform_shape& p) {
    return 2 + std::size_t{2} * p.controllers + thread_words * p.threads();
}

}  // namespace

words encode(const platform_shape& p) {
    return {protocol_version, base::event_count, p.tiles, p.controllers, p.clock_hz, p.ring_slots};
}

std::optional<platform_shape> decode_shape(const words& w) {
    if (w.size() != 6 || w[0] != protocol_version || w[1] != base::event_count ||
        w[2] > most_tiles || w[3] > most_controllers || w[4] == 0)
        return {};
    return platform_shape{static_cast<unsigned>(w[2]), static_cast<unsigned>(w[3]), w[4], w[5]};
}

words encode(const snapshot& s) {
    words w{s.cycle, s.ring_busy};
    w.reserve(2 + 2 * s.controllers.size() + thread_words * s.threads.size());
    for (const controller_counts& c : s.controllers) w.insert(w.end(), {c.reads, c.writes});
    for (const thread_counts& t : s.threads) {
        w.insert(w.end(), t.events.begin(), t.events.begin() + base::event_count);
        w.insert(w.end(), {t.awake, t.online ? 1U : 0U});
    }
    return w;
}

std::optional<snapshot> decode_snapshot(const words& w, const platform_shape& p, bool ended) {
    if (w.size() != snapshot_words(p)) return {};
    snapshot s = start_of(p);
    auto next = w.begin();
    s.cycle = *next++;
    s.ring_busy = *next++;
    s.ended = ended;
    for (controller_counts& c : s.controllers) {
        c.reads = *next++;
        c.writes = *next++;
    }
    for (thread_counts& t : s.threads) {
        for (std::size_t e = 0; e < base::event_count; ++e) t.events[e] = *next++;
        t.awake = *next++;
        t.online = *next++ != 0;
    }
    return s;
}

}  // namespace knc::monitor
