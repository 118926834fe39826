#include <knc/monitor/rows.h>

#include <set>

#include <knc/pmu/event_table.h>

namespace knc::monitor {

namespace {

bool of_core(std::size_t e) {
    return e < base::event_count &&
           pmu::info(static_cast<base::event>(e)).scope == pmu::event_scope::core;
}

void add(row& r, std::size_t q, std::uint64_t n) {
    r.count[q] += n;
    r.has.set(q);
}

std::uint64_t increase(const snapshot& before, const snapshot& after, unsigned thread,
                       std::size_t e) {
    return after.threads[thread].events[e] - before.threads[thread].events[e];
}

void add_thread(row& r, const platform_shape& p, const snapshot& before, const snapshot& after,
                unsigned thread) {
    for (std::size_t e = 0; e < base::cell_count; ++e)
        if (p.events[e] && !of_core(e)) add(r, e, increase(before, after, thread, e));
    if (p.registers == pmu::front_end_kind::perfmon && p.events[base::unhalted_core_cycles])
        add(r, reference_cycles, increase(before, after, thread, base::unhalted_core_cycles));
    add(r, awake, after.threads[thread].awake - before.threads[thread].awake);
    add(r, thread_tsc, after.cycle - before.cycle);
}

void add_core(row& r, const platform_shape& p, const snapshot& before, const snapshot& after,
              unsigned core) {
    const unsigned first = core * p.threads_per_core;
    for (unsigned t = 0; t < p.threads_per_core; ++t) add_thread(r, p, before, after, first + t);
    // Every thread's row has the core's events.
    for (std::size_t e = 0; e < base::event_count; ++e)
        if (p.events[e] && of_core(e)) add(r, e, increase(before, after, first, e));
    add(r, tsc, after.cycle - before.cycle);
}

// Threads with one monitoring ID have its lines together.
void add_occupancy(row& r, const platform_shape& p, const snapshot& after, unsigned first,
                   unsigned threads) {
    if (p.l3_lines == 0) return;
    std::set<std::uint64_t> counted;
    for (unsigned t = first; t < first + threads; ++t) {
        const thread_counts& c = after.threads[t];
        if (c.l3_lines != thread_counts::unknown && counted.insert(c.rmid).second)
            add(r, l3_lines, c.l3_lines);
    }
    if (!counted.empty()) add(r, l3_size, p.l3_lines);
}

// There is one memory, and it is local.
void add_traffic(row& r, const platform_shape& p, const snapshot& before, const snapshot& after,
                 unsigned first, unsigned threads) {
    for (const std::uint64_t id : traffic_ids(p, after, r.kind, first, threads))
        for (const quantity q : {total_traffic, local_traffic})
            add(r, q, after.traffic[id] - before.traffic[id]);
}

row make(row_kind kind, unsigned core, unsigned thread, const snapshot& before,
         const snapshot& after) {
    row r{kind, core, thread, {}, {}};
    add(r, elapsed, after.cycle - before.cycle);
    return r;
}

}  // namespace

snapshot start_of(const platform_shape& p) {
    snapshot s;
    s.threads.resize(p.threads());
    s.controllers.resize(p.controllers);
    s.traffic.resize(p.bandwidth_ids);
    return s;
}

std::vector<std::uint64_t> traffic_ids(const platform_shape& p, const snapshot& now, row_kind kind,
                                       unsigned first, unsigned threads) {
    std::set<std::uint64_t> ids;
    if (kind == row_kind::card)
        for (std::uint32_t id = 0; id < p.bandwidth_ids; ++id) ids.insert(id);
    else
        for (unsigned t = first; t < first + threads; ++t)
            if (now.threads[t].rmid < p.bandwidth_ids) ids.insert(now.threads[t].rmid);
    return {ids.begin(), ids.end()};
}

row thread_row(const platform_shape& p, const snapshot& before, const snapshot& after,
               unsigned thread) {
    row r = make(row_kind::thread, thread / p.threads_per_core, thread % p.threads_per_core, before,
                 after);
    add_thread(r, p, before, after, thread);
    add_occupancy(r, p, after, thread, 1);
    add_traffic(r, p, before, after, thread, 1);
    if (p.events[base::cpu_clk_unhalted])
        add(r, base::cpu_clk_unhalted, increase(before, after, thread, base::cpu_clk_unhalted));
    add(r, tsc, after.cycle - before.cycle);
    return r;
}

row core_row(const platform_shape& p, const snapshot& before, const snapshot& after,
             unsigned core) {
    row r = make(row_kind::core, core, 0, before, after);
    add_core(r, p, before, after, core);
    add_occupancy(r, p, after, core * p.threads_per_core, p.threads_per_core);
    add_traffic(r, p, before, after, core * p.threads_per_core, p.threads_per_core);
    return r;
}

row card_row(const platform_shape& p, const snapshot& before, const snapshot& after) {
    row r = make(row_kind::card, 0, 0, before, after);
    for (unsigned c = 0; c < p.tiles; ++c) add_core(r, p, before, after, c);
    add_occupancy(r, p, after, 0, p.threads());
    add_traffic(r, p, before, after, 0, p.threads());
    if (p.bus) {
        add(r, bus_reads, after.bus.reads - before.bus.reads);
        add(r, bus_writes, after.bus.writes - before.bus.writes);
    }
    if (p.controllers == 0) return r;
    for (unsigned c = 0; c < p.controllers; ++c) {
        add(r, read_lines, after.controllers[c].reads - before.controllers[c].reads);
        add(r, write_lines, after.controllers[c].writes - before.controllers[c].writes);
    }
    add(r, ring_busy, after.ring_busy - before.ring_busy);
    add(r, ring_slots, p.ring_slots * (after.cycle - before.cycle));
    return r;
}

}  // namespace knc::monitor
