#include <platform/page_ring.h>

#include <knc/monitor/metric.h>
#include <knc/monitor/rows.h>

#include <platform/page_text.h>

namespace platform {

namespace monitor = knc::monitor;

std::uint64_t link_messages(const knc::card::ring_counts& r, unsigned from,
                            knc::ring::direction way, unsigned channel) {
    const auto& t = r.stops[from].traffic[channel][static_cast<std::size_t>(way)];
    return t.injected + t.passed;
}

double link_load(const report& r, unsigned from, knc::ring::direction way, unsigned channel) {
    // A slot of each parallel ring passes a stop in each clock.
    return percent_of(static_cast<double>(link_messages(r.ring, from, way, channel)),
                      static_cast<double>(r.cycles * r.ring.parallel[channel]));
}

std::vector<tile_values> values_of_tiles(const report& r) {
    std::vector<tile_values> all;
    const phase& whole = r.phases.front();
    for (const char* name : {"EXEC", "CPI", "L1MISS", "L2MISS", "REMOTE", "MEMFILL"}) {
        tile_values v{{}, true, {}};
        for (unsigned c = 0; c < r.shape.tiles; ++c) {
            const monitor::row row = monitor::core_row(r.shape, whole.before, whole.after, c);
            const monitor::metric& m = *monitor::find_metric(name, row);
            v.name = m.meaning;
            v.values.push_back(m.value(row, r.shape.clock_hz).value_or(0));
        }
        all.push_back(std::move(v));
    }
    tile_values lookups{"messages to its slice of the directory", false, {}};
    lookups.values.resize(r.shape.tiles);
    for (const auto& s : r.ring.stops)
        if (s.at.what == knc::ring::agent::tile)
            lookups.values[s.at.number] = static_cast<double>(s.lookups);
    all.push_back(std::move(lookups));
    return all;
}

rate memory_rate(const report& r, unsigned controller) {
    const auto& c = r.phases.front().after.controllers[controller];
    const double lines = r.simulated_seconds > 0 ? 64e-9 / r.simulated_seconds : 0;
    return {static_cast<double>(c.reads) * lines, static_cast<double>(c.writes) * lines};
}

}  // namespace platform
