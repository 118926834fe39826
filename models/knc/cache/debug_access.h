// What a tile with our L2 has of a line, for debug accesses.
//
// Models no hardware: no state, event or time changes. Source: docs/coherence.md, "Debug accesses".
#ifndef KNC_CACHE_DEBUG_ACCESS_H
#define KNC_CACHE_DEBUG_ACCESS_H

#include <knc/cache/l1_data.h>
#include <knc/cache/l2_cache.h>
#include <knc/coherence/debug_view.h>

namespace knc::cache {

// Offers what the tile has of the line.
inline void view(const l1_data& data, const l2_cache& l2, coherence::debug_view& v) {
    if (const std::uint8_t* below = l2.copy_of(v.line())) {
        const std::uint8_t* above = data.copy_of(v.line());
        v.copy(above != nullptr ? above : below);
    }
    if (l2.state(v.line()) == coherence::l2_state::ic_a) data.view_claims(v);
    l2.view_in_flight(v);
}

}  // namespace knc::cache

#endif
