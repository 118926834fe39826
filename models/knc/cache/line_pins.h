// Lines that were fetched for a thread and stay in the tile until the thread has used them.
//
// Models: forward progress. A pinned line is neither replaced nor given to another tile before the
// access that fetched it. A thread that waits for a line pins no line with a higher number, so
// threads that need several lines do not wait for each other in a circle. Each pin also ends after
// a time limit, because an instruction may need more lines than a cache can hold. Leaves out: the
// lines themselves. Source: decision, docs/hierarchy.md.
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
    // A second pin of the same thread and line does not extend the first.
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
    // Whether the thread with the oldest pin pins the line. Where threads pin more lines than there
    // is room for, it goes on, and then the next one.
    bool pinned_first(coherence::line_t line, base::cycle_t now) const {
        const entry* first = nullptr;
        for (const entry& e : entries_)
            if (e.until > now && (first == nullptr || e.until < first->until)) first = &e;
        return first != nullptr &&
               std::any_of(entries_.begin(), entries_.end(), [&](const entry& e) {
                   return e.thread == first->thread && e.line == line && e.until > now;
               });
    }
    // The first cycle after `now` in which a pin expires; base::never if there is none.
    base::cycle_t next_end(base::cycle_t now) const {
        base::cycle_t next = base::never;
        for (const entry& e : entries_)
            if (e.until > now) next = std::min(next, e.until);
        return next;
    }
    // The first cycle in which no thread pins the line; 0 if none does.
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
