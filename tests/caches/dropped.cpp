// Prefetch instructions that meet their line on its way, to the L2 or from there to an L1. The core
// knows its own requests, those of demand accesses and of prefetch instructions, and drops what
// asks for the same line, but for VPREFETCH2, which the L2 always sees. It does not know what the
// stream prefetcher has asked for: there the L2 sees the prefetch, and drops it. (VPREFETCH0 raises
// the same either way.)

#include "prefetches.h"

namespace knc::caches {
namespace {

using namespace base;

KNC_PROGRAM64(back, "jmp *%rdi\n");

// What is raised by VPREFETCH0 and VPREFETCH1, VPREFETCHE1 and VPREFETCH2 whose lines the core has
// asked for, or the stream prefetcher.
const counts core_drops_0_1 = pf0_drop + pf1_dropped_by_core;
const counts core_drops_e1_2 = pf1_dropped_by_core + pf2;
const counts l2_drops_0_1 = pf0_drop + pf1_dropped_by_l2;
const counts l2_drops_e1_2 = pf1_dropped_by_l2 + pf2;

// ---- thread 0 asks for a line, one every 1000 clocks, each of which takes 200 clocks at least;
// 100 later thread 2 or 3 does

KNC_PROGRAM64(prefetches_0_1, AT(2100) VPREFETCH0(0x400080) AT(3100) VPREFETCH1(0x401080) HALT);
KNC_PROGRAM64(prefetches_e1_2, AT(4100) VPREFETCHE1(0x402080) AT(5100) VPREFETCH2(0x403080) HALT);
#define MEET(name, text, raised, ...)                                                             \
    KNC_PROGRAM64(name##_text, text);                                                             \
    const kernel name(                                                                            \
        "dropped", #name, {{0, 0, name##_text}, {0, 2, prefetches_0_1}, {0, 3, prefetches_e1_2}}, \
        {{0, 0, raised}, {0, 2, core_drops_0_1}, {0, 3, core_drops_e1_2}}, __VA_ARGS__)

MEET(meet_loads, FOUR_LINES(LOAD), 4 * read_from_memory(), conditions());
MEET(meet_stores, FOUR_LINES(STORE), 4 * written_from_memory(), conditions());
MEET(meet_prefetch0, FOUR_LINES(VPREFETCH0), 4 * pf0_from_memory, conditions());
MEET(meet_prefetche0, FOUR_LINES(VPREFETCHE0), 4 * pfe0_from_memory, conditions());
MEET(meet_prefetch1, FOUR_LINES(VPREFETCH1), 4 * pf1_from_memory, conditions());
MEET(meet_prefetch2, FOUR_LINES(VPREFETCH2), 4 * pf2_from_memory, conditions());
MEET(meet_prefetchnta, FOUR_LINES(VPREFETCHNTA), 4 * pfnta_from_memory, conditions());
#define FETCH(address) VISIT(meet_fetches_text, 0, address)
conditions four_lines_of_code() {
    conditions c;
    for (const std::uint32_t line : {0x400080u, 0x401080u, 0x402080u, 0x403080u})
        c.more.push_back({line, back});
    return c;
}
MEET(meet_fetches, FOUR_LINES(FETCH), 4 * code_from_memory(), four_lines_of_code());

// A miss of the line behind one that has missed makes the stream prefetcher ask for the next four,
// of which the line is the first.
void streams(card::parameters& p) {
    p.cache.prefetch.streams = 16;
}
KNC_PROGRAM64(streams_0_1,
              LOAD(0x400000) AT(2000) LOAD(0x400040) LOAD(0x401000) AT(3000) LOAD(0x401040) HALT);
KNC_PROGRAM64(streams_e1_2,
              LOAD(0x402000) AT(4000) LOAD(0x402040) LOAD(0x403000) AT(5000) LOAD(0x403040) HALT);
const counts two_streams = 4 * read_from_memory() + 2 * counts{hwp_l2miss, 4};
const kernel meet_streams(
    "dropped", "meet_streams",
    {{0, 0, streams_0_1}, {0, 1, streams_e1_2}, {0, 2, prefetches_0_1}, {0, 3, prefetches_e1_2}},
    {{0, 0, two_streams}, {0, 1, two_streams}, {0, 2, l2_drops_0_1}, {0, 3, l2_drops_e1_2}},
    tuned(streams));
// A store that has met them makes them the core's own.
KNC_PROGRAM64(stores_0_1, AT(2100) STORE(0x400080) VPREFETCH0(0x400080) AT(3100) STORE(0x401080)
                              VPREFETCH1(0x401080) HALT);
KNC_PROGRAM64(stores_e1_2, AT(4100) STORE(0x402080) VPREFETCHE1(0x402080) AT(5100) STORE(0x403080)
                               VPREFETCH2(0x403080) HALT);
const kernel meet_streams_and_stores(
    "dropped", "meet_streams_and_stores",
    {{0, 0, streams_0_1}, {0, 1, streams_e1_2}, {0, 2, stores_0_1}, {0, 3, stores_e1_2}},
    {{0, 0, two_streams},
     {0, 1, two_streams},
     {0, 2, 2 * written_from_memory() + core_drops_0_1},
     {0, 3, 2 * written_from_memory() + core_drops_e1_2}},
    tuned(streams));

// ---- the L2 has the line, and it is on its way to the L1D, for 21 clocks; VPREFETCH2 hits

#define AGAIN_IN_L1(address) LOAD(address) CLEVICT0(address) VPREFETCH0(address)
const counts again_in_l1 = read_from_memory() + pf0_miss + l2_read_hit_e;
// 34 bytes, and as many more as make a line of code.
#define AGAIN_AND(prefetch, address) AGAIN_IN_L1(address) prefetch(address) ".skip 30, 0x90\n"
KNC_CACHE_KERNEL(dropped, meet_line_from_l2,
                 AGAIN_AND(VPREFETCH0, 0x400000) AGAIN_AND(VPREFETCH1, 0x401000)
                     AGAIN_AND(VPREFETCHE1, 0x402000) AGAIN_AND(VPREFETCH2, 0x403000) HALT,
                 4 * again_in_l1 + core_drops_0_1 + core_drops_e1_2 + l2_read_hit_e);
// When it is there, all but the first go on to the L2.
KNC_CACHE_KERNEL(dropped, of_line_from_l2,
                 AGAIN_IN_L1(0x400000) WAIT VPREFETCH0(0x400000) AGAIN_IN_L1(0x401000)
                     WAIT VPREFETCH1(0x401000) AGAIN_IN_L1(0x402000) WAIT VPREFETCHE1(0x402000)
                         AGAIN_IN_L1(0x403000) WAIT VPREFETCH2(0x403000) HALT,
                 4 * again_in_l1 + pf0 + pf1 + l2_read_hit_e + pf1 + l2_write_hit + pf2 +
                     l2_read_hit_e);

// The same of the L1I. The lines were loaded, and have left the L1D.
// 51 bytes, and as many more as make a line of code.
#define LOAD_AND_EVICT(address) LOAD(address) CLEVICT0(address)
#define NEXT_LINE ".skip 13, 0x90\n"
#define FETCH_FROM_L2(program, n, address) \
    LOAD_AND_EVICT(address) AT(n) EXACTLY(n + 500) VISIT(program, 0, address) NEXT_LINE
KNC_PROGRAM64(fetch_from_l2, FETCH_FROM_L2(fetch_from_l2, 2000, 0x400080)
                                 FETCH_FROM_L2(fetch_from_l2, 3000, 0x401080)
                                     FETCH_FROM_L2(fetch_from_l2, 4000, 0x402080)
                                         FETCH_FROM_L2(fetch_from_l2, 5000, 0x403080) HALT);
const counts fetched_from_l2 = read_from_memory() + code_cache_miss + l2_read_hit_e;
#define LATER(n, clocks, hint, address) AT(n) EXACTLY(n + 500 + clocks) hint(address)
#define PREFETCH_CODE(clocks)                 \
    LATER(2000, clocks, VPREFETCH0, 0x400080) \
    LATER(3000, clocks, VPREFETCH1, 0x401080) \
    LATER(4000, clocks, VPREFETCHE1, 0x402080) LATER(5000, clocks, VPREFETCH2, 0x403080) HALT
KNC_PROGRAM64(prefetch_code_15_later, PREFETCH_CODE(15));
KNC_PROGRAM64(prefetch_code_90_later, PREFETCH_CODE(90));
const kernel meet_code_from_l2("dropped", "meet_code_from_l2",
                               {{0, 0, fetch_from_l2}, {0, 2, prefetch_code_15_later}},
                               {{0, 0, 4 * fetched_from_l2},
                                {0, 2, core_drops_0_1 + core_drops_e1_2 + l2_read_hit_e}},
                               four_lines_of_code());
const kernel of_code_from_l2("dropped", "of_code_from_l2",
                             {{0, 0, fetch_from_l2}, {0, 2, prefetch_code_90_later}},
                             {{0, 0, 4 * fetched_from_l2},
                              {0, 2,
                               pf0_miss + l2_read_hit_e + pf1_miss + l2_read_hit_e + pf1_miss +
                                   l2_write_hit + pf2 + l2_read_hit_e}},
                             four_lines_of_code());

// ---- tile 1 asks for the right to write what it shares with tile 0; meanwhile the L1 has a copy
// that may be read

#define EACH_LINE(access) access(0x400000) access(0x401000) access(0x402000)
KNC_PROGRAM64(load_first, EACH_LINE(LOAD) HALT);
KNC_PROGRAM64(load_second, AT(3000) EACH_LINE(LOAD) HALT);
KNC_PROGRAM64(load_and_upgrade, AT(3000) EACH_LINE(LOAD) AT(6000) EACH_LINE(STORE) HALT);
KNC_PROGRAM64(prefetch_third,
              AT(6100) VPREFETCH0(0x400000) VPREFETCH1(0x401000) VPREFETCH2(0x402000) HALT);
// VPREFETCH1 has not missed the L1.
const kernel meet_upgrade("dropped", "meet_upgrade",
                          {{0, 0, load_first}, {1, 0, load_and_upgrade}, {1, 2, prefetch_third}},
                          {{0, 0, 3 * read_from_memory() + 6 * counts{snp_hit_l2}},
                           {1, 0, 3 * read_from_tile() + stores(3)},
                           {1, 2, pf0_drop + l1_data_pf2 + pf2}});
const kernel of_shared_line("dropped", "of_shared_line",
                            {{0, 0, load_first}, {1, 0, load_second}, {1, 2, prefetch_third}},
                            {{0, 0, 3 * read_from_memory() + 3 * counts{snp_hit_l2}},
                             {1, 0, 3 * read_from_tile()},
                             {1, 2, pf0 + pf1 + l2_read_hit_s + pf2 + l2_read_hit_s}});

}  // namespace
}  // namespace knc::caches
