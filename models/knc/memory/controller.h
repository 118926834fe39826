// One GDDR5 memory controller: accepts reads and writes of lines and reports when each is complete.
//
// Models: two 32-bit interfaces, in lockstep as one of 64 bits or independent; fixed times for the
// front end and the back end; a read forwarded from a write that still waits; bounded queues. Time
// is in core cycles outside and in command clocks inside (controller_clock). Leaves out: data (the
// caller moves them when it submits: requests for one line take effect in that order), ECC, byte
// masks (a masked write costs as much as a whole one). Source: McCalpin 2013 for the interfaces;
// gddr5_timing.h; docs/memory.md.
#ifndef KNC_MEMORY_CONTROLLER_H
#define KNC_MEMORY_CONTROLLER_H

#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/base/fifo.h>
#include <knc/memory/controller_clock.h>
#include <knc/memory/gddr5_channel.h>
#include <knc/memory/gddr5_layout.h>
#include <knc/memory/gddr5_timing.h>

namespace knc::memory {

struct controller_parameters {
    gddr5_parameters gddr5;
    // bursts_per_line and age_limit are ignored: they follow from the members below.
    gddr5_organisation organisation;
    // The two interfaces work as one, and each line is spread over both: McCalpin 2013.
    bool lockstep = true;
    // Bytes of a row of one 32-bit interface: two chips of 2 KB (McCalpin 2013).
    std::uint32_t row_bytes = 4096;
    // Consecutive lines of one bank group, at most the lines of a row. A small number lets a single
    // stream alternate between groups, a large one keeps a row in use for longer. Unverified.
    std::uint32_t group_lines = 8;
    // The time from the request's arrival to its first command, and the time from the last read
    // data to the response. Unverified: chosen so that memory is slower than a remote L2 by the
    // published difference (300 against 250 cycles, see docs/memory.md).
    std::uint32_t front_end_ps = 20'000;
    std::uint32_t back_end_ps = 20'000;
    // The age at which a request has priority over all others; unverified.
    std::uint32_t age_limit_ps = 500'000;
};

class controller {
  public:
    struct completion {
        base::cycle_t clock;
        std::uint64_t id;
    };

    // `core_hz`: 1 .. 10^10. Throws std::invalid_argument for parameters outside the ranges in the
    // comments here and in the parts' headers.
    controller(const controller_parameters&, std::uint64_t core_hz);

    // A request for `line`, made in core cycle `clock`. Lines are numbered within this controller,
    // without gaps. Returns false and does nothing if the queue was full then: repeat at
    // next_room(). Requests are submitted in the order of their cycles. Throws std::logic_error if
    // `clock` is more than latest() before now().
    bool submit(std::uint64_t line, bool write, base::cycle_t clock, std::uint64_t id);
    // How many cycles after its own one a request may be submitted: the front end takes at least as
    // many, so nothing has depended on it before.
    base::cycle_t latest() const { return latest_; }

    // Advances to core cycle `until` and appends the requests completed by then, by cycle, then in
    // the order of submission. A read is complete when its data leave the controller, a write when
    // its data are in the memory. The result does not depend on how the cycles are split into
    // calls.
    void run(base::cycle_t until, std::vector<completion>& done);
    // As run(until), and appends those that complete before a later cycle, which it returns. That
    // is so near that no request can change them any more.
    base::cycle_t run_ahead(base::cycle_t until, std::vector<completion>& done);

    // If no request is submitted, no request completes before this cycle, and perhaps none in it.
    // base::never: no request is outstanding. After run() it is later than now(). For the only
    // request it is the completion, unless a refresh delays that.
    base::cycle_t next_completion() const;
    // The same, but without a look at the state of the banks, so it is earlier. Whoever runs the
    // controller in these cycles, too, soon sees the effect of a command in used() and counts().
    base::cycle_t next_event() const;
    // The first cycle in which the controller may accept a request that it rejected in `clock`.
    base::cycle_t next_room(base::cycle_t clock) const;
    base::cycle_t now() const { return now_; }

    // For a waveform: the state of interface 0, up to now().
    gddr5_channel::occupancy used() const { return channels_.front().used(); }
    // The sum over the interfaces, up to now().
    gddr5_counts counts() const;
    std::uint64_t reads_forwarded() const { return forwarded_; }

  private:
    struct pending {
        base::cycle_t clock;
        std::uint64_t order, id;
        bool is_after(const pending& o) const {
            return clock != o.clock ? clock > o.clock : order > o.order;
        }
    };

    // A request whose last column command has been issued.
    struct served {
        ck_t command;
        std::uint64_t line;
        std::uint32_t channel;
        bool write;
    };

    void advance(base::cycle_t);
    void run_channels(ck_t until);
    void take_before(base::cycle_t end, std::vector<completion>& done);
    void expect(const pending&);
    void forget_served();
    std::size_t waited_at(std::uint32_t channel, bool write, ck_t) const;
    bool held_write_at(std::uint64_t line, ck_t) const;

    const controller_clock clock_;
    const ck_t front_end_, back_end_;
    const base::cycle_t latest_;
    const gddr5_layout layout_;
    std::vector<gddr5_channel> channels_;
    base::cycle_t now_ = 0;
    ck_t now_ck_ = 0;    // the first CK that does not begin before now_
    ck_t ahead_ck_ = 0;  // the channels have issued the commands before this CK
    std::uint64_t submitted_ = 0;
    std::uint64_t forwarded_ = 0;
    std::vector<gddr5_transfer> transfers_;
    base::fifo<served> served_;     // those of the last latest() cycles, and perhaps earlier ones
    std::vector<pending> pending_;  // the last one to complete first
};

}  // namespace knc::memory

#endif
