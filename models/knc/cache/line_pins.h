// Lines that came for a thread and stay until the thread has used them.
//
// Models: forward progress. A pinned line is neither replaced nor given to another tile before the
// access that fetched it is made. A thread that waits for a line has no line with a higher number
// pinned, so threads that need several lines do not wait for each other in a circle. Each pin ends
// after a time all the same, because an instruction may need more lines than a cache has room for.
// Source: decision, docs/hierarchy.md.
#ifndef KNC_CACHE_LINE_PINS_H
#define KNC_CACHE_LINE_PINS_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include <knc/base/clock.h>
#include <knc/coherence/message.h>

namespace knc::cache {

class line_pins {
  public:
    // A line that the thread has pinned already is not pinned for longer.
    void pin(unsigned thread, coherence::line_t line, base::cycle_t until) {
        for (const entry& e : entries_)
            if (e.thread == thread && e.line == line) return;
        entries_.push_back({line, until, thread});
    }
    void unpin(unsigned thread, coherence::line_t line) {
        erase([=](const entry& e) { return e.thread == thread && e.line == line; });
    }
    void unpin_above(unsigned thread, coherence::line_t line) {
        erase([=](const entry& e) { return e.thread == thread && e.line > line; });
    }
    void unpin_all(unsigned thread) {
        erase([=](const entry& e) { return e.thread == thread; });
    }
    bool pinned(coherence::line_t line, base::cycle_t now) const {
        return pinned_until(line) > now;
    }
    // First cycle after `now` in which a pin ends by itself; base::never if there is none.
    base::cycle_t next_end(base::cycle_t now) const {
        base::cycle_t next = base::never;
        for (const entry& e : entries_)
            if (e.until > now) next = std::min(next, e.until);
        return next;
    }
    // First cycle in which no thread has the line pinned; 0 if none has.
    base::cycle_t pinned_until(coherence::line_t line) const {
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
