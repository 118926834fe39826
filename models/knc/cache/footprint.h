// The lines that the threads of a tile have used most recently in a fast-forward.
//
// Models: the lines that an L2 of the same sets and ways would still have, with least recent use
// first, if it had been used in the same order. Leaves out: the levels, what other tiles did to the
// lines (settle_ownership()), protocol and time. Source: docs/fast_forward.md, "Warm caches".
#ifndef KNC_CACHE_FOOTPRINT_H
#define KNC_CACHE_FOOTPRINT_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/cache/parameters.h>
#include <knc/coherence/message.h>

namespace knc::cache {

enum class line_access : std::uint8_t { load, store, fetch };

// A line, and how it was used since it came into the footprint.
struct used_line {
    coherence::line_t line = 0;
    base::cycle_t last = 0;       // the latest use
    base::cycle_t stored_at = 0;  // the latest store; valid if `stored`
    bool loaded = false, stored = false, fetched = false;

    bool used() const { return loaded || stored || fetched; }
    void serialize(base::archive&);
};

class footprint {
  public:
    explicit footprint(const geometry& of_l2);

    // `now` never decreases.
    void use(coherence::line_t, line_access, base::cycle_t now);
    // The lines, the one used longest ago first.
    std::vector<used_line> lines() const;
    void forget(coherence::line_t);
    void clear();

    // Calls f(used_line&) for each line; one without a use is not in the footprint any more.
    template <class F>
    void each(F f) {
        for (used_line& l : lines_)
            if (l.used()) f(l);
    }
    // Loads into a footprint of the same geometry.
    void serialize(base::archive&);

  private:
    const std::size_t ways_;
    used_line* set_of(coherence::line_t);

    std::vector<used_line> lines_;  // set by set; in a set, the one used last first
};

// What the stores of each tile have left of the lines of the others: a line that another tile has
// stored to since is gone, and one that another tile has used since is no longer modified. Stores
// in one cycle count in the order of the tiles.
void settle_ownership(const std::vector<footprint*>& of_tiles);

}  // namespace knc::cache

#endif
