// Lines that came for a thread and are kept from others until it has used them.
//
// Models: what makes progress certain: the access that fetched a line is made before the line is
// taken away. A thread that waits for a line holds none with a higher number: so threads that need
// several lines do not wait for each other in a circle. Bounded in time all the same, for
// instructions whose lines a cache has no room for. Source: decision, docs/hierarchy.md.
#ifndef KNC_CACHE_HOLDS_H
#define KNC_CACHE_HOLDS_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/coherence/message.h>

namespace knc::cache {

class holds {
  public:
    // A hold the thread has on the line already is not prolonged.
    void add(unsigned thread, coherence::line_t line, base::cycle_t until) {
        for (const entry& e : entries_)
            if (e.thread == thread && e.line == line) return;
        entries_.push_back({line, until, thread});
    }
    void remove(unsigned thread, coherence::line_t line) {
        erase([=](const entry& e) { return e.thread == thread && e.line == line; });
    }
    void remove_above(unsigned thread, coherence::line_t line) {
        erase([=](const entry& e) { return e.thread == thread && e.line > line; });
    }
    void remove(unsigned thread) {
        erase([=](const entry& e) { return e.thread == thread; });
    }
    bool held(coherence::line_t line, base::cycle_t now) const { return until(line) > now; }
    // First clock after `now` in which a hold ends by itself; base::never if there is none.
    base::cycle_t next_end(base::cycle_t now) const {
        base::cycle_t next = base::never;
        for (const entry& e : entries_)
            if (e.until > now) next = std::min(next, e.until);
        return next;
    }
    // First clock in which nobody holds the line; 0 if nobody does.
    base::cycle_t until(coherence::line_t line) const {
        base::cycle_t last = 0;
        for (const entry& e : entries_)
            if (e.line == line) last = std::max(last, e.until);
        return last;
    }

  private:
    struct entry {
        coherence::line_t line;
        base::cycle_t until;
        unsigned thread;
    };

    template <class Which>
    void erase(Which which) {
        entries_.erase(std::remove_if(entries_.begin(), entries_.end(), which), entries_.end());
    }

    std::vector<entry> entries_;
};

}  // namespace knc::cache

#endif
