// The lines in the caches of a tile.
#ifndef KNC_CACHE_LINES_H
#define KNC_CACHE_LINES_H

#include <cstddef>
#include <cstdint>

#include <knc/base/clock.h>
#include <knc/coherence/l2_protocol.h>
#include <knc/coherence/message.h>

namespace knc::cache {

// A line of an L1 cache. Every user of the line writes the cycle into `used`, which follows the
// bytes.
struct l1_line {
    coherence::line_data bytes;
    base::cycle_t used;
    base::cycle_t ready;  // the first cycle in which it may be used
    bool writable;        // the L2 has it in E or M
    bool dirty;           // written since the last transfer to or from the L2
    bool prefetched;      // by VPREFETCH0, and not used yet
    bool in_code;         // the L1 code cache may have a copy
    std::uint8_t users;   // bit n: granted to thread n
};
static_assert(offsetof(l1_line, used) == coherence::line_bytes);

// What the L2 knows of a line. The bytes are apart (l2_cache): the search for a place looks at all
// lines of a set, and a set's are beside each other.
struct l2_line {
    base::cycle_t used;
    coherence::l2_state state;
    bool ahead;    // fetched by the stream prefetcher, and not accessed yet
    bool in_code;  // the L1 code cache may have a copy
};

}  // namespace knc::cache

#endif
