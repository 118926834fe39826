// Which line of a set gives way.
//
// Models: LRU, tree pseudo-LRU and random choice, all from the clock of each line's last use, so
// that a use costs one store. The tree's bits follow from those clocks: each node points away from
// the half that was used last. Leaves out: the bits themselves.
#ifndef KNC_CACHE_REPLACEMENT_H
#define KNC_CACHE_REPLACEMENT_H

#include <cstdint>

#include <knc/base/clock.h>

namespace knc::cache {

enum class replacement : std::uint8_t { lru, tree_plru, random };

// Of `ways` lines, last used at used[way], one whose bit of `allowed` (not 0) is set. Of equal
// clocks the lower way is the older. Where the tree leads to a line that is not allowed, the least
// recently used of the allowed ones goes. `random_state` is changed by random choices only.
unsigned choose_victim(replacement, const base::cycle_t* used, unsigned ways, std::uint32_t allowed,
                       std::uint64_t& random_state);

}  // namespace knc::cache

#endif
