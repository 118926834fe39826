#include <platform/report_counts.h>

#include <string>

#include <knc/pmu/event_table.h>

namespace platform {

namespace {

using json = nlohmann::ordered_json;

knc::base::event_row events_of(const json& j) {
    knc::base::event_row row{};
    for (std::size_t i = 0; i < knc::base::event_count; ++i)
        row[i] = j.at(std::string{knc::pmu::info(static_cast<knc::base::event>(i)).name});
    return row;
}

knc::core::skid_statistics skid_of(const json& j) {
    knc::core::skid_statistics s;
    s.count = j.at("count");
    s.total.min = j.at("min");
    s.total.max = j.at("max");
    s.instructions.max = j.at("instructions").at("max");
    return s;
}

thread_report thread_of(const json& j) {
    thread_report t;
    t.core = j.at("core");
    t.thread = j.at("thread");
    t.instructions = j.at("instructions");
    t.events = events_of(j.at("events"));
    t.events_user = events_of(j.at("events_user"));
    const json& pmu = j.at("pmu");
    pmu.at("counter").get_to(t.pmu.counter);
    pmu.at("overflows").get_to(t.pmu.overflows);
    t.pmu.status = pmu.at("status");
    t.pmu.skid = skid_of(pmu.at("skid"));
    const json& apic = j.at("apic");
    t.pmi = apic.at("pmi");
    t.pmi_lost = apic.at("pmi_lost");
    t.eoi = apic.at("eoi");
    return t;
}

}  // namespace

report counts_of(const json& j) {
    report r;
    const json& time = j.at("time");
    r.cycles = time.at("cycles");
    r.instructions = time.at("instructions");
    r.resets = j.at("resets");
    for (const json& m : j.at("markers")) r.marks.push_back({m.at("number"), m.at("cycle")});
    for (const json& t : j.at("threads")) r.threads.push_back(thread_of(t));
    // The first phase is the whole run; the others but the last end at the first marks.
    const json& phases = j.at("phases");
    for (std::size_t n = 1; n + 1 < phases.size(); ++n)
        r.at_marks.push_back({r.marks.at(n - 1).number, phases[n].at("cycles").at(1), {}});
    return r;
}

}  // namespace platform
