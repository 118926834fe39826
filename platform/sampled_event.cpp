#include <platform/sampled_event.h>

#include <algorithm>

#include <fmt/format.h>

#include <knc/pmu/event_table.h>
#include <knc/pmu/knc_registers.h>

namespace platform {

namespace {

namespace base = knc::base;
namespace pmu = knc::pmu;

// What an event select counts that the core keeps per address. A counter mask or edge detection
// counts something else than the event.
std::string unit_of(const pmu::selection& s) {
    if (s.threshold != 0 || s.edge || s.all_threads) return "";
    if (s.event == base::instructions_executed) return "instructions";
    if (s.event == base::cpu_clk_unhalted) return "clocks";
    return "";
}

}  // namespace

std::string sampled_event::with_level() const {
    if (by_timer || os == user) return name;
    return name + (user ? ":u" : ":k");
}

sampled_event event_of(const sample_log& l, std::uint8_t counter) {
    if (counter >= l.counter.size()) return {"timer", "clocks", true, true, true};
    const std::uint64_t v = l.counter[counter].evtsel;
    const pmu::selection s = pmu::event_select::decode(v);
    sampled_event e;
    e.name = s.event == base::event_count
                 ? fmt::format("event {:#04x}/{:#04x}", base::bits(v, 7, 0), base::bits(v, 15, 8))
                 : std::string{pmu::info(s.event).name};
    e.unit = unit_of(s);
    e.os = s.supervisor;
    e.user = s.user;
    return e;
}

std::uint64_t key_of(const sample_log& l, std::uint8_t counter) {
    if (counter >= l.counter.size()) return std::uint64_t{counter} << 32;
    constexpr std::uint64_t no_effect = base::bit(pmu::event_select::interrupt) |
                                        base::bit(pmu::event_select::enable) |
                                        base::bit(pmu::event_select::reserved);
    return std::uint64_t{counter} << 32 | (l.counter[counter].evtsel & ~no_effect);
}

std::uint64_t events_of(const sample_log& l, const sample& s) {
    const std::uint64_t period =
        s.counter < l.counter.size() ? l.counter[s.counter].period : l.interval;
    return s.weight * std::max<std::uint64_t>(period, 1);
}

}  // namespace platform
