#include <platform/samplers.h>

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include <knc/pmu/event_table.h>
#include <knc/pmu/knc_registers.h>

#include <platform/sampled_event.h>

namespace platform {

namespace {

using json = nlohmann::ordered_json;

std::optional<sampler_account::counter> account_of(const sample_log& l, std::uint8_t n,
                                                   const counted_by_model& model) {
    const knc::pmu::selection what = knc::pmu::event_select::decode(l.counter[n].evtsel);
    if (!what.counts()) return {};
    sampler_account::counter c;
    const sampled_event e = event_of(l, n);
    c.event = e.name;
    c.os = e.os;
    c.user = e.user;
    c.log = l.counter[n];
    for (const sample& s : l.samples)
        if (s.counter == n) c.weight += s.weight;
    c.counted = c.log.period * (c.log.samples + c.log.missed) + c.log.remainder;
    if (const auto* all = model(*l.thread, n))
        for (const knc::pmu::counted& m : *all)
            if (m.what == what) c.truth += m.events;
    return c;
}

}  // namespace

std::vector<sampler_account> make_accounts(const std::vector<sample_log>& logs,
                                           const counted_by_model& model) {
    std::vector<sampler_account> all;
    for (const sample_log& l : logs) {
        if (!l.thread) continue;
        sampler_account a;
        a.thread = *l.thread;
        a.stopped = l.stopped;
        a.written = l.written;
        a.taken = l.taken;
        a.stored = l.samples.size();
        a.lost = l.lost;
        a.stops = l.stops;
        a.interval = l.interval;
        for (std::size_t n = 0; n < l.counter.size(); ++n)
            a.counters.push_back(account_of(l, static_cast<std::uint8_t>(n), model));
        all.push_back(std::move(a));
    }
    return all;
}

json to_json(const std::vector<sampler_account>& all) {
    json rows = json::array();
    for (const sampler_account& a : all) {
        json counters = json::array();
        for (const auto& c : a.counters) {
            if (!c) {
                counters.push_back(nullptr);
                continue;
            }
            counters.push_back({{"event", c->event},
                                {"os", c->os},
                                {"usr", c->user},
                                {"period", c->log.period},
                                {"samples", c->log.samples},
                                {"missed", c->log.missed},
                                {"remainder", c->log.remainder},
                                {"weight", c->weight},
                                {"counted", c->counted},
                                {"truth", c->truth}});
        }
        rows.push_back({{"thread", a.thread},
                        {"stopped", a.stopped},
                        {"interval", a.interval},
                        {"written", a.written},
                        {"taken", a.taken},
                        {"stored", a.stored},
                        {"lost", a.lost},
                        {"stops", a.stops},
                        {"counters", std::move(counters)}});
    }
    return rows;
}

void write_text(std::ostream& out, const std::vector<sampler_account>& all) {
    if (all.empty()) return;
    constexpr const char* row =
        "{:>6} {:>9} {:>9} {:>9} {:>9} {:>6} {:>9} {:>9} {:>12} {:>14} {:>14}  {}\n";
    out << "\nsamplers, by APIC ID: what the driver says that it counted, and the model\n"
        << fmt::format(row, "thread", "written", "stored", "taken", "lost", "stops", "samples",
                       "missed", "remainder", "driver", "model", "event");
    for (const sampler_account& a : all) {
        for (const auto& c : a.counters) {
            if (!c) continue;
            out << fmt::format(row, a.thread, a.written, a.stored, a.taken, a.lost, a.stops,
                               c->log.samples, c->log.missed, c->log.remainder,
                               a.stopped ? fmt::to_string(c->counted) : "sampling", c->truth,
                               c->event);
        }
    }
}

}  // namespace platform
