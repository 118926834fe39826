#include <knc/monitor/msr_source.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <knc/pmu/event_table.h>
#include <knc/pmu/p55c_events.h>
#include <knc/pmu/perfmon_events.h>

namespace knc::monitor {

namespace {

using pmu::front_end_kind;

constexpr std::uint64_t enabled = 1 << 22, both_rings = 3 << 16;
constexpr std::uint32_t cesr = 0x11;
// Of a Pentium's counter, in CESR: any CPL; clocks; the pin shows overflows, of which there are
// none, for it may be wired to an interrupt.
constexpr std::uint64_t any_level = 3 << 6, by_clocks = 1 << 8, quiet_pin = 1 << 9;

// A core of one thread is not halted while the thread is not: a Pentium has one event for two
// cells.
std::size_t one_cell(front_end_kind kind, std::size_t cell) {
    const bool other = kind == front_end_kind::p55c && cell == base::cpu_clk_unhalted;
    return other ? std::size_t{base::unhalted_core_cycles} : cell;
}

// The event of a Pentium whose count the cell is.
const pmu::p55c_event* pentium_event(std::size_t cell) {
    cell = one_cell(front_end_kind::p55c, cell);
    for (const pmu::p55c_event& e : pmu::p55c_events())
        if (e.cell == cell && (e.counters & pmu::of_manual) == 0) return &e;
    return nullptr;
}

// What software writes to have a counter count the event; on a Pentium its half of CESR.
std::optional<std::uint64_t> selection_of(front_end_kind kind, std::size_t event) {
    const auto cell = static_cast<base::event>(event);
    if (kind == front_end_kind::knc && event < base::event_count) {
        const pmu::event_info& e = pmu::info(cell);
        return enabled | both_rings | std::uint64_t{e.umask} << 8 | e.select;
    }
    if (kind == front_end_kind::perfmon)
        for (const pmu::perfmon_event& e : pmu::perfmon_events())
            if (e.cell == cell)
                return enabled | both_rings | std::uint64_t{e.umask} << 8 | e.select;
    if (kind == front_end_kind::p55c)
        if (const pmu::p55c_event* const e = pentium_event(event); e != nullptr)
            return e->code | any_level | quiet_pin |
                   (e->kind == pmu::event_kind::duration ? by_clocks : 0);
    return {};
}

bool counts(front_end_kind kind, std::size_t event, std::size_t counter) {
    return kind != front_end_kind::p55c || (pentium_event(event)->counters >> counter & 1) != 0;
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
    std::uint32_t counter, counters;  // the first one, and how many there are
    std::uint32_t select, selects;    // the same of the event selects; one of a Pentium has both
    std::vector<fixed_counter> fixed;
    // Written, in this order, when the selections are; and what they are to be before, for the
    // counters to be free: `busy` of a register's bits is set if the guest counts.
    std::vector<setting> start;
    std::vector<setting> busy;
    // What is saved beside counters and selections, in the order in which it is given back.
    std::vector<std::uint32_t> others;
};

const msr_source::registers& msr_source::registers_of(const platform_shape& p) {
    static const registers knc{
        0x20,        2, 0x28, 2, {}, {{0x2c, 0}, {0x2f, 3}}, {{0x28, enabled}, {0x29, enabled}},
        {0x2c, 0x2f}};
    // Fixed counters 0 and 1 count in both rings, without interrupts.
    static const registers perfmon{
        0xc1,
        4,
        0x186,
        4,
        {{base::instructions_executed, 0x309}, {base::unhalted_core_cycles, 0x30a}},
        {{0x38d, 0x33}, {0x38f, 0x30000000f}},
        {{0x186, enabled}, {0x187, enabled}, {0x188, enabled}, {0x189, enabled}, {0x38d, 0xfff}},
        {0x309, 0x30a, 0x38d, 0x38f}};
    // A counter whose CC is 0 or 4 counts nothing.
    static const registers p55c{0x12, 2, cesr, 1, {}, {}, {{cesr, any_level | any_level << 16}},
                                {}};
    switch (p.registers) {
        case front_end_kind::perfmon:
            return perfmon;
        case front_end_kind::p55c:
            return p55c;
        default:
            return knc;
    }
}

bool msr_source::can_count(const platform_shape& p, std::size_t event) {
    return event < base::cell_count && p.events[event] && selection_of(p.registers, event);
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
        if (!fixed) assign(one_cell(shape_.registers, e));
        shape_.events.set(e);
    }
}

// To the first group that has a counter for the event, if none has it yet.
void msr_source::assign(std::size_t event) {
    const std::size_t n = registers_.counters;
    for (const auto& g : groups_)
        if (std::find(g.begin(), g.end(), event) != g.end()) return;
    for (std::size_t g = 0;; ++g) {
        if (g == groups_.size()) groups_.emplace_back(n, none);
        for (std::size_t c = 0; c < n; ++c) {
            if (groups_[g][c] != none || !counts(shape_.registers, event, c)) continue;
            groups_[g][c] = event;
            return;
        }
    }
}

msr_source::~msr_source() {
    give_back();
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
        for (std::uint32_t c = 0; c < registers_.selects; ++c)
            s.push_back(value(registers_.select + c));
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
        for (std::uint32_t c = 0; c < registers_.selects; ++c)
            platform_.write_msr(t, registers_.select + c, saved_[t][n++]);
        for (std::uint32_t c = 0; c < registers_.counters; ++c)
            platform_.write_msr(t, registers_.counter + c, saved_[t][n++]);
        for (const std::uint32_t number : registers_.others)
            platform_.write_msr(t, number, saved_[t][n++]);
    }
}

