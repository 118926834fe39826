// What one thread has under way in the caches.
//
// Models: the line for which an attempt waits, stores that are not performed yet, lines borrowed
// for an instruction that reads and writes memory that may not be cached. Leaves out: the lines
// themselves (knc/cache).
#ifndef KNC_CORE_LINE_USE_H
#define KNC_CORE_LINE_USE_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <knc/base/clock.h>
#include <knc/coherence/message.h>

namespace knc::core {

class line_use {
  public:
    // ---- waiting
    // The attempt finds its line in cycle `c`; base::never: the caches will wake the thread.
    void ready_at(base::cycle_t c) { ready_ = c; }
    // The thread begins to wait, perhaps for a device: the cycle to try again, or base::never.
    base::cycle_t begin_wait(bool for_device) {
        const base::cycle_t c = std::exchange(ready_, base::never);
        waits_ = c == base::never && !for_device;
        return c;
    }
    // The caches wake the thread: whether it waits for them.
    bool wake() { return std::exchange(waits_, false); }
    // INIT: it waits for nothing.
    void stop_waiting() {
        waits_ = false;
        ready_ = base::never;
    }

    // ---- borrowed lines
    bool has_borrowed(coherence::line_t line) const {
        const auto end = borrowed_.begin() + count_;
        return std::find(borrowed_.begin(), end, line) != end;
    }
    // False: it is borrowed already, or there are as many as one instruction can access.
    bool borrow(coherence::line_t line) {
        if (has_borrowed(line) || count_ == borrowed_.size()) return false;
        borrowed_[count_++] = line;
        return true;
    }
    // Calls `give` with each borrowed line, the last one first; none is borrowed afterwards.
    template <class Give>
    void give_back(Give give) {
        while (count_ != 0) give(borrowed_[--count_]);
    }

    // The caches keep something of the present instruction: a pinned line, an account of misses.
    bool known_to_caches = false;
    bool stores_wait = false;  // in the store buffer
    // Weakly ordered stores, which only a fence waits for, may be under way.
    bool weak_stores = false;

  private:
    base::cycle_t ready_ = base::never;
    bool waits_ = false;
    std::array<coherence::line_t, 2> borrowed_{};
    std::size_t count_ = 0;
};

}  // namespace knc::core

#endif
