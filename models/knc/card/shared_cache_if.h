// The cache that all tiles share, as the agent at the SBOX's stop reaches it.
//
// Models no hardware; it is the interface only.
#ifndef KNC_CARD_SHARED_CACHE_IF_H
#define KNC_CARD_SHARED_CACHE_IF_H

#include <systemc>

#include <knc/base/clock.h>

namespace knc::card {

struct shared_cache_if : virtual sc_core::sc_interface {
    // Writes back and invalidates every line that is in no transaction, from cycle `at` on. Returns
    // the cycle in which the last of them has been looked up.
    virtual base::cycle_t flush(base::cycle_t at) = 0;
};

}  // namespace knc::card

#endif
