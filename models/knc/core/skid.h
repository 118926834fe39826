// Skid: the cycles from a counter overflow to the first instruction of the performance interrupt's
// handler, for one thread.
//
// Models no hardware: measures the interrupts and stores their number, extremes and sums. A
// measurement of an interrupt request (a vector, or NMI) starts with the first edge that caused it.
// It has three parts. Delivery is from the cycle of the overflow to the cycle in which the local
// APIC has the request. Boundary is from there to the cycle in which the thread accepts it instead
// of an instruction. Entry is from there to the cycle in which the handler's first instruction
// issues. Leaves out: requests that never reach their handler, because of INIT, a fault during
// event entry, or the end of the run. Source: docs/pmu.md, "Skid".
#ifndef KNC_CORE_SKID_H
#define KNC_CORE_SKID_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>

namespace knc::core {

// Minimum, maximum and sum of some numbers; all 0 if there are none.
struct spread {
    std::uint64_t min = 0, max = 0, sum = 0;

    void serialize(base::archive&);

    // Of `count` numbers.
    double mean(std::uint64_t count) const {
        return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
    }
};

struct skid_statistics {
    std::uint64_t count = 0;                  // interrupts whose handler began
    spread total, delivery, boundary, entry;  // cycles; the sums of the parts add up to the total's
    spread instructions;  // retired by the thread after the overflow's cycle, before the interrupt
    // histogram[n]: interrupts with a total of lowest(n) to lowest(n + 1) - 1 cycles. The last bin
    // includes all larger ones.
    static constexpr std::size_t bins = 32;
    static constexpr std::uint64_t lowest(std::size_t n) {
        return n == 0 ? 0 : std::uint64_t{1} << n;
    }
    std::array<std::uint64_t, bins> histogram{};

    void serialize(base::archive&);
};

// One of the interrupts, by its cycles.
struct skid_record {
    base::cycle_t overflow = 0, requested = 0, taken = 0, handler = 0;

    void serialize(base::archive&);
};

// Some of the interrupts of a run, in order: every `stride`th one, the first among them. The stride
// doubles when there are too many.
struct skid_records {
    static constexpr std::size_t most = 128;
    std::uint64_t stride = 1;
    std::vector<skid_record> kept;

    // The interrupt is the run's `number`th, from 0 on.
    void add(std::uint64_t number, const skid_record&);
    void serialize(base::archive&);
};

class skid_meter {
  public:
    // A request of the local APIC to the thread: a vector, or NMI.
    using request = std::uint16_t;
    static constexpr request nmi = 0x100;

    // The overflow of cycle `overflow` has become request `r` in cycle `now`. By the end of
    // `overflow` the thread had retired `retired` instructions. `stands`: the request was pending
    // already; a measurement that started with an earlier edge covers this one too.
    void requested(request r, bool stands, base::cycle_t overflow, std::uint64_t retired,
                   base::cycle_t now);
    // The thread accepts `r` in cycle `now`; event entry starts.
    void taken(request r, std::uint64_t retired, base::cycle_t now);
    // Event entry has ended, at the requested handler or, because of a fault, at another one.
    void entered(bool as_asked);
    // Another event is delivered before the handler's first instruction. The measurement continues
    // when the thread is back at `ip` with the stack pointer `sp`.
    void interrupted(std::uint64_t ip, std::uint64_t sp);
    // The thread continues at `ip`.
    void resumed(std::uint64_t ip, std::uint64_t sp);
    // The thread has issued an instruction in cycle `now`.
    void issued(base::cycle_t now);

    // Whether a measured interrupt is in event entry, or its handler has not started: only then are
    // the calls above needed.
    bool entering() const { return stage_ == stage::entry; }
    bool due() const { return stage_ == stage::due; }
    bool suspended() const { return stage_ == stage::suspended; }

    // The local APIC drops its pending requests.
    void forget_requests() { waiting_.clear(); }
    // INIT: abandons the measurements in progress.
    void abandon();

    const skid_statistics& statistics() const { return statistics_; }
    const skid_records& records() const { return records_; }
    void serialize(base::archive&);

  private:
    enum class stage : std::uint8_t { none, entry, due, suspended };
    struct measurement {
        request asked = 0;
        base::cycle_t overflow = 0, requested = 0, taken = 0;
        std::uint64_t retired = 0;  // at the overflow; after acceptance, since the overflow

        void serialize(base::archive&);
    };
    void add(spread&, std::uint64_t value) const;

    std::vector<measurement> waiting_;  // one per request
    stage stage_ = stage::none;
    measurement present_;
    std::uint64_t ip_ = 0, sp_ = 0;  // where the suspended handler starts
    skid_statistics statistics_;
    skid_records records_;
};

}  // namespace knc::core

#endif
