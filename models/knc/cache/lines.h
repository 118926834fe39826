// Lines as the caches of a tile keep them.
#ifndef KNC_CACHE_LINES_H
#define KNC_CACHE_LINES_H

#include <cstddef>
#include <cstdint>

#include <knc/base/clock.h>
#include <knc/coherence/l2_protocol.h>
#include <knc/coherence/message.h>

namespace knc::cache {

// A line of an L1 cache. Whoever uses it writes the cycle into `used`, which lies behind the bytes.
struct l1_line {
    coherence::line_data bytes;
    base::cycle_t used;
    base::cycle_t ready;  // from this cycle on
    bool writable;        // the L2 has it in E or M
    bool dirty;           // written since the L2 had it
    bool prefetched;      // by VPREFETCH0
    bool in_code;         // the L1 code cache may have a copy, too
    std::uint8_t users;   // bit n: granted to thread n
};
static_assert(offsetof(l1_line, used) == coherence::line_bytes);

struct l2_line {
    coherence::line_data bytes;
    base::cycle_t used;
    coherence::l2_state state;
    bool ahead;  // the stream prefetcher has brought it, and no access has come to it yet
};

}  // namespace knc::cache

#endif
