// Debug accesses to the three caches of a tile together.
//
// Models no hardware: state, events and time do not change. Leaves out: lines outside the tile
// (coherence::debug_view). Source: docs/coherence.md, "Debug accesses".
#ifndef KNC_CACHE_DEBUG_ACCESS_H
#define KNC_CACHE_DEBUG_ACCESS_H

#include <cstdint>

#include <knc/cache/l1_code.h>
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

// Overwrites bytes of the line in all copies of the tile.
inline void debug_write(l1_data& data, l1_code& code, l2_cache& l2, line_t line,
                        const std::uint8_t* bytes, coherence::byte_mask mask) {
    data.debug_write(line, bytes, mask);
    code.debug_write(line, bytes, mask);
    l2.debug_write(line, bytes, mask);
}

}  // namespace knc::cache

#endif
