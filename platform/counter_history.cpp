#include <platform/counter_history.h>

#include <utility>

namespace platform {

namespace {

namespace base = knc::base;

constexpr base::event from_other_cores[] = {base::l2_code_read_miss_cache_fill,
                                            base::l2_data_read_miss_cache_fill,
                                            base::l2_data_write_miss_cache_fill};

core_history::counts counts_of(const knc::core::core& c) {
    core_history::counts n{};
    // Every thread's row has the core's events.
    n[core_history::unhalted] = c.counts().total(0, base::cpu_clk_unhalted);
    for (std::size_t t = 0; t < base::threads_per_core; ++t) {
        n[core_history::instructions] += c.counts().total(t, base::instructions_executed);
        n[core_history::l1_misses] += c.counts().total(t, base::data_read_miss_or_write_miss);
        n[core_history::l2_misses] += c.counts().total(t, base::l2_read_miss);
        for (const base::event e : from_other_cores)
            n[core_history::remote] += c.counts().total(t, e);
        n[core_history::awake] += c.awake_cycles(t);
    }
    return n;
}

}  // namespace

void counter_history::add(const knc::card::card& c) {
    history_point p;
    p.at = c.now();
    p.cores.reserve(c.tiles());
    for (std::size_t i = 0; i < c.tiles(); ++i) p.cores.push_back(counts_of(c[i].cpu()));
    const knc::card::network_counts network = c.carried();
    p.ring_busy = network.busy_cycles;
    for (const auto& m : network.controllers) {
        p.reads += m.reads;
        p.writes += m.writes;
    }
    add(std::move(p));
}

void counter_history::add(history_point p) {
    // The end of a run may be a point already.
    if (!points_.empty() && points_.back().at == p.at) return;
    points_.push_back(std::move(p));
    if (points_.size() == most) {
        // Points are at multiples of the interval, from 1 on; the odd ones go.
        for (std::size_t n = 0; n < most / 2; ++n) points_[n] = std::move(points_[2 * n + 1]);
        points_.resize(most / 2);
        interval_ *= 2;
    }
    next_ = points_.back().at + interval_;
}

}  // namespace platform
