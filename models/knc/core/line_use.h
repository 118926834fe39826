// The state of one thread's accesses in the caches.
//
// Models: the line for which an attempt waits, stores that have not been performed yet, lines
// borrowed for an instruction that reads and writes memory that may not be cached. Leaves out: the
// lines themselves (knc/cache). Source: docs/architecture.md, "The core".
#ifndef KNC_CORE_LINE_USE_H
#define KNC_CORE_LINE_USE_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include <knc/base/clock.h>
#include <knc/cache/l1_if.h>
#include <knc/coherence/message.h>

namespace knc::core {

class line_use {
  public:
    // ---- waiting
    // The line of the attempt is available in cycle `c`; base::never: the caches will wake the
    // thread.
    void ready_at(base::cycle_t c) { ready_ = c; }
    // The thread starts to wait, perhaps for a device. Returns the cycle of the next attempt, or
    // base::never.
    base::cycle_t begin_wait(bool for_device) {
        const base::cycle_t c = std::exchange(ready_, base::never);
        waits_ = c == base::never && !for_device;
        until_ = for_device ? 0 : c;
        return c;
    }
    // The caches wake the thread: it may go on in cycle `c`. Returns whether it waits for them.
    bool wake(base::cycle_t c) {
        if (waits_) until_ = c;
        return std::exchange(waits_, false);
    }
    // Whether it waits for a line in cycle `now`.
    bool waits(base::cycle_t now) const {
        return waits_ || (until_ != base::never && now < until_);
    }
    // INIT: ends every wait.
    void stop_waiting() {
        waits_ = false;
        ready_ = base::never;
        until_ = 0;
    }

    // Why the attempt is blocked; who looks at it clears it. data: it reads data, or walks the page
    // tables. store: of a Pentium. device: not 0 if an access to a device has left the core; the
    // cycle in which it gets the bus.
    struct cause {
        bool data = false;
        std::optional<cache::store_delay> store;
        base::cycle_t device = 0;
    };
    cause waits_for;

    // Of a Pentium: the present instruction locks the bus.
    bool locked = false;

    // ---- borrowed lines
    bool has_borrowed(coherence::line_t line) const {
        const auto end = borrowed_.begin() + count_;
        return std::find(borrowed_.begin(), end, line) != end;
    }
    // Returns false if the line is borrowed already, or if the instruction has borrowed as many
    // lines as it can access.
    bool borrow(coherence::line_t line) {
        if (has_borrowed(line) || count_ == borrowed_.size()) return false;
        borrowed_[count_++] = line;
        return true;
    }
    // Calls `give` for each borrowed line, the last one first, and clears the list.
    template <class Give>
    void give_back(Give give) {
        while (count_ != 0) give(borrowed_[--count_]);
    }

    // The caches have state for the present instruction: a pinned line, or counted misses.
    bool known_to_caches = false;
    bool stores_wait = false;  // the store buffer has stores of the thread
    // Weakly ordered stores may be in flight; only a fence waits for them.
    bool weak_stores = false;

  private:
    base::cycle_t ready_ = base::never;
    bool waits_ = false;
    base::cycle_t until_ = 0;  // of the latest wait whose end is known
    std::array<coherence::line_t, 2> borrowed_{};
    std::size_t count_ = 0;
};

}  // namespace knc::core

#endif
