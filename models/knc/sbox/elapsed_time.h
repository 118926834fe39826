// The elapsed time counter (ETC) of the SBOX.
//
// Models: a 64-bit counter that adds 32 in each cycle of a 15.625 MHz clock (64 ns). Software can
// freeze it. It is derived exactly from the core clock: after c core cycles of f Hz it has counted
// floor(c * 15.625 MHz / f) cycles of its own. Leaves out: the spread spectrum that makes a real
// counter drift. Source: comments of the card's kernel.
#ifndef KNC_SBOX_ELAPSED_TIME_H
#define KNC_SBOX_ELAPSED_TIME_H

#include <cstdint>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>

namespace knc::sbox {

class elapsed_time {
  public:
    static constexpr std::uint64_t hz = 15'625'000;
    static constexpr unsigned fraction_bits = 5;  // the lowest ones, which read 0

    // `clock_hz`: the frequency of the cycles in `now`.
    explicit elapsed_time(std::uint64_t clock_hz) : clock_hz_(clock_hz) {}

    std::uint64_t value(base::cycle_t now) const {
        return ((frozen_ ? stopped_at_ : ticks(now)) - lost_) << fraction_bits;
    }
    bool frozen() const { return frozen_; }
    void reset(base::cycle_t now) {
        lost_ = ticks(now);
        frozen_ = false;
    }
    // A frozen counter continues from the value at which it stopped.
    void freeze(bool stop, base::cycle_t now) {
        if (stop == frozen_) return;
        if (stop)
            stopped_at_ = ticks(now);
        else
            lost_ += ticks(now) - stopped_at_;
        frozen_ = stop;
    }
    void serialize(base::archive&);

  private:
    std::uint64_t ticks(base::cycle_t now) const {
        __extension__ using wide = unsigned __int128;
        return static_cast<std::uint64_t>(wide{now} * hz / clock_hz_);
    }

    std::uint64_t clock_hz_;
    std::uint64_t stopped_at_ = 0, lost_ = 0;
    bool frozen_ = false;
};

}  // namespace knc::sbox

#endif
