#include <knc/monitor/msr_source.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <knc/pmu/event_table.h>
#include <knc/pmu/perfmon_events.h>

namespace knc::monitor {

namespace {

constexpr std::uint64_t enabled = 1 << 22, both_rings = 3 << 16;

// The code of an event, as software selects it.
std::optional<std::uint64_t> code_of(pmu::front_end_kind kind, std::size_t event) {
    const auto cell = static_cast<base::event>(event);
    if (kind == pmu::front_end_kind::knc && event < base::event_count) {
        const pmu::event_info& e = pmu::info(cell);
        return std::uint64_t{e.umask} << 8 | e.select;
    }
    if (kind == pmu::front_end_kind::perfmon)
        for (const pmu::perfmon_event& e : pmu::perfmon_events())
            if (e.cell == cell) return std::uint64_t{e.umask} << 8 | e.select;
    return {};
}

}  // namespace

// The MSRs of a thread.
struct msr_source::registers {
    struct fixed_counter {
        std::size_t event;
        std::uint32_t counter;
    };
    struct setting {
        std::uint32_t number;
        std::uint64_t value;
    };
    std::uint32_t counter, select, counters;  // the first ones, and how many there are of each
    std::vector<fixed_counter> fixed;
    // Written, in this order, when the selections are; and what they are to be before, for the
    // counters to be free: `busy` of a register's bits is set if the guest counts.
    std::vector<setting> start;
    std::vector<setting> busy;
    // What is saved beside counters and selections, in the order in which it is given back.
    std::vector<std::uint32_t> others;
};

const msr_source::registers& msr_source::registers_of(const platform_shape& p) {
    static const registers knc{0x20, 0x28, 2, {}, {{0x2c, 0}, {0x2f, 3}}, {}, {0x2c, 0x2f}};
    // Fixed counters 0 and 1 count in both rings, without interrupts.
    static const registers perfmon{
        0xc1,
        0x186,
        4,
        {{base::instructions_executed, 0x309}, {base::unhalted_core_cycles, 0x30a}},
        {{0x38d, 0x33}, {0x38f, 0x30000000f}},
        {{0x38d, 0xfff}},
        {0x309, 0x30a, 0x38d, 0x38f}};
    return p.registers == pmu::front_end_kind::perfmon ? perfmon : knc;
}

bool msr_source::can_count(const platform_shape& p, std::size_t event) {
    return event < base::cell_count && p.events[event] && code_of(p.registers, event).has_value();
}

msr_source::msr_source(source_if& platform, std::vector<std::size_t> events)
    : platform_(platform), registers_(registers_of(platform.shape())), shape_(platform.shape()) {
    shape_.events.reset();
    // The counters of events do not tell it.
    shape_.l3_lines = 0;
    shape_.bandwidth_ids = 0;
    for (const std::size_t e : events) {
        const bool fixed = std::any_of(registers_.fixed.begin(), registers_.fixed.end(),
                                       [e](const auto& f) { return f.event == e; });
        if (!fixed) events_.push_back(e);
        shape_.events.set(e);
    }
}

msr_source::~msr_source() {
    give_back();
}

std::size_t msr_source::groups() const {
    const std::size_t n = registers_.counters;
    return events_.empty() ? 1 : (events_.size() + n - 1) / n;
}

bool msr_source::take() {
    now_ = platform_.read(0, true);
    for (thread_counts& t : now_.threads) t.events.fill(0);
    saved_.clear();
    for (unsigned t = 0; t < shape_.threads(); ++t) {
        const auto value = [&](std::uint32_t n) { return platform_.read_msr(t, n).value_or(0); };
        saved s;
        for (const auto& [number, bits] : registers_.busy)
            if ((value(number) & bits) != 0) return false;
        for (std::uint32_t c = 0; c < registers_.counters; ++c) {
            s.push_back(value(registers_.select + c));
            if ((s.back() & enabled) != 0) return false;
        }
        for (std::uint32_t c = 0; c < registers_.counters; ++c)
            s.push_back(value(registers_.counter + c));
        for (const std::uint32_t n : registers_.others) s.push_back(value(n));
        saved_.push_back(std::move(s));
    }
    taken_ = true;
    return true;
}

// Selections first: no counter counts while others change.
void msr_source::give_back() {
    if (!std::exchange(taken_, false)) return;
    for (unsigned t = 0; t < shape_.threads(); ++t) {
        std::size_t n = 0;
        for (const std::uint32_t first : {registers_.select, registers_.counter})
            for (std::uint32_t c = 0; c < registers_.counters; ++c)
                platform_.write_msr(t, first + c, saved_[t][n++]);
        for (const std::uint32_t number : registers_.others)
            platform_.write_msr(t, number, saved_[t][n++]);
    }
}

void msr_source::select(std::size_t group) {
    for (unsigned t = 0; t < shape_.threads(); ++t) {
        for (std::uint32_t c = 0; c < registers_.counters; ++c) {
            const std::size_t n = group * registers_.counters + c;
            const std::uint64_t code =
                n < events_.size() ? enabled | both_rings | *code_of(shape_.registers, events_[n])
                                   : 0;
            platform_.write_msr(t, registers_.select + c, code);
            platform_.write_msr(t, registers_.counter + c, 0);
        }
        for (const registers::fixed_counter& f : registers_.fixed)
            platform_.write_msr(t, f.counter, 0);
        for (const auto& [number, value] : registers_.start) platform_.write_msr(t, number, value);
    }
}

void msr_source::add(unsigned thread, std::size_t event, std::uint32_t counter, std::uint64_t part,
                     std::uint64_t whole) {
    const std::uint64_t n = platform_.read_msr(thread, counter).value_or(0);
    const double scale = static_cast<double>(whole) / static_cast<double>(part);
    now_.threads[thread].events[event] +=
        part == whole ? n
                      : static_cast<std::uint64_t>(std::llround(scale * static_cast<double>(n)));
}

void msr_source::add(std::size_t group, std::uint64_t part, std::uint64_t whole) {
    for (unsigned t = 0; t < shape_.threads(); ++t) {
        for (std::uint32_t c = 0; c < registers_.counters; ++c)
            if (const std::size_t n = group * registers_.counters + c; n < events_.size())
                add(t, events_[n], registers_.counter + c, part, whole);
        // These count in the parts of all groups.
        for (const registers::fixed_counter& f : registers_.fixed)
            if (shape_.events[f.event]) add(t, f.event, f.counter, part, part);
    }
}

snapshot msr_source::read(std::uint64_t cycle, bool) {
    const std::uint64_t begin = now_.cycle;
    const std::uint64_t whole = cycle > begin ? cycle - begin : 0;
    if (!taken_ || whole < groups() || now_.ended) return now_;
    for (std::size_t g = 0; g < groups(); ++g) {
        const std::uint64_t from = now_.cycle;
        select(g);
        snapshot s = platform_.read(begin + whole * (g + 1) / groups(), true);
        // The last counts are in registers of a platform that is gone.
        if (s.ended) {
            taken_ = false;
            now_.ended = true;
            return now_;
        }
        for (std::size_t t = 0; t < s.threads.size(); ++t)
            s.threads[t].events = now_.threads[t].events;
        now_ = std::move(s);
        add(g, now_.cycle - from, whole);
    }
    return now_;
}

}  // namespace knc::monitor
