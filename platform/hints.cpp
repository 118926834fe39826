#include <platform/hints.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <knc/pmu/event_table.h>

namespace platform {

namespace {

namespace pmu = knc::pmu;

constexpr std::uint64_t user = 1 << 16, supervisor = 1 << 17, interrupt = 1 << 20, enable = 1 << 22;
constexpr std::uint32_t lvt_masked = 1 << 16;

bool counted_nothing(const thread_report& t, std::size_t n) {
    return std::all_of(t.counted[n].begin(), t.counted[n].end(),
                       [](const pmu::counted& c) { return c.events == 0; });
}

bool globally_enabled(const thread_report& t, std::size_t n) {
    return (t.pmu.global_ctrl >> n & 1) != 0;
}

// Their texts name registers of Knights Corner.
bool is_knc(const thread_report& t) {
    return t.pmu.front_end == pmu::front_end_kind::knc;
}

// A counter that is selected, and why it counts nothing.
bool lacks_enable(const thread_report& t, std::size_t n) {
    return t.pmu.evtsel[n] != 0 && (t.pmu.evtsel[n] & enable) == 0 && globally_enabled(t, n);
}
bool lacks_global_enable(const thread_report& t, std::size_t n) {
    return (t.pmu.evtsel[n] & enable) != 0 && !globally_enabled(t, n);
}
bool lacks_rings(const thread_report& t, std::size_t n) {
    return (t.pmu.evtsel[n] & enable) != 0 && (t.pmu.evtsel[n] & (user | supervisor)) == 0;
}
bool lacks_event(const thread_report& t, std::size_t n) {
    const auto select = static_cast<std::uint8_t>(t.pmu.evtsel[n]);
    const auto umask = static_cast<std::uint8_t>(t.pmu.evtsel[n] >> 8);
    return (t.pmu.evtsel[n] & enable) != 0 &&
           pmu::find_event(select, umask) == knc::base::event_count;
}
bool lacks_preference(const thread_report& t, std::size_t n) {
    constexpr std::uint64_t preference = std::uint64_t{1} << 63;
    return (t.pmu.evtsel[n] & enable) != 0 && globally_enabled(t, n) &&
           (t.pmu.spflt >> n & 1) != 0 && (t.pmu.spflt & preference) == 0;
}

// An overflow that caused no interrupt because the line was still at 1.
bool keeps_status(const thread_report& t) {
    const auto stuck = [&](std::size_t n) {
        return (t.pmu.status >> n & 1) != 0 && (t.pmu.evtsel[n] & interrupt) != 0;
    };
    if (!is_knc(t)) return false;
    const std::uint64_t overflows = t.pmu.overflows[0] + t.pmu.overflows[1];
    return (stuck(0) || stuck(1)) && t.pmi != 0 && overflows > t.pmi + t.pmi_lost;
}
bool lost_by_mask(const thread_report& t) {
    return t.pmi_lost != 0 && (t.lvt_performance & lvt_masked) != 0;
}
bool forgets_eoi(const thread_report& t) {
    return t.performance_in_service && t.pmi > t.eoi;
}

struct counter_mistake {
    bool (*is)(const thread_report&, std::size_t n);
    const char* text;
};
constexpr std::array counter_mistakes = {
    counter_mistake{lacks_enable, "bit 22 (EN) of its PerfEvtSel is 0"},
    counter_mistake{lacks_global_enable, "its bit of IA32_PERF_GLOBAL_CTRL (MSR 0x2F) is 0"},
    counter_mistake{lacks_rings, "neither bit 16 (USR) nor bit 17 (OS) of its PerfEvtSel is 1"},
    counter_mistake{lacks_event, "no event has the code in its PerfEvtSel (knc-vp list events)"},
    counter_mistake{lacks_preference, "it obeys SPFLT (MSR 0x2C), and USER_PREF is 0"},
};

struct thread_mistake {
    bool (*is)(const thread_report&);
    const char* text;
};
constexpr std::array thread_mistakes = {
    thread_mistake{lost_by_mask,
                   "performance interrupts were lost because LVT entry 0x340 is masked. The local "
                   "APIC masks it at each delivery; the service has to unmask it at its end"},
    thread_mistake{
        keeps_status,
        "overflows caused no interrupt because IA32_PERF_GLOBAL_STATUS still has the bit "
        "of an earlier one. The service has to clear it by MSR 0x2E"},
    thread_mistake{forgets_eoi,
                   "a performance interrupt is still in service. The service has to write EOI "
                   "(0xB0) at its end, or nothing of its priority or below is delivered"},
};

// "thread 0.1, 0.2 and 5 more"
class thread_list {
  public:
    void add(const thread_report& t, const std::string& suffix = {}) {
        if (number_++ < most)
            text_ += fmt::format("{}{}.{}{}", number_ == 1 ? "" : ", ", t.core, t.thread, suffix);
    }
    bool empty() const { return number_ == 0; }
    std::string text() const {
        return number_ <= most ? text_ : fmt::format("{} and {} more", text_, number_ - most);
    }

  private:
    static constexpr std::size_t most = 4;
    std::size_t number_ = 0;
    std::string text_;
};

}  // namespace

std::vector<std::string> hints_of(const std::vector<thread_report>& threads) {
    std::vector<std::string> hints;
    for (const counter_mistake& m : counter_mistakes) {
        thread_list made;
        for (const thread_report& t : threads)
            for (std::size_t n = 0; is_knc(t) && n < t.counted.size(); ++n)
                if (m.is(t, n) && counted_nothing(t, n)) made.add(t, fmt::format(" counter {}", n));
        if (!made.empty())
            hints.push_back(fmt::format("thread {}: has counted nothing: {}", made.text(), m.text));
    }
    for (const thread_mistake& m : thread_mistakes) {
        thread_list made;
        for (const thread_report& t : threads)
            if (m.is(t)) made.add(t);
        if (!made.empty()) hints.push_back(fmt::format("thread {}: {}", made.text(), m.text));
    }
    return hints;
}

}  // namespace platform
