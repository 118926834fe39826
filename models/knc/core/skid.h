// Skid: how long the performance interrupts of one thread took from the overflow to the first
// instruction of their handler, part by part.
//
// Models nothing: it is told what happened and keeps number, extremes and sums. An interrupt
// request (a vector, or NMI) is measured from the first edge that asked for it; what happens to the
// request from there on has three parts:
//   delivery  the clock of the overflow to that in which the local APIC has the request;
//   boundary  from there to the clock in which the thread takes it instead of an instruction;
//   entry     from there to the clock in which the handler's first instruction issues.
// Leaves out requests that never get there: INIT, a fault during event entry, the end of the run.
// docs/pmu.md, "Skid".
#ifndef KNC_CORE_SKID_H
#define KNC_CORE_SKID_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/clock.h>

namespace knc::core {

// Extremes and sum of some numbers; all 0 of none.
struct spread {
    std::uint64_t min = 0, max = 0, sum = 0;

    // Of `count` numbers.
    double mean(std::uint64_t count) const {
        return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
    }
};

struct skid_statistics {
    std::uint64_t count = 0;                  // interrupts whose handler began
    spread total, delivery, boundary, entry;  // clocks; the sums of the parts add up to the total's
    spread instructions;  // retired by the thread after the overflow's clock, before the interrupt
    // histogram[n]: interrupts of lowest(n) to lowest(n + 1) - 1 clocks in total, the last one
    // those of more too.
    static constexpr std::size_t bins = 32;
    static constexpr std::uint64_t lowest(std::size_t n) {
        return n == 0 ? 0 : std::uint64_t{1} << n;
    }
    std::array<std::uint64_t, bins> histogram{};
};

class skid_meter {
  public:
    // What the local APIC asks the thread for: a vector, or NMI.
    using request = std::uint16_t;
    static constexpr request nmi = 0x100;

    // The overflow of clock `overflow`, by the end of which the thread had retired `retired`
    // instructions, has become request `r` at clock `now`. `stands`: the request stood already, and
    // one measured from an earlier edge takes this one in.
    void requested(request r, bool stands, base::cycle_t overflow, std::uint64_t retired,
                   base::cycle_t now);
    // The thread takes `r` in clock `now`; event entry begins.
    void taken(request r, std::uint64_t retired, base::cycle_t now);
    // Event entry has ended, at the handler asked for or, because of a fault, at another one.
    void entered(bool as_asked);
    // Another event is delivered before anything of the handler has issued: the handler is as far
    // as it was once the thread is back at `ip` with the stack pointer `sp`.
    void interrupted(std::uint64_t ip, std::uint64_t sp);
    // The thread goes on at `ip`.
    void resumed(std::uint64_t ip, std::uint64_t sp);
    // The thread has issued an instruction in clock `now`.
    void issued(base::cycle_t now);

    // Event entry of a measured interrupt goes on, or its handler has not begun: the calls above
    // are wanted.
    bool entering() const { return stage_ == stage::entry; }
    bool due() const { return stage_ == stage::due; }
    bool suspended() const { return stage_ == stage::suspended; }

    // Requests that wait in the local APIC are dropped there.
    void forget_requests() { waiting_.clear(); }
    // INIT: nothing that was measured ends any more.
    void abandon();

    const skid_statistics& statistics() const { return statistics_; }

  private:
    enum class stage : std::uint8_t { none, entry, due, suspended };
    struct measurement {
        request asked = 0;
        base::cycle_t overflow = 0, requested = 0, taken = 0;
        std::uint64_t retired = 0;  // at the overflow; once taken, since then
    };
    void add(spread&, std::uint64_t value) const;

    std::vector<measurement> waiting_;  // one per request
    stage stage_ = stage::none;
    measurement present_;
    std::uint64_t ip_ = 0, sp_ = 0;  // where the suspended handler begins
    skid_statistics statistics_;
};

}  // namespace knc::core

#endif
