// Prefetch instructions: requested, hit, missed, dropped, and met on the way by a demand access.
//
// VPREFETCH0 has one outcome of three: it hits, it misses, or it is dropped because the line is on
// its way already or may not be cached. One that the L2 has no room to ask for has missed the L1
// before it is dropped. VPREFETCH1 that misses the L1 counts as dropped there, wherever it goes
// next; VPREFETCH2 does in the L2, whatever becomes of it. What they do when they meet a line on
// its way: dropped.cpp.

#include "prefetches.h"

namespace knc::caches {
namespace {

using namespace base;

// ---- VPREFETCH0

KNC_CACHE_KERNEL(prefetch0, ahead, VPREFETCH0(0x400000) WAIT LOAD(0x400000) HALT,
                 pf0_from_memory + loads(1));
// A line read comes in E and may be written.
KNC_CACHE_KERNEL(prefetch0, ahead_of_store, VPREFETCH0(0x400000) WAIT STORE(0x400000) HALT,
                 pf0_from_memory + stores(1));
KNC_CACHE_KERNEL(prefetch0, of_line_in_l1, LOAD(0x400000) VPREFETCH0(0x400000) HALT,
                 read_from_memory() + pf0);
KNC_CACHE_KERNEL(prefetch0, of_line_in_l2,
                 LOAD(0x400000) CLEVICT0(0x400000) VPREFETCH0(0x400000) WAIT LOAD(0x400000) HALT,
                 read_from_memory() + pf0_miss + l2_read_hit_e + loads(1));
KNC_CACHE_KERNEL(prefetch0, of_dirty_line_in_l2,
                 STORE(0x400000) WAIT CLEVICT0(0x400000) VPREFETCH0(0x400000) WAIT HALT,
                 written_from_memory() + l2_victim_req_with_data + data_cache_lines_written_back +
                     pf0_miss + l2_read_hit_m);
KNC_CACHE_KERNEL(prefetch0, of_line_under_way, VPREFETCH0(0x400000) VPREFETCH0(0x400000) HALT,
                 pf0_from_memory + pf0_drop);
KNC_CACHE_KERNEL(prefetch0, of_two_lines, VPREFETCH0(0x400000) VPREFETCH0(0x400040) HALT,
                 2 * pf0_from_memory);
KNC_CACHE_KERNEL(prefetch0, of_line_stored_to, STORE(0x400000) VPREFETCH0(0x400000) HALT,
                 written_from_memory() + pf0_drop);
KNC_CACHE_KERNEL(prefetch0, of_uncacheable_memory,
                 KNC_UNCACHED(0x400000) VPREFETCH0(0x400000) VPREFETCHE0(0x400000) HALT,
                 2 * pf0_drop);
// Nothing is mapped there: the L1 sees no request.
KNC_CACHE_KERNEL(prefetch0, refused, VPREFETCH0(0x40000000) HALT, counts());
// The L1 keeps its copy of the line for a load, but not when it has dropped it.
KNC_CACHE_KERNEL(prefetch0, too_early,
                 VPREFETCH0(0x400000) WAIT CLEVICT0(0x400000) LOAD(0x400000) HALT,
                 pf0_from_memory + read_miss() + l2_read_hit_e);
// Room for one request, which a store has.
void one_miss(card::parameters& p) {
    p.cache.mshrs = 1;
}
KNC_CACHE_KERNEL(prefetch0, without_room, STORE(0x400000) VPREFETCH0(0x401000) HALT,
                 written_from_memory() + pf0_miss + l1_data_pf1_drop, tuned(one_miss));

// A demand access that meets it on its way is no miss; what it waits for is the prefetch. A store
// makes it a line to be written.
KNC_CACHE_KERNEL(prefetch0, late_for_load, VPREFETCH0(0x400000) LOAD(0x400000) HALT,
                 pf0_from_memory + late_load);
KNC_CACHE_KERNEL(prefetch0, late_for_store, VPREFETCH0(0x400000) STORE(0x400000) HALT,
                 pf0_without_fill + late_store + l2_data_write_miss_mem_fill);
// The first load waits until the line is there.
KNC_CACHE_KERNEL(prefetch0, late_for_loads_and_stores,
                 VPREFETCH0(0x400000) STORE(0x400000) STORE(0x400004) LOAD(0x400008) LOAD(0x40000c)
                     HALT,
                 pf0_without_fill + 2 * late_store + l2_data_write_miss_mem_fill + late_load +
                     loads(1));
// The L2 has it: 21 clocks to the L1.
KNC_CACHE_KERNEL(prefetch0, late_from_l2,
                 LOAD(0x400000) CLEVICT0(0x400000) VPREFETCH0(0x400000) LOAD(0x400000) HALT,
                 read_from_memory() + pf0_miss + l2_read_hit_e + late_load);
KNC_CACHE_KERNEL(prefetch0, late_for_next_line, VPREFETCH0(0x400000) LOAD(0x400040) HALT,
                 pf0_from_memory + read_from_memory());
// Of another thread's.
KNC_PROGRAM64(prefetch_at_2000, AT(2000) VPREFETCH0(0x400000) HALT);
KNC_PROGRAM64(load_at_2100, AT(2100) LOAD(0x400000) HALT);
KNC_PROGRAM64(load_at_2200, AT(2200) LOAD(0x400000) HALT);
const kernel late_for_thread("prefetch0", "late_for_another_thread",
                             {{0, 0, prefetch_at_2000}, {0, 2, load_at_2100}},
                             {{0, 0, pf0_from_memory}, {0, 2, late_load}});
// Each of two.
const kernel late_for_threads("prefetch0", "late_for_two_threads",
                              {{0, 0, prefetch_at_2000},
                               {0, 2, load_at_2100},
                               {0, 3, load_at_2100}},
                              {{0, 0, pf0_from_memory}, {0, 2, late_load}, {0, 3, late_load}});
// The fill takes up to `fill_cycles` from the line's arrival at the L2. With 3000 of them, it is
// the fill that a load 2000 clocks later meets.
void slow_fill(card::parameters& p) {
    p.cache.fill_cycles = 3000;
}
KNC_CACHE_KERNEL(prefetch0, late_in_fill, VPREFETCH0(0x400000) WAIT LOAD(0x400000) HALT,
                 pf0_from_memory + late_load, tuned(slow_fill));
// A store then comes too late to make it a line to be written: the L2 has been filled.
KNC_CACHE_KERNEL(prefetch0, late_in_fill_for_store, VPREFETCH0(0x400000) WAIT STORE(0x400000) HALT,
                 pf0_from_memory + late_store, tuned(slow_fill));

// ---- VPREFETCHE0 asks for the right to write

KNC_CACHE_KERNEL(prefetche0, ahead, VPREFETCHE0(0x400000) WAIT STORE(0x400000) HALT,
                 pfe0_from_memory + stores(1));
KNC_CACHE_KERNEL(prefetche0, of_line_in_l2,
                 LOAD(0x400000) CLEVICT0(0x400000) VPREFETCHE0(0x400000) WAIT HALT,
                 read_from_memory() + pf0_miss + l2_write_hit);
KNC_CACHE_KERNEL(prefetche0, late_for_store, VPREFETCHE0(0x400000) STORE(0x400000) HALT,
                 pfe0_from_memory + late_store);
KNC_CACHE_KERNEL(prefetche0, of_line_under_way, VPREFETCH0(0x400000) VPREFETCHE0(0x400000) HALT,
                 pf0_from_memory + pf0_drop);

// ---- VPREFETCH1

KNC_CACHE_KERNEL(prefetch1, ahead, VPREFETCH1(0x400000) WAIT LOAD(0x400000) HALT,
                 pf1_from_memory + read_miss() + l2_read_hit_e);
// It misses the L1 or not; the L2 sees it anyhow.
KNC_CACHE_KERNEL(prefetch1, of_line_in_l1, LOAD(0x400000) VPREFETCH1(0x400000) HALT,
                 read_from_memory() + pf1 + l2_read_hit_e);
KNC_CACHE_KERNEL(prefetch1, of_line_in_l2,
                 LOAD(0x400000) CLEVICT0(0x400000) VPREFETCH1(0x400000) HALT,
                 read_from_memory() + pf1_miss + l2_read_hit_e);
KNC_CACHE_KERNEL(prefetch1, of_dirty_line_in_l2,
                 STORE(0x400000) WAIT CLEVICT0(0x400000) VPREFETCH1(0x400000) HALT,
                 written_from_memory() + l2_victim_req_with_data + data_cache_lines_written_back +
                     pf1_miss + l2_read_hit_m);
// The core drops the second: the L2 does not see it.
KNC_CACHE_KERNEL(prefetch1, of_line_under_way, VPREFETCH1(0x400000) VPREFETCH1(0x400000) HALT,
                 pf1_from_memory + pf1_dropped_by_core);
KNC_CACHE_KERNEL(prefetch1, of_two_lines, VPREFETCH1(0x400000) VPREFETCH1(0x400040) HALT,
                 2 * pf1_from_memory);
// The L2 drops it.
KNC_CACHE_KERNEL(prefetch1, without_room, STORE(0x400000) VPREFETCH1(0x401000) HALT,
                 written_from_memory() + pf1_dropped_by_l2, tuned(one_miss));
// The core drops both.
KNC_CACHE_KERNEL(prefetch1, of_uncacheable_memory,
                 KNC_UNCACHED(0x400000) VPREFETCH1(0x400000) VPREFETCHE1(0x400000) HALT,
                 2 * pf1_dropped_by_core);
// What the L1 has of such memory, cached before it was called so, is not found.
KNC_CACHE_KERNEL(prefetch1, of_uncacheable_line_in_l1,
                 LOAD(0x400000) KNC_UNCACHED(0x400000) VPREFETCH1(0x400000) HALT,
                 read_from_memory() + pf1_dropped_by_core);
KNC_CACHE_KERNEL(prefetch1, refused, VPREFETCH1(0x40000000) HALT, counts());
// The load misses the L1 and the L2, which is filled once, for the prefetch.
KNC_CACHE_KERNEL(prefetch1, late_for_load, VPREFETCH1(0x400000) LOAD(0x400000) HALT,
                 pf1_from_memory + read_miss() + l2_read_miss + l2_data_hit_inflight_pf2);
// The line is one to be written then. One demand request of the L1 for its line; the next access
// waits for that.
KNC_CACHE_KERNEL(prefetch1, late_for_stores,
                 VPREFETCH1(0x400000) STORE(0x400000) STORE(0x400004) HALT,
                 pf1_without_fill + 2 * write_miss() + l2_data_hit_inflight_pf2 +
                     l2_data_write_miss_mem_fill);
KNC_CACHE_KERNEL(prefetch1, late_for_next_line, VPREFETCH1(0x400000) LOAD(0x400040) HALT,
                 pf1_from_memory + read_from_memory());
KNC_PROGRAM64(prefetch1_at_2000, AT(2000) VPREFETCH1(0x400000) HALT);
const kernel late1_for_thread("prefetch1", "late_for_another_thread",
                              {{0, 0, prefetch1_at_2000}, {0, 2, load_at_2100}},
                              {{0, 0, pf1_from_memory},
                               {0, 2, read_miss() + l2_read_miss + l2_data_hit_inflight_pf2}});
const kernel late1_for_threads("prefetch1", "late_for_two_threads",
                               {{0, 0, prefetch1_at_2000},
                                {0, 2, load_at_2100},
                                {0, 3, load_at_2200}},
                               {{0, 0, pf1_from_memory},
                                {0, 2, read_miss() + l2_read_miss + l2_data_hit_inflight_pf2},
                                {0, 3, read_miss()}});
KNC_CACHE_KERNEL(prefetche1, ahead, VPREFETCHE1(0x400000) WAIT STORE(0x400000) HALT,
                 pfe1_from_memory + write_miss() + l2_write_hit);
KNC_CACHE_KERNEL(prefetche1, of_line_in_l1, LOAD(0x400000) VPREFETCHE1(0x400000) HALT,
                 read_from_memory() + pf1 + l2_write_hit);
KNC_CACHE_KERNEL(prefetche1, of_line_in_l2,
                 LOAD(0x400000) CLEVICT0(0x400000) VPREFETCHE1(0x400000) HALT,
                 read_from_memory() + pf1_miss + l2_write_hit);
KNC_CACHE_KERNEL(prefetche1, late_for_store, VPREFETCHE1(0x400000) STORE(0x400000) HALT,
                 pfe1_from_memory + write_miss() + l2_data_hit_inflight_pf2);

// ---- VPREFETCH2, VPREFETCHNTA

KNC_CACHE_KERNEL(prefetch2, ahead, VPREFETCH2(0x400000) WAIT LOAD(0x400000) HALT,
                 pf2_from_memory + read_miss() + l2_read_hit_e);
// It counts as dropped in the L2 also if it hits. The L1 does not matter.
KNC_CACHE_KERNEL(prefetch2, of_line_in_l1, LOAD(0x400000) VPREFETCH2(0x400000) HALT,
                 read_from_memory() + pf2 + l2_read_hit_e);
KNC_CACHE_KERNEL(prefetch2, of_line_in_l2,
                 LOAD(0x400000) CLEVICT0(0x400000) VPREFETCH2(0x400000) HALT,
                 read_from_memory() + pf2 + l2_read_hit_e);
KNC_CACHE_KERNEL(prefetch2, without_room, STORE(0x400000) VPREFETCH2(0x401000) HALT,
                 written_from_memory() + pf2, tuned(one_miss));
// The core drops none: the L2 sees the second, too.
KNC_CACHE_KERNEL(prefetch2, of_line_under_way, VPREFETCH2(0x400000) VPREFETCH2(0x400000) HALT,
                 pf2_from_memory + pf2);
KNC_CACHE_KERNEL(prefetch2, of_two_lines, VPREFETCH2(0x400000) VPREFETCH2(0x400040) HALT,
                 2 * pf2_from_memory);
KNC_CACHE_KERNEL(prefetch2, of_uncacheable_memory,
                 KNC_UNCACHED(0x400000) VPREFETCH2(0x400000) VPREFETCHE2(0x400000) HALT, counts());
// It is not VPREFETCH1 that the load meets.
KNC_CACHE_KERNEL(prefetch2, late_for_load, VPREFETCH2(0x400000) LOAD(0x400000) HALT,
                 pf2_from_memory + read_miss() + l2_read_miss);
KNC_CACHE_KERNEL(prefetche2, ahead, VPREFETCHE2(0x400000) WAIT STORE(0x400000) HALT,
                 pf2 + l2_data_write_miss_mem_fill + write_miss() + l2_write_hit);
KNC_CACHE_KERNEL(prefetchnta, ahead, VPREFETCHNTA(0x400000) WAIT LOAD(0x400000) HALT,
                 pfnta_from_memory + loads(1));
KNC_CACHE_KERNEL(prefetchnta, of_line_under_way, VPREFETCHNTA(0x400000) VPREFETCHNTA(0x400000) HALT,
                 pfnta_from_memory);
// Nor is it VPREFETCH0: the load misses.
KNC_CACHE_KERNEL(prefetchnta, late_for_load, VPREFETCHNTA(0x400000) LOAD(0x400000) HALT,
                 pfnta_from_memory + read_miss());
KNC_CACHE_KERNEL(prefetchnta, late_from_l2,
                 LOAD(0x400000) CLEVICT0(0x400000) VPREFETCHNTA(0x400000) LOAD(0x400000) HALT,
                 read_from_memory() + l2_read_hit_e + read_miss());
// Its line is the first of the set to go, though it came last.
KNC_CACHE_KERNEL(prefetchnta, is_replaced_first,
                 LOADS(0x400000, 0x1000, 7) VPREFETCHNTA(0x407000) WAIT LOAD(0x408000)
                     LOADS(0x400000, 0x1000, 7) LOAD(0x407000) HALT,
                 7 * read_from_memory() + pfnta_from_memory + read_from_memory() + loads(7) +
                     read_miss() + l2_read_hit_e);
// Also if the L2 has it.
KNC_CACHE_KERNEL(prefetchnta, is_replaced_first_from_l2,
                 LOADS(0x400000, 0x1000, 8) CLEVICT0(0x407000) VPREFETCHNTA(0x407000)
                     WAIT LOAD(0x408000) LOADS(0x400000, 0x1000, 7) LOAD(0x407000) HALT,
                 9 * read_from_memory() + l2_read_hit_e + loads(7) + read_miss() + l2_read_hit_e);
KNC_CACHE_KERNEL(prefetchenta, ahead, VPREFETCHENTA(0x400000) WAIT STORE(0x400000) HALT,
                 l2_data_write_miss_mem_fill + stores(1));

// ---- lines of other tiles

KNC_PROGRAM64(load, LOAD(0x400000) HALT);
KNC_PROGRAM64(store, STORE(0x400000) HALT);
KNC_PROGRAM64(prefetch0_later, AT(3000) VPREFETCH0(0x400000) HALT);
KNC_PROGRAM64(prefetche0_later, AT(3000) VPREFETCHE0(0x400000) WAIT STORE(0x400000) HALT);
const counts dirty_snoop = counts{snp_hitm_l2} + data_cache_lines_written_back;
const kernel from_tile(
    "prefetch0", "from_another_tile", {{0, 0, load}, {1, 0, prefetch0_later}},
    {{0, 0, read_from_memory() + snp_hit_l2},
     {1, 0, pf0_miss + l2_data_pf1_miss + l2_read_miss + l2_data_read_miss_cache_fill}});
const kernel exclusive_from_tile(
    "prefetche0", "from_another_tile", {{0, 0, store}, {1, 0, prefetche0_later}},
    {{0, 0, written_from_memory() + dirty_snoop},
     {1, 0, pf0_miss + l2_data_pf1_miss + l2_data_write_miss_cache_fill + stores(1)}});
// The line is shared: the prefetch makes it writable. It is in both caches, so nothing misses.
#define SHARED(hint) AT(3000) LOAD(0x400000) hint(0x400000) WAIT STORE(0x400000) HALT
KNC_PROGRAM64(upgrade_by_0, SHARED(VPREFETCHE0));
KNC_PROGRAM64(upgrade_by_1, SHARED(VPREFETCHE1));
const kernel upgrade0("prefetche0", "of_shared_line", {{0, 0, load}, {1, 0, upgrade_by_0}},
                      {{0, 0, read_from_memory() + 2 * counts{snp_hit_l2}},
                       {1, 0, read_from_tile() + pf0 + stores(1)}});
// The L2 may write it then; the L1, which keeps its copy, has to ask.
const kernel upgrade1("prefetche1", "of_shared_line", {{0, 0, load}, {1, 0, upgrade_by_1}},
                      {{0, 0, read_from_memory() + 2 * counts{snp_hit_l2}},
                       {1, 0, read_from_tile() + pf1 + l2_write_hit + stores(1)}});

}  // namespace
}  // namespace knc::caches
