// What prefetch instructions raise.
#ifndef KNC_TESTS_CACHES_PREFETCHES_H
#define KNC_TESTS_CACHES_PREFETCHES_H

#include "harness.h"

// REQUEST of four lines, at 2000 and each 1000 clocks later. (The last wait is in the second line
// of code at least in part, so that its request does not wait for it.)
#define FOUR_LINES(request)                               \
    AT(2000)                                              \
    request(0x400080) AT(3000) request(0x401080) AT(4000) \
        request(0x402080) ".skip 10, 0x90\n" AT(5000) request(0x403080) HALT

namespace knc::caches {

// VPREFETCH0: seen by the L1, and missed there.
const counts pf0 = base::l1_data_pf1;
const counts pf0_miss = pf0 + base::l1_data_pf1_miss;
// It missed the L2, too; memory filled the line.
const counts pf0_without_fill = pf0_miss + base::l2_data_pf1_miss + base::l2_read_miss;
const counts pf0_from_memory = pf0_without_fill + base::l2_data_read_miss_mem_fill;
const counts pfe0_from_memory =
    pf0_miss + base::l2_data_pf1_miss + base::l2_data_write_miss_mem_fill;
const counts pf0_drop = pf0 + base::l1_data_pf1_drop;
// An access that meets it on its way.
const counts late_load = loads(1) + base::l1_data_hit_inflight_pf1;
const counts late_store = stores(1) + base::l1_data_hit_inflight_pf1;

// VPREFETCH1: found in the L1, which hands it to the L2 all the same; missed there.
const counts pf1 = counts{base::l1_data_pf2} + base::l2_data_pf2;
const counts pf1_miss = pf1 + base::l1_data_pf1_drop;
const counts pf1_without_fill = pf1_miss + base::l2_data_pf2_miss + base::l2_read_miss;
const counts pf1_from_memory = pf1_without_fill + base::l2_data_read_miss_mem_fill;
const counts pfe1_from_memory =
    pf1_miss + base::l2_data_pf2_miss + base::l2_data_write_miss_mem_fill;
// Missed in the L1, and dropped before the L2 sees it, or there.
const counts pf1_dropped_by_core = counts{base::l1_data_pf2} + base::l1_data_pf1_drop;
const counts pf1_dropped_by_l2 = pf1_miss + base::l2_data_pf2_drop;

// VPREFETCH2 has one event, VPREFETCHNTA none of its own.
const counts pf2 = base::l2_data_pf2_drop;
const counts pf2_without_fill = pf2 + base::l2_read_miss;
const counts pf2_from_memory = pf2_without_fill + base::l2_data_read_miss_mem_fill;
const counts pfnta_from_memory = counts{base::l2_read_miss} + base::l2_data_read_miss_mem_fill;

}  // namespace knc::caches

#endif
