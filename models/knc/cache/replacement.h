// The choice of the line to replace in a set.
//
// Models: LRU, tree pseudo-LRU and random replacement, all from the cycle of each line's last use,
// so that a use costs one store. The tree's bits follow from those cycles: each node points away
// from the most recently used half. Leaves out: the bits themselves. Source: docs/hierarchy.md.
#ifndef KNC_CACHE_REPLACEMENT_H
#define KNC_CACHE_REPLACEMENT_H

#include <cstdint>

#include <knc/base/clock.h>

namespace knc::cache {

enum class replacement : std::uint8_t { lru, tree_plru, random };

// Chooses one of `ways` lines, last used at used[way], whose bit in `allowed` (not 0) is set.
// Between equal cycles, the lower way is the older. If the tree leads to a line that is not
// allowed, the least recently used allowed line is chosen. Only random replacement changes
// `random_state`.
unsigned choose_victim(replacement, const base::cycle_t* used, unsigned ways, std::uint32_t allowed,
                       std::uint64_t& random_state);

}  // namespace knc::cache

#endif
