// The copies of a line in a tile with the card's own L2, for debug accesses.
//
// Models no hardware: state, events and time do not change. Leaves out: lines outside the tile
// (coherence::debug_view). Source: docs/coherence.md, "Debug accesses".
#ifndef KNC_CACHE_DEBUG_ACCESS_H
#define KNC_CACHE_DEBUG_ACCESS_H

#include <knc/cache/l1_data.h>
#include <knc/cache/l2_cache.h>
#include <knc/coherence/debug_view.h>

namespace knc::cache {

// Offers the tile's copies of the line.
inline void view(const l1_data& data, const l2_cache& l2, coherence::debug_view& v) {
    if (const std::uint8_t* below = l2.copy_of(v.line())) {
        const std::uint8_t* above = data.copy_of(v.line());
        v.copy(above != nullptr ? above : below);
    }
    if (l2.state(v.line()) == coherence::l2_state::im_a) data.view_i_to_m_stores(v);
    l2.view_in_flight(v);
}

}  // namespace knc::cache

#endif
