// Sizes, times and limits of the caches of one tile. Each has a configuration key of the same name
// under "cache.".
//
// Source of each default: the comment beside it; "unverified" marks a figure no document at hand
// gives.
#ifndef KNC_CACHE_PARAMETERS_H
#define KNC_CACHE_PARAMETERS_H

#include <cstdint>
#include <string>

#include <knc/base/event.h>
#include <knc/cache/prefetcher.h>
#include <knc/cache/replacement.h>

namespace knc::cache {

// `bytes` / 64 / `ways` is the number of sets, a power of two.
struct geometry {
    std::uint32_t bytes;
    std::uint32_t ways;
    replacement policy;
};

struct parameters {
    // 32 KB each, 8 ways (conflict stride of 4 KB measured on a card); replacement unverified.
    geometry l1d{32 << 10, 8, replacement::lru};
    geometry l1i{32 << 10, 8, replacement::lru};
    // 512 KB (Hot Chips 2012), 8 ways from memory; replacement unverified.
    geometry l2{512 << 10, 8, replacement::lru};
    // Clocks from an access that misses the L1 and hits the L2 to the next try of its thread.
    // Chosen so that a pointer chase takes the 23.4 clocks measured on a card (docs/hierarchy.md).
    std::uint32_t l2_cycles = 21;
    // Clocks between two lookups of the L2: "64 bytes every other clock" of two contradicting
    // statements of one document; measured: 3.06 clocks a line.
    std::uint32_t l2_interval = 2;
    // Clocks from the access of the L2 that misses to its request on the ring; from the arrival of
    // a message to the answer on the ring; from the arrival of data to the next try of the thread
    // that waits for them. Unverified.
    std::uint32_t request_cycles = 12;
    std::uint32_t reply_cycles = 20;
    std::uint32_t fill_cycles = 10;
    // Clocks a line written back by the L1D stays in the core's bus unit. Unverified.
    std::uint32_t write_back_cycles = 8;
    // Lines an L2 may have requested at a time, and lines whose eviction may be under way: about 32
    // reads and 32 writes, from memory. An eviction takes some 200 clocks; room for few of them is
    // what bounds a stream (docs/hierarchy.md).
    std::uint32_t mshrs = 32;
    std::uint32_t victims = 32;
    // Stores of one thread that may wait for their lines while it goes on. Unverified.
    std::uint32_t store_buffer = 4;
    // Lines of memory of type WC that one thread may have stores combined of; 0: none. Unverified.
    std::uint32_t write_combining_buffers = 4;
    // Cycles for which a line that has come for a thread stays pinned until the thread has used it.
    // No hardware figure: it bounds the pins of an instruction that needs several lines.
    std::uint32_t pin_cycles = 10'000;
    prefetcher_parameters prefetch;
};

// What makes caches with these parameters impossible, in one line that names the member; empty if
// nothing does.
std::string impossible(const parameters&);

// The most events that caches with these parameters raise in one clock, where it depends on them.
void set_bounds(const parameters&, base::event_bounds&);

// The least clocks between anything that happens in a tile and a message it sends for it.
std::uint32_t least_send_cycles(const parameters&);

}  // namespace knc::cache

#endif
