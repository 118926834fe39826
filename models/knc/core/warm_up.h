// Fills the caches of a tile with the lines of a footprint, after a fast-forward.
//
// Models: each thread of the core accesses one line after the other, in time, through the caches
// and whatever is behind them: as a page walk does, so the accesses belong to no instruction.
// Leaves out: the instructions, which stand still. Source: docs/fast_forward.md, "Warm caches".
#ifndef KNC_CORE_WARM_UP_H
#define KNC_CORE_WARM_UP_H

#include <array>
#include <cstddef>
#include <vector>

#include <knc/base/clock.h>
#include <knc/cache/footprint.h>
#include <knc/core/thread.h>

namespace knc::core {

struct rooms;

class warm_up {
  public:
    explicit warm_up(rooms& r) : rooms_(r) {}

    // The lines, the one used longest ago first. No access of any thread is under way.
    void begin(std::vector<cache::used_line>);
    // Every access has been made.
    bool done() const;
    // Attempts the accesses that need not wait in the present cycle; `changed`: those too that wait
    // for the caches, which have processed something.
    void attempt(bool changed);
    // The cycle of the next attempt, if nothing changes before; base::never: of none.
    base::cycle_t next() const;

  private:
    // What is left to do for the line of a thread.
    struct work {
        bool fetch = false, data = false;
        cache::used_line of;
        base::cycle_t retry_at = 0;  // base::never: when something changes
        bool any() const { return fetch || data; }
    };
    bool access(thread&, work&);

    rooms& rooms_;
    std::vector<cache::used_line> lines_;
    std::size_t taken_ = 0;  // as many lines have been given to threads
    std::array<work, base::threads_per_core> of_{};
};

}  // namespace knc::core

#endif
