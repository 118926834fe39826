#include <knc/monitor/msr_source.h>

#include <cmath>
#include <utility>

#include <knc/pmu/event_table.h>

namespace knc::monitor {

namespace {

// MSRs of a thread. Counters and selections have two each.
constexpr std::uint32_t counter0 = 0x20, selection0 = 0x28, filter_mask = 0x2c, global_ctrl = 0x2f;
// What is saved, in the order in which it is given back: no counter counts while others change.
constexpr std::uint32_t saved_numbers[] = {selection0,   selection0 + 1, counter0,
                                           counter0 + 1, filter_mask,    global_ctrl};
constexpr std::uint64_t enabled = 1 << 22, both_rings = 3 << 16;

std::uint64_t selection_of(std::size_t event) {
    const pmu::event_info& e = pmu::info(static_cast<base::event>(event));
    return enabled | both_rings | std::uint64_t{e.umask} << 8 | e.select;
}

}  // namespace

msr_source::msr_source(source_if& platform, std::vector<std::size_t> events)
    : platform_(platform), events_(std::move(events)) {}

msr_source::~msr_source() {
    give_back();
}

bool msr_source::take() {
    now_ = platform_.read(0, true);
    for (thread_counts& t : now_.threads) t.events.fill(0);
    saved_.clear();
    for (unsigned t = 0; t < shape().threads(); ++t) {
        saved s{};
        for (std::size_t n = 0; n < s.size(); ++n)
            s[n] = platform_.read_msr(t, saved_numbers[n]).value_or(0);
        if (((s[0] | s[1]) & enabled) != 0) return false;
        saved_.push_back(s);
    }
    taken_ = true;
    return true;
}

void msr_source::give_back() {
    if (!std::exchange(taken_, false)) return;
    for (unsigned t = 0; t < shape().threads(); ++t)
        for (std::size_t n = 0; n < saved_registers; ++n)
            platform_.write_msr(t, saved_numbers[n], saved_[t][n]);
}

void msr_source::select(std::size_t group) {
    for (unsigned t = 0; t < shape().threads(); ++t) {
        for (std::uint32_t c = 0; c < counters; ++c) {
            const std::size_t n = group * counters + c;
            platform_.write_msr(t, selection0 + c,
                                n < events_.size() ? selection_of(events_[n]) : 0);
            platform_.write_msr(t, counter0 + c, 0);
        }
        platform_.write_msr(t, filter_mask, 0);
        platform_.write_msr(t, global_ctrl, 3);
    }
}

void msr_source::add(std::size_t group, std::uint64_t part, std::uint64_t whole) {
    const double scale = static_cast<double>(whole) / static_cast<double>(part);
    for (unsigned t = 0; t < shape().threads(); ++t)
        for (std::uint32_t c = 0; c < counters && group * counters + c < events_.size(); ++c) {
            const std::uint64_t n = platform_.read_msr(t, counter0 + c).value_or(0);
            now_.threads[t].events[events_[group * counters + c]] +=
                part == whole
                    ? n
                    : static_cast<std::uint64_t>(std::llround(scale * static_cast<double>(n)));
        }
}

snapshot msr_source::read(std::uint64_t cycle, bool) {
    const std::size_t groups = (events_.size() + counters - 1) / counters;
    const std::uint64_t begin = now_.cycle;
    const std::uint64_t whole = cycle > begin ? cycle - begin : 0;
    if (!taken_ || whole < groups || now_.ended) return now_;
    for (std::size_t g = 0; g < groups; ++g) {
        const std::uint64_t from = now_.cycle;
        select(g);
        snapshot s = platform_.read(begin + whole * (g + 1) / groups, true);
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
