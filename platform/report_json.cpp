#include <algorithm>

#include <knc/pmu/event_table.h>
#include <knc/pmu/own_events.h>

#include <platform/report.h>

namespace platform {

namespace {

using json = nlohmann::ordered_json;

json event_object(const knc::base::event_row& row) {
    json o = json::object();
    for (std::size_t i = 0; i < knc::base::event_count; ++i)
        o[std::string{knc::pmu::info(static_cast<knc::base::event>(i)).name}] = row[i];
    return o;
}

// The events of a PMU that is not Knights Corner's.
json own_object(const knc::base::event_row& row, const pmu_report& p) {
    json o = json::object();
    for (const knc::pmu::own_event& e : knc::pmu::own_events(p.front_end, p.l3))
        o[std::string{e.name}] = row[e.cell];
    return o;
}

json spread_object(const knc::core::spread& s, std::uint64_t count) {
    return {{"min", s.min}, {"max", s.max}, {"mean", s.mean(count)}, {"sum", s.sum}};
}

json skid_object(const knc::core::skid_statistics& s) {
    json o = {{"count", s.count}};
    o.update(spread_object(s.total, s.count));
    o["parts"] = {{"delivery", spread_object(s.delivery, s.count)},
                  {"boundary", spread_object(s.boundary, s.count)},
                  {"entry", spread_object(s.entry, s.count)}};
    o["instructions"] = spread_object(s.instructions, s.count);
    o["histogram"] = json::array();
    for (std::size_t n = 0; n < s.bins; ++n)
        if (s.histogram[n] != 0)
            o["histogram"].push_back(
                {{"from", s.lowest(n)}, {"to", s.lowest(n + 1) - 1}, {"count", s.histogram[n]}});
    return o;
}

json counted_object(const std::vector<knc::pmu::counted>& history, knc::pmu::front_end_kind k) {
    json all = json::array();
    for (const knc::pmu::counted& c : history) {
        const knc::base::event e = c.what.event;
        json o = {
            {"event", knc::pmu::event_name(k, e)}, {"os", c.what.supervisor}, {"usr", c.what.user}};
        // Fields that most drivers leave at 0 are left out then.
        if (c.what.all_threads) o["any"] = true;
        if (c.what.threshold != 0) o["cmask"] = c.what.threshold;
        if (c.what.invert) o["inv"] = true;
        if (c.what.edge) o["edge"] = true;
        o["count"] = c.events;
        all.push_back(std::move(o));
    }
    return all;
}

json thread_object(const thread_report& t) {
    json counted = json::array();
    using kind = knc::pmu::front_end_kind;
    for (const auto& history : t.counted)
        counted.push_back(counted_object(history, t.pmu.front_end));
    json pmu = {{"counter", t.pmu.counter},
                {"evtsel", t.pmu.evtsel},
                {"global_ctrl", t.pmu.global_ctrl},
                {"status", t.pmu.status}};
    if (t.pmu.front_end == kind::p55c) {
        pmu = {{"counter", t.pmu.counter}, {"cesr", t.pmu.evtsel.front()}};
    } else if (t.pmu.front_end == kind::perfmon) {
        pmu["fixed_ctrl"] = t.pmu.fixed_control;
        pmu["debugctl"] = t.pmu.debug_control;
        if (t.pmu.has_pebs)
            pmu["pebs"] = {{"records", t.pmu.pebs.records},
                           {"no_room", t.pmu.pebs.no_room},
                           {"faults", t.pmu.pebs.faults}};
    } else {
        pmu["spflt"] = t.pmu.spflt;
    }
    if (t.pmu.front_end != kind::knc) {
        pmu["events"] = own_object(t.events, t.pmu);
        pmu["events_user"] = own_object(t.events_user, t.pmu);
    }
    pmu["overflows"] = t.pmu.overflows;
    pmu["counted"] = counted;
    pmu["skid"] = skid_object(t.pmu.skid);
    return {{"core", t.core},
            {"thread", t.thread},
            {"instructions", t.instructions},
            {"events", event_object(t.events)},
            {"events_user", event_object(t.events_user)},
            {"pmu", pmu},
            {"apic", {{"pmi", t.pmi}, {"pmi_lost", t.pmi_lost}, {"eoi", t.eoi}}}};
}

}  // namespace

bool report::expectations_hold() const {
    return std::all_of(expectations.begin(), expectations.end(),
                       [](const verdict& v) { return v.pass; });
}

int report::status() const {
    if (reason == "limit" || reason == "deadlock" || reason == "unsupported") return 3;
    return code == 0 && unheard.empty() && expectations_hold() ? 0 : 1;
}

json to_json(const report& r) {
    json o = {{"schema", 1},
              {"preset", r.preset},
              {"image", r.image},
              {"cmdline", r.cmdline},
              {"exit",
               {{"reason", r.reason},
                {"code", r.code},
                {"detail", r.detail},
                {"session", r.unheard},
                {"status", r.status()}}},
              {"time",
               {{"cycles", r.cycles},
                {"simulated_seconds", r.simulated_seconds},
                {"host_seconds", r.host_seconds},
                {"instructions", r.instructions},
                {"mips", r.mips()}}},
              {"resets", r.resets},
              {"threads", json::array()},
              {"markers", json::array()},
              {"msr_accesses", json::array()},
              {"warnings", r.warnings},
              {"hints", r.hints},
              {"expectations", json::array()}};
    for (const thread_report& t : r.threads) o["threads"].push_back(thread_object(t));
    for (const mark& m : r.marks)
        o["markers"].push_back({{"number", m.number}, {"cycle", m.cycle}});
    // A run in time has no such field.
    for (const knc::card::fast_forward_record& f : r.fast_forwards) {
        json& fast = o["fast_forward"].emplace_back(
            json{{"from", f.from}, {"to", f.to}, {"instructions", f.instructions}, {"end", f.end}});
        if (f.warm != f.to) fast["warm"] = f.warm;
    }
    for (const msr_result& m : r.msr_accesses)
        o["msr_accesses"].push_back({{"at", m.at},
                                     {"thread", m.thread},
                                     {"number", m.number},
                                     {"write", m.write},
                                     {"refused", m.refused},
                                     {"value", m.value}});
    for (const verdict& v : r.expectations)
        o["expectations"].push_back({{"name", v.name}, {"pass", v.pass}, {"actual", v.actual}});
    o["phases"] = to_json(r.shape, r.phases);
    if (r.by_function) o["profile"] = to_json(*r.by_function);
    if (!r.profiles.empty()) {
        o["profiles"] = json::array();
        for (const profile& p : r.profiles) o["profiles"].push_back(to_json(p));
        o["cpi"] = to_json(derive_cpi(r.profiles));
    }
    if (!r.samplers.empty()) o["samplers"] = to_json(r.samplers);
    return o;
}

}  // namespace platform
