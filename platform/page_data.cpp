#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <knc/monitor/metric.h>
#include <knc/monitor/rows.h>

#include <platform/page_history.h>
#include <platform/page_parts.h>
#include <platform/page_ring.h>
#include <platform/page_stack.h>
#include <platform/page_text.h>

namespace platform {

namespace {

using json = nlohmann::ordered_json;
namespace monitor = knc::monitor;

// Bounds for the size of the page on cards of many cores and threads.
constexpr std::size_t most_interrupts = 4096, least_of_thread = 16;

json stacks_of(const std::vector<clock_stack>& all, bool threads) {
    json rows = json::array();
    for (const clock_stack& s : all)
        rows.push_back(
            {{"name", threads ? fmt::format("{}.{}", s.core, s.thread) : fmt::format("{}", s.core)},
             {"core", s.core},
             {"instructions", s.instructions},
             {"clocks", s.clocks}});
    return rows;
}

json stack_of(const report& r) {
    // The core's part in which no thread executes has the colour of waiting.
    return {{"parts", clock_stack::names},
            {"colours", {0, 1, 2, 3, 4, 5, 3}},
            {"halted", std::size_t{clock_stack::halted}},
            {"core_parts", clock_stack::of_core},
            {"thread_parts", clock_stack::of_thread},
            {"cores", stacks_of(core_stacks(r), false)},
            {"threads", stacks_of(thread_stacks(r), true)}};
}

// Of all threads, in the order of the map's fields.
json heat_of(const report& r) {
    json all = json::array();
    if (!is_wide(r) || r.phases.empty()) return all;
    const phase& whole = r.phases.front();
    std::vector<monitor::row> rows;
    for (unsigned t = 0; t < r.shape.threads(); ++t)
        rows.push_back(monitor::thread_row(r.shape, whole.before, whole.after, t));
    for (const char* name : {"INST", "EXEC", "CPI", "UTIL", "L1MISS", "L1MPI", "L2MISS", "REMOTE",
                             "MEMFILL", "TLB1", "TLB2", "PAIR"}) {
        const monitor::metric& m = *monitor::find_metric(name, rows.front());
        json values = json::array();
        for (const monitor::row& row : rows) {
            const auto v = m.value(row, r.shape.clock_hz);
            if (!v)
                values.push_back(nullptr);
            else if (m.style == monitor::metric_style::count)
                values.push_back(m.exact(row));
            else
                values.push_back(*v);
        }
        all.push_back({{"name", m.name}, {"meaning", m.meaning}, {"values", values}});
    }
    const std::vector<clock_stack> stacks = thread_stacks(r);
    for (const auto part : {clock_stack::waiting, clock_stack::ready}) {
        std::vector<double> shares(rows.size());
        for (const clock_stack& s : stacks)
            shares[s.core * r.shape.threads_per_core + s.thread] =
                percent_of(static_cast<double>(s.clocks[part]), static_cast<double>(r.cycles));
        all.push_back({{"name", clock_stack::names[part]},
                       {"meaning", "% of the run's clocks"},
                       {"values", shares}});
    }
    json interrupts = json::array();
    for (const thread_report& t : r.threads) interrupts.push_back(t.pmi);
    all.push_back(
        {{"name", "PMI"}, {"meaning", "performance interrupts delivered"}, {"values", interrupts}});
    return all;
}

json ring_of(const report& r) {
    json ring = {{"loads", json::array()}, {"tiles", json::array()}};
    if (r.ring.stops.empty() || r.phases.empty()) return ring;
    for (unsigned s = 0; s < r.ring.stops.size(); ++s)
        for (const auto way : {knc::ring::direction::up, knc::ring::direction::down}) {
            json load = json::array();
            for (unsigned c = 0; c < knc::ring::channels; ++c)
                load.push_back(link_load(r, s, way, c));
            ring["loads"].push_back(load);
        }
    for (const tile_values& v : values_of_tiles(r))
        ring["tiles"].push_back({{"name", v.name}, {"values", v.values}});
    return ring;
}

// Clocks: of the overflow; and from there to the other stages.
json interrupts_of(const report& r) {
    json all = json::array();
    std::size_t threads = 0;
    for (const auto& t : r.interrupts) threads += !t.kept.empty();
    for (std::size_t n = 0; n < r.interrupts.size(); ++n) {
        const knc::core::skid_records& t = r.interrupts[n];
        if (t.kept.empty()) continue;
        const std::size_t most = std::max(least_of_thread, most_interrupts / threads);
        const std::size_t step = (t.kept.size() + most - 1) / most;
        json kept = json::array();
        for (std::size_t k = 0; k < t.kept.size(); k += step) {
            const knc::core::skid_record& i = t.kept[k];
            kept.push_back({i.overflow, i.requested - i.overflow, i.taken - i.overflow,
                            i.handler - i.overflow});
        }
        all.push_back({{"name", fmt::format("{}.{}", r.threads[n].core, r.threads[n].thread)},
                       {"every", t.stride * step},
                       {"kept", kept}});
    }
    return all;
}

json skid_bins_of(const report& r) {
    using knc::core::skid_statistics;
    std::array<std::uint64_t, skid_statistics::bins> sum{};
    for (const thread_report& t : r.threads)
        for (std::size_t n = 0; n < sum.size(); ++n) sum[n] += t.pmu.skid.histogram[n];
    json bins = json::array();
    const auto used = [](std::uint64_t n) { return n != 0; };
    const auto first = std::find_if(sum.begin(), sum.end(), used);
    const auto last = std::find_if(sum.rbegin(), sum.rend(), used).base();
    for (auto n = first; n < last; ++n) {
        const auto bin = static_cast<std::size_t>(n - sum.begin());
        bins.push_back({{"clocks", fmt::format("{}-{}", skid_statistics::lowest(bin),
                                               skid_statistics::lowest(bin + 1) - 1)},
                        {"interrupts", *n}});
    }
    return bins;
}

}  // namespace

json page_data(const report& r) {
    json marks = json::array();
    for (const mark& m : r.marks) marks.push_back({{"number", m.number}, {"clock", m.cycle}});
    return {{"image", r.image},
            {"clocks", r.cycles},
            {"clock_hz", r.shape.clock_hz},
            {"marks", marks},
            {"history", history_of(r)},
            {"stack", stack_of(r)},
            {"heat", heat_of(r)},
            {"ring", ring_of(r)},
            {"interrupts", interrupts_of(r)},
            {"skid_bins", skid_bins_of(r)}};
}

}  // namespace platform
