#include <platform/collect.h>

#include <knc/apic/registers.h>

namespace platform {

namespace {

namespace base = knc::base;
namespace card = knc::card;

const char* name(card::stop_reason r) {
    switch (r) {
        case card::stop_reason::firmware:
            return "firmware";
        case card::stop_reason::limit:
            return "limit";
        case card::stop_reason::unsupported:
            return "unsupported";
        case card::stop_reason::deadline:
            return "session";
        case card::stop_reason::user:
            return "user";
        // A simulation in which nothing can happen any more is one that waits for ever.
        case card::stop_reason::none:
        case card::stop_reason::deadlock:
            break;
    }
    return "deadlock";
}

thread_report thread_of(const card::tile& tile, const knc::pmu::parameters& p, unsigned core,
                        unsigned thread) {
    thread_report r;
    r.core = core;
    r.thread = thread;
    r.instructions = tile.cpu().instructions(thread);
    const base::ledger& counts = tile.cpu().counts();
    r.events_user = counts.counts[thread][base::user];
    for (std::size_t e = 0; e < base::cell_count; ++e)
        r.events[e] = counts.total(thread, static_cast<base::event>(e));
    const auto pmu = tile.pmu().state(thread);
    r.pmu.front_end = p.front_end;
    r.pmu.l3 = p.perfmon.l3;
    r.pmu.counter = pmu.counter;
    r.pmu.evtsel = pmu.evtsel;
    r.pmu.global_ctrl = pmu.global_ctrl;
    r.pmu.status = pmu.status;
    r.pmu.spflt = pmu.spflt;
    r.pmu.fixed_control = pmu.fixed_control;
    r.pmu.debug_control = pmu.debug_control;
    r.pmu.has_pebs = pmu.pebs.has_value();
    r.pmu.pebs = pmu.pebs.value_or(knc::pmu::pebs_counts{});
    r.pmu.overflows = pmu.overflows;
    r.pmu.skid = tile.cpu().skid(thread);
    r.counted.clear();
    for (std::size_t n = 0; n < pmu.counter.size(); ++n)
        r.counted.push_back(tile.pmu().history(thread, n));
    r.pmi = tile.apic(thread).pmi_count();
    r.pmi_lost = tile.apic(thread).pmi_lost_count();
    r.eoi = tile.apic(thread).eoi_count();
    r.lvt_performance = tile.apic(thread).peek(knc::apic::reg::lvt_pmc, tile.now());
    r.performance_in_service =
        tile.apic(thread).isr().test(static_cast<std::uint8_t>(r.lvt_performance));
    return r;
}

}  // namespace

void collect(const card::card& c, report& r) {
    const card::outcome& o = c.result();
    r.reason = name(o.reason);
    r.code = o.code;
    r.detail = o.detail;
    r.resets = c.resets();
    r.cycles = c.now();
    r.simulated_seconds = static_cast<double>(r.cycles) / static_cast<double>(c.config().clock_hz);
    r.instructions = c.instructions();
    r.fast_forwards = c.fast_forwards();
    r.threads = collect_threads(c);
    r.ring = c.ring();
    for (unsigned i = 0; i < c.tiles(); ++i)
        for (unsigned t = 0; t < c[i].thread_count(); ++t)
            r.interrupts.push_back(c[i].cpu().interrupts(t));
}

std::vector<thread_report> collect_threads(const card::card& c) {
    std::vector<thread_report> threads;
    for (unsigned i = 0; i < c.tiles(); ++i)
        for (unsigned t = 0; t < c[i].thread_count(); ++t)
            threads.push_back(thread_of(c[i], c.config().pmu, i, t));
    return threads;
}

}  // namespace platform
