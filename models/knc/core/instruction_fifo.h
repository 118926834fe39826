// The FIFO between the F stage and the D1 stage of a Pentium with MMX.
//
// Models: F finds the ends of up to two instructions a clock and puts them into a FIFO of four, in
// program order; each prefix takes it a clock more. D1 takes none, one or two in a clock. Clocks
// are those of the issue: an instruction may issue from the clock on in which it is in the FIFO.
// Leaves out: fetches ahead of the instruction that issues (its wait for a line is the FIFO's).
// Source: Intel's MMX developer's guide, chapters 2 and 6; docs/p55c.md.
#ifndef KNC_CORE_INSTRUCTION_FIFO_H
#define KNC_CORE_INSTRUCTION_FIFO_H

#include <algorithm>
#include <array>
#include <cstdint>

#include <knc/base/clock.h>

namespace knc::core {

class instruction_fifo {
  public:
    // It is empty, and has the first two instructions without prefixes in clock `c`.
    void restart(base::cycle_t c) {
        last_ = {c, 0};
        freed_.fill(0);
        next_ = 0;
    }
    // The bytes of the next instruction come in clock `c`.
    void arrive(base::cycle_t c) {
        if (last_.clock < c) last_ = {c, 0};
    }
    // The branch taken last has been followed rightly: its target comes in a clock of its own.
    void redirect() { last_.in_clock = width; }

    // The first clock in which the next instruction, or the one after it, can issue. `prefixes` of
    // the next one, `more` of the other.
    base::cycle_t ready(unsigned prefixes) const { return put(last_, 0, prefixes).clock; }
    base::cycle_t second_ready(unsigned prefixes, unsigned more) const {
        return put(put(last_, 0, prefixes), 1, more).clock;
    }
    // The next instruction has issued in clock `now`.
    void take(unsigned prefixes, base::cycle_t now) {
        last_ = put(last_, 0, prefixes);
        freed_[next_] = now + 1;
        next_ = (next_ + 1) % size;
    }

  private:
    static constexpr unsigned size = 4, width = 2;
    // The last instruction that F has found: when, and as which one of its clock.
    struct found {
        base::cycle_t clock = 0;
        unsigned in_clock = 0;
    };
    // F finds the instruction `n` places behind the next one, after `f`, when there is a place.
    found put(const found& f, unsigned n, unsigned prefixes) const {
        const base::cycle_t at =
            std::max(f.clock + (f.in_clock == width ? 1 : 0), freed_[(next_ + n) % size]);
        if (prefixes == 0) return {at, at == f.clock ? f.in_clock + 1 : 1};
        // It takes whole clocks, from one in which F has found nothing yet.
        return {at + (at == f.clock && f.in_clock != 0 ? 1 : 0) + prefixes, width};
    }

    found last_;
    std::array<base::cycle_t, size> freed_{};  // when F can use each place again
    unsigned next_ = 0;                        // the place of the next instruction
};

}  // namespace knc::core

#endif
