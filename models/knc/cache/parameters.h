// Sizes, times and limits of the caches of one tile. Each has a configuration key of the same name
// under "cache.".
//
// Source of each default: the comment beside it; "unverified" marks a figure that no available
// document gives.
#ifndef KNC_CACHE_PARAMETERS_H
#define KNC_CACHE_PARAMETERS_H

#include <cstdint>
#include <string>

#include <knc/base/event.h>
#include <knc/cache/prefetcher.h>
#include <knc/cache/replacement.h>

namespace knc::cache {

// The number of sets, `bytes` / 64 / `ways`, must be a power of two.
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
    // Cycles from an access that misses the L1 and hits the L2 to the next attempt of its thread.
    // Chosen for the 23.4 cycles of a pointer chase on a card; the model takes 24.06
    // (docs/hierarchy.md).
    std::uint32_t l2_cycles = 21;
    // Cycles between two lookups of the L2: "64 bytes every other clock", one of two contradicting
    // statements in one document; measured: 3.06 cycles per line.
    std::uint32_t l2_interval = 2;
    // Cycles from the access that misses the L2 to its request on the ring; from the arrival of a
    // message to the response on the ring; from the arrival of data to the next attempt of the
    // waiting thread. Unverified.
    std::uint32_t request_cycles = 12;
    std::uint32_t reply_cycles = 20;
    std::uint32_t fill_cycles = 10;
    // Cycles for which a line written back by the L1D stays in the core's bus unit. Unverified.
    std::uint32_t write_back_cycles = 8;
    // Lines that an L2 may have requested at a time, and lines that may be in eviction at a time:
    // about 32 reads and 32 writes, from memory. An eviction takes some 200 cycles, so this number
    // limits the bandwidth of a stream (docs/hierarchy.md).
    std::uint32_t mshrs = 32;
    std::uint32_t victims = 32;
    // Stores of one thread that may wait for their lines while the thread continues. Unverified.
    std::uint32_t store_buffer = 4;
    // Lines of memory type WC for which one thread may collect stores; 0: none. Unverified.
    std::uint32_t write_combining_buffers = 4;
    // Cycles for which a line fetched for a thread stays pinned at most. Not a hardware figure: it
    // limits the pins of an instruction that needs several lines.
    std::uint32_t pin_cycles = 10'000;
    prefetcher_parameters prefetch;
    // The last-level cache is an L3 behind the network, not the L2.
    bool l3 = false;
};

// The reason why caches with these parameters are impossible, in one line that names the member;
// empty if they are possible.
std::string impossible(const parameters&);

// Sets the bounds of the events whose maximum per cycle depends on these parameters.
void set_bounds(const parameters&, base::event_bounds&);

// The minimum number of cycles from an event in a tile to a message that it causes.
std::uint32_t least_send_cycles(const parameters&);

}  // namespace knc::cache

#endif