void msr_source::select(std::size_t group) {
    // By register; a Pentium's has a half for each counter.
    std::vector<std::uint64_t> selections(registers_.selects);
    const std::size_t each = registers_.counters / registers_.selects;
    for (std::size_t c = 0; c < registers_.counters; ++c)
        if (const std::size_t e = event_at(group, c); e != none)
            selections[c / each] |= *selection_of(shape_.registers, e) << 16 * (c % each);
    for (unsigned t = 0; t < shape_.threads(); ++t) {
        // No counter counts while they change.
        for (std::uint32_t s = 0; s < registers_.selects; ++s)
            platform_.write_msr(t, registers_.select + s, 0);
        for (std::uint32_t c = 0; c < registers_.counters; ++c)
            platform_.write_msr(t, registers_.counter + c, 0);
        for (std::uint32_t s = 0; s < registers_.selects; ++s)
            platform_.write_msr(t, registers_.select + s, selections[s]);
        for (const registers::fixed_counter& f : registers_.fixed)
            platform_.write_msr(t, f.counter, 0);
        for (const auto& [number, value] : registers_.start) platform_.write_msr(t, number, value);
    }
}

void msr_source::add(unsigned thread, std::size_t event, std::uint32_t counter, std::uint64_t part,
                     std::uint64_t whole) {
    const std::uint64_t n = platform_.read_msr(thread, counter).value_or(0);
    const double scale = static_cast<double>(whole) / static_cast<double>(part);
    const std::uint64_t counted =
        part == whole ? n
                      : static_cast<std::uint64_t>(std::llround(scale * static_cast<double>(n)));
    base::event_row& events = now_.threads[thread].events;
    events[event] += counted;
    if (shape_.registers == front_end_kind::p55c && event == base::unhalted_core_cycles)
        events[base::cpu_clk_unhalted] = events[event];
}

void msr_source::add(std::size_t group, std::uint64_t part, std::uint64_t whole) {
    for (unsigned t = 0; t < shape_.threads(); ++t) {
        for (std::uint32_t c = 0; c < registers_.counters; ++c)
            if (const std::size_t e = event_at(group, c); e != none)
                add(t, e, registers_.counter + c, part, whole);
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
