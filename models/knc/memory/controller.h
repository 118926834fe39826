// One GDDR5 memory controller: takes reads and writes of lines, says when each is done.
//
// Models: two 32-bit interfaces, in lockstep as one of 64 bits or each for itself; the way into and
// out of the controller as fixed times; reads answered by a write that still waits; a bounded
// queue. Time is in core clocks outside and command clocks inside (controller_clock). Leaves out:
// data (a caller moves them when it submits: requests of one line take effect in that order), ECC,
// byte masks (a masked write costs what a whole one does).
// Source: McCalpin 2013 for the interfaces; gddr5_timing.h; docs/memory.md.
#ifndef KNC_MEMORY_CONTROLLER_H
#define KNC_MEMORY_CONTROLLER_H

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include <knc/base/clock.h>
#include <knc/memory/controller_clock.h>
#include <knc/memory/gddr5_channel.h>
#include <knc/memory/gddr5_layout.h>
#include <knc/memory/gddr5_timing.h>

namespace knc::memory {

struct controller_parameters {
    gddr5_parameters gddr5;
    // Its bursts_per_line and age_limit are ignored: they follow from members below.
    gddr5_organisation organisation;
    // The two interfaces work as one, each line spread over both: McCalpin 2013.
    bool lockstep = true;
    // Bytes of a row of one interface of 32 bits: two chips of 2 KB (McCalpin 2013).
    std::uint32_t row_bytes = 4096;
    // Consecutive lines of one bank group, at most those of a row. So few that a stream alone
    // alternates between groups, as many as keep rows long enough in use; unverified.
    std::uint32_t group_lines = 8;
    // From the request's arrival to its first command, from the last read data to the answer.
    // Unverified: chosen so that memory is as much slower than a remote L2 as published (300
    // against 250 clocks, see docs/memory.md).
    std::uint32_t front_end_ps = 20'000;
    std::uint32_t back_end_ps = 20'000;
    // Age at which a request goes before all others; unverified.
    std::uint32_t age_limit_ps = 500'000;
};

class controller {
  public:
    struct completion {
        base::cycle_t clock;
        std::uint64_t id;
    };

    // `core_hz`: 1 .. 10^10. Throws std::invalid_argument for parameters that their comments, here
    // or in the parts, rule out.
    controller(const controller_parameters&, std::uint64_t core_hz);

    // A request for `line`, a line number within this controller, counted without gaps, made in
    // core clock `clock`. False, and nothing has happened, if the queue for it is full: try again
    // at next_room(). Throws std::logic_error if `clock` is before now().
    bool submit(std::uint64_t line, bool write, base::cycle_t clock, std::uint64_t id);

    // Appends the requests done at or before core clock `until`, by clock, then in the order they
    // were submitted, and goes there. A read is done when its data leave the controller, a write
    // when its data are in the memory. Nothing depends on how often this is called.
    void run(base::cycle_t until, std::vector<completion>& done);

    // If nothing is submitted, nothing is done before this clock (at it, perhaps nothing either);
    // base::never if nothing is under way. After run(): after now().
    base::cycle_t next_event() const;
    // First clock at which a request refused now() may be taken.
    base::cycle_t next_room() const;
    base::cycle_t now() const { return now_; }

    // The sum over the interfaces; up to now().
    gddr5_counts counts() const;
    std::uint64_t reads_forwarded() const { return forwarded_; }

  private:
    struct pending {
        base::cycle_t clock;
        std::uint64_t order, id;
        bool operator>(const pending& o) const {
            return clock != o.clock ? clock > o.clock : order > o.order;
        }
    };

    void advance(base::cycle_t);

    const controller_clock clock_;
    const ck_t front_end_, back_end_;
    const gddr5_layout layout_;
    std::vector<gddr5_channel> channels_;
    base::cycle_t now_ = 0;
    ck_t now_ck_ = 0;  // the first not before it
    std::uint64_t submitted_ = 0;
    std::uint64_t forwarded_ = 0;
    std::vector<gddr5_transfer> transfers_;
    std::priority_queue<pending, std::vector<pending>, std::greater<>> pending_;
};

}  // namespace knc::memory

#endif
