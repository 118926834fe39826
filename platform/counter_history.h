// What a card has counted over time, for report.html.
//
// Models no hardware. Keeps the counts of each core and of the card at multiples of an interval of
// clocks. The interval doubles, and every second point goes, when there are too many, so a run of
// any length needs bounded memory. Points depend on clocks only. Leaves out: most events; those of
// a single thread. Source: docs/page.md.
#ifndef KNC_PLATFORM_COUNTER_HISTORY_H
#define KNC_PLATFORM_COUNTER_HISTORY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/card/card.h>

namespace platform {

// The counts of a core since the start of the run: sums of its threads', but for unhalted clocks.
// `remote`: lines that came from another core's L2.
struct core_history {
    enum : std::size_t { instructions, unhalted, l1_misses, l2_misses, remote, awake, count };
    using counts = std::array<std::uint64_t, count>;
};

struct history_point {
    knc::base::cycle_t at = 0;
    std::vector<core_history::counts> cores;
    std::uint64_t ring_busy = 0, reads = 0, writes = 0;  // of the network

    void serialize(knc::base::archive&);
};

class counter_history {
  public:
    static constexpr std::size_t most = 512;
    static constexpr knc::base::cycle_t first_interval = 1024;

    // The clock of the next point; base::never: none is wanted.
    knc::base::cycle_t next() const { return next_; }
    void begin() { next_ = first_interval; }
    // Those until now; what is loaded goes on behind clock `now`, if any points are wanted.
    void serialize(knc::base::archive&, knc::base::cycle_t now);
    // In clock next(), or after the run.
    void add(const knc::card::card&);
    void add(history_point);

    // The last one may be less than an interval after the one before.
    const std::vector<history_point>& points() const { return points_; }
    knc::base::cycle_t interval() const { return interval_; }

  private:
    std::vector<history_point> points_;
    knc::base::cycle_t interval_ = first_interval, next_ = knc::base::never;
};

}  // namespace platform

#endif
