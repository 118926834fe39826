#include <knc/card/snapshot.h>

#include <knc/base/address_map.h>
#include <knc/card/cmt.h>
#include <knc/pmu/own_events.h>

namespace knc::card {

std::bitset<base::cell_count> counted_events(const parameters& p) {
    std::bitset<base::cell_count> events;
    if (p.pmu.front_end != pmu::front_end_kind::p55c)
        events = monitor::platform_shape::knc_events();
    else
        events.set(base::cpu_clk_unhalted);  // those of its thread
    for (const pmu::own_event& e : pmu::own_events(p.pmu.front_end, p.pmu.perfmon.l3))
        events.set(e.cell);
    return events;
}

std::uint64_t monitored_lines(const parameters& p) {
    return p.monitored() ? p.tiles * std::uint64_t{p.uncore.l3.slice.bytes} / base::line_bytes : 0;
}

std::uint32_t bandwidth_ids(const parameters& p) {
    return p.monitored() && p.cmt.bandwidth ? monitoring_of(p).l3_rmids : 0;
}

monitor::platform_shape shape_of(const card& c) {
    const network_counts n = c.carried();
    return {static_cast<unsigned>(c.tiles()),
            static_cast<unsigned>(n.controllers.size()),
            c.config().clock_hz,
            n.slots,
            c.config().pmu.front_end,
            c.config().core.threads,
            counted_events(c.config()),
            monitored_lines(c.config()),
            bandwidth_ids(c.config()),
            c.config().on_bus()};
}

monitor::snapshot snapshot_of(const card& c) {
    const network_counts n = c.carried();
    monitor::snapshot s;
    s.cycle = c.now();
    s.ended = c.result().reason != stop_reason::none;
    s.ring_busy = n.busy_cycles;
    for (const auto& t : n.controllers) s.controllers.push_back({t.reads, t.writes});
    for (std::uint32_t id = 0; id < bandwidth_ids(c.config()); ++id) {
        const cache::l3_usage u = c.cache_monitor()->usage(id);
        s.traffic.push_back(u.fetched + u.written);
    }
    if (const pentium::bus* const b = c[0].front_side_bus(); b != nullptr)
        s.bus = {b->reads(), b->writes()};
    for (std::size_t i = 0; i < c.tiles(); ++i) {
        const core::core& cpu = c[i].cpu();
        for (std::size_t t = 0; t < c[i].thread_count(); ++t) {
            monitor::thread_counts counts;
            for (std::size_t e = 0; e < base::cell_count; ++e)
                counts.events[e] = cpu.counts().total(t, static_cast<base::event>(e));
            counts.awake = cpu.awake_cycles(t);
            if (const cmt* const m = c.cache_monitor(); m != nullptr) {
                counts.rmid = c[i].monitoring_ids()[t];
                if (counts.rmid < m->monitored())
                    counts.l3_lines = m->usage(static_cast<std::uint32_t>(counts.rmid)).lines;
            }
            counts.online = cpu.running(t) != core::run_state::wait_for_sipi;
            s.threads.push_back(counts);
        }
    }
    return s;
}

}  // namespace knc::card
