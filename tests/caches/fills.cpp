// Whose the fill of a line is, and of what kind, when others meet it on its way.
//
// A line that is asked for is filled once, and counted for whoever asked first, but:
//
//     a store takes over what a prefetch instruction has asked for to be read;
//     what the stream prefetcher has asked for is the first demand access's that meets it.
//
// Thread 0 asks for a line, which takes 200 clocks at least. Others meet it 50 or 100 clocks later.

#include "prefetches.h"

namespace knc::caches {
namespace {

using namespace base;

KNC_PROGRAM64(back, "jmp *%rdi\n");
const counts read_fill = l2_data_read_miss_mem_fill, write_fill = l2_data_write_miss_mem_fill;

// What a load and a fetch raise that meet a line on its way to the L2; a store, and an addition
// that looks for the line to read it and asks for it to be written.
const counts met_by_load = read_miss() + l2_read_miss;
const counts met_by_fetch = counts{code_cache_miss} + l2_read_miss;
const counts met_by_store = write_miss();
const counts met_by_addition = read_miss() + stores(1);

// Without a store buffer the store itself waits.
void no_buffer(card::parameters& p) {
    p.cache.store_buffer = 0;
}

// ---- a demand access meets another's request

KNC_PROGRAM64(load_at_2000, AT(2000) LOAD(0x400080) HALT);
KNC_PROGRAM64(load_at_2050, AT(2050) LOAD(0x400080) HALT);
KNC_PROGRAM64(load_at_2100, AT(2100) LOAD(0x400080) HALT);
KNC_PROGRAM64(store_at_2000, AT(2000) STORE(0x400080) HALT);
KNC_PROGRAM64(store_at_2050, AT(2050) STORE(0x400080) HALT);
KNC_PROGRAM64(store_at_2100, AT(2100) STORE(0x400080) HALT);
KNC_PROGRAM64(fetch_at_2000, AT(2000) VISIT(fetch_at_2000, 0, 0x400080) HALT);
KNC_PROGRAM64(fetch_at_2100, AT(2100) VISIT_BY(fetch_at_2100, 0, 1, 0x400080) HALT);
const placed code{0x400080, back};

// (A load that meets a load: sharing.cpp.)
const kernel fetch_meets_load("fill", "fetch_meets_load",
                              {{0, 0, load_at_2000}, {0, 1, fetch_at_2100}},
                              {{0, 0, read_from_memory()}, {0, 1, met_by_fetch}}, with(code));
const kernel load_meets_fetch("fill", "load_meets_fetch",
                              {{0, 0, fetch_at_2000}, {0, 1, load_at_2100}},
                              {{0, 0, code_from_memory()}, {0, 1, met_by_load}}, with(code));
// The line comes in E and may be written.
const kernel store_meets_load("fill", "store_meets_load",
                              {{0, 0, load_at_2000}, {0, 1, store_at_2100}},
                              {{0, 0, read_from_memory()}, {0, 1, met_by_store}});
const kernel unbuffered_store_meets_load("fill", "unbuffered_store_meets_load",
                                         {{0, 0, load_at_2000}, {0, 1, store_at_2100}},
                                         {{0, 0, read_from_memory()}, {0, 1, met_by_store}},
                                         tuned(no_buffer));
const kernel load_meets_store("fill", "load_meets_store",
                              {{0, 0, store_at_2000}, {0, 1, load_at_2100}},
                              {{0, 0, written_from_memory()}, {0, 1, read_miss()}});

// ---- a load, a fetch, a store and a locked addition each meet a prefetch instruction's request;
// one more store has the next line. Each of these prefetches is of four lines.

KNC_PROGRAM64(prefetch0, FOUR_LINES(VPREFETCH0));
KNC_PROGRAM64(prefetch1, FOUR_LINES(VPREFETCH1));
KNC_PROGRAM64(prefetch2, FOUR_LINES(VPREFETCH2));
KNC_PROGRAM64(prefetchnta, FOUR_LINES(VPREFETCHNTA));
KNC_PROGRAM64(prefetche0, FOUR_LINES(VPREFETCHE0));
KNC_PROGRAM64(prefetche1, FOUR_LINES(VPREFETCHE1));
KNC_PROGRAM64(prefetche2, FOUR_LINES(VPREFETCHE2));
KNC_PROGRAM64(prefetchenta, FOUR_LINES(VPREFETCHENTA));
KNC_PROGRAM64(load_and_fetch,
              AT(2100) LOAD(0x400080) AT(3100) VISIT_BY(load_and_fetch, 0, 1, 0x401080) HALT);
KNC_PROGRAM64(store_and_add, AT(4100) STORE(0x402080) AT(5100) "lock incl 0x403080\n" HALT);
KNC_PROGRAM64(store_to_next_line, AT(4100) STORE(0x4020c0) HALT);

// `each`: raised by a prefetch, without the fill; then by who meets it, without a fill. The load
// and the fetch leave the fill where it is; so do the others if the line is asked for to be
// written.
std::vector<share> filled_to_read(const counts& each, const counts& load, const counts& fetch,
                                  const counts& store, const counts& add) {
    return {{0, 0, 4 * each + 2 * read_fill},
            {0, 1, load + fetch},
            {0, 2, store + add + 2 * write_fill},
            {0, 3, written_from_memory()}};
}
std::vector<share> filled_to_write(const counts& each, const counts& load, const counts& fetch,
                                   const counts& store, const counts& add) {
    return {{0, 0, 4 * each + 4 * write_fill},
            {0, 1, load + fetch},
            {0, 2, store + add},
            {0, 3, written_from_memory()}};
}
#define MEET(name, prefetch, raised, ...)                  \
    const kernel meet_##name("fill", "meet_" #name,        \
                             {{0, 0, prefetch},            \
                              {0, 1, load_and_fetch},      \
                              {0, 2, store_and_add},       \
                              {0, 3, store_to_next_line}}, \
                             raised, __VA_ARGS__)

// An access that meets VPREFETCH1.
const counts in_flight = l2_data_hit_inflight_pf2;
const std::vector<share> filled_0 =
    filled_to_read(pf0_without_fill, late_load, met_by_fetch, late_store, late_load + stores(1));
const std::vector<share> filled_1 =
    filled_to_read(pf1_without_fill, met_by_load + in_flight, met_by_fetch + in_flight,
                   met_by_store + in_flight, met_by_addition + in_flight);
const std::vector<share> filled_e1 =
    filled_to_write(pf1_miss + l2_data_pf2_miss, met_by_load + in_flight, met_by_fetch + in_flight,
                    met_by_store + in_flight, met_by_addition + in_flight);
conditions line_of_code() {
    return with({0x401080, back});
}
conditions line_of_code_and_no_buffer() {
    conditions c = line_of_code();
    c.tune = no_buffer;
    return c;
}
MEET(prefetch0, prefetch0, filled_0, line_of_code());
MEET(prefetch1, prefetch1, filled_1, line_of_code());
MEET(prefetch0_without_buffer, prefetch0, filled_0, line_of_code_and_no_buffer());
MEET(prefetch1_without_buffer, prefetch1, filled_1, line_of_code_and_no_buffer());
MEET(prefetch2, prefetch2,
     filled_to_read(pf2_without_fill, met_by_load, met_by_fetch, met_by_store, met_by_addition),
     line_of_code());
MEET(prefetchnta, prefetchnta,
     filled_to_read(l2_read_miss, read_miss(), met_by_fetch, met_by_store, met_by_addition),
     line_of_code());
MEET(prefetche0, prefetche0,
     filled_to_write(pf0_miss + l2_data_pf1_miss, late_load, met_by_fetch, late_store,
                     late_load + stores(1)),
     line_of_code());
MEET(prefetche1, prefetche1, filled_e1, line_of_code());
MEET(prefetche1_without_buffer, prefetche1, filled_e1, line_of_code_and_no_buffer());
MEET(prefetche2, prefetche2,
     filled_to_write(pf2, met_by_load, met_by_fetch, met_by_store, met_by_addition),
     line_of_code());
MEET(prefetchenta, prefetchenta,
     filled_to_write(counts(), read_miss(), met_by_fetch, met_by_store, met_by_addition),
     line_of_code());

// A load that meets it before the store changes nothing. What a store has taken is a store's:
// another one changes nothing.
KNC_PROGRAM64(prefetch1_at_2000, AT(2000) VPREFETCH1(0x400080) HALT);
const kernel load_and_store(
    "fill", "load_and_store_meet_prefetch1",
    {{0, 0, prefetch1_at_2000}, {0, 1, load_at_2050}, {0, 2, store_at_2100}},
    {{0, 0, pf1_without_fill}, {0, 1, met_by_load + in_flight}, {0, 2, met_by_store + write_fill}});
const kernel two_stores("fill", "two_stores_meet_prefetch1",
                        {{0, 0, prefetch1_at_2000}, {0, 1, store_at_2050}, {0, 2, store_at_2100}},
                        {{0, 0, pf1_without_fill},
                         {0, 1, met_by_store + in_flight + write_fill},
                         {0, 2, met_by_store}});
// The line comes from another tile, which loses it when the store is performed: a second snoop.
KNC_PROGRAM64(load_first, LOAD(0x400080) HALT);
const kernel from_tile("fill", "store_meets_prefetch1_of_another_tiles_line",
                       {{0, 0, prefetch1_at_2000}, {0, 1, store_at_2100}, {1, 0, load_first}},
                       {{0, 0, pf1_without_fill},
                        {0, 1, met_by_store + in_flight + l2_data_write_miss_cache_fill},
                        {1, 0, read_from_memory() + 2 * counts{snp_hit_l2}}});

// ---- a demand access meets the stream prefetcher's request

// A miss of line 1 of a page behind one of line 0 makes the prefetcher ask for lines 2 to 5: to
// read, to write, for code. It takes an access of the same kind that meets line n, and misses, for
// the next step, and asks for lines up to n + 4.
void streams(card::parameters& p) {
    p.cache.prefetch.streams = 16;
}
conditions streams_and_code() {
    conditions c = tuned(streams);
    for (std::uint32_t line = 0x400000; line < 0x400180; line += 0x40)
        c.more.push_back({line, back});
    return c;
}
counts asked(std::uint64_t n) {
    return {hwp_l2miss, n};
}
KNC_PROGRAM64(read_stream, LOAD(0x400000) AT(2000) LOAD(0x400040) HALT);
KNC_PROGRAM64(write_stream, STORE(0x400000) AT(2000) STORE(0x400040) HALT);
KNC_PROGRAM64(code_stream,
              VISIT(code_stream, 0, 0x400000) AT(2000) VISIT(code_stream, 0, 0x400040) HALT);
// Line 2 is fetched, line 3 loaded, line 4 stored to.
KNC_PROGRAM64(load_line_3, AT(2100) LOAD(0x4000c0) HALT);
KNC_PROGRAM64(store_line_4, AT(2100) STORE(0x400100) HALT);
#define MEET_STREAM(stream, raised)                                                         \
    const kernel meet_##stream(                                                             \
        "fill", "meet_" #stream,                                                            \
        {{0, 0, stream}, {0, 1, fetch_at_2100}, {0, 2, load_line_3}, {0, 3, store_line_4}}, \
        {{0, 0, raised},                                                                    \
         {0, 1, code_from_memory()},                                                        \
         {0, 2, read_from_memory()},                                                        \
         {0, 3, written_from_memory()}},                                                    \
        streams_and_code())
MEET_STREAM(code_stream, 2 * code_from_memory() + asked(4 + 1));
MEET_STREAM(read_stream, 2 * read_from_memory() + asked(4 + 2));
MEET_STREAM(write_stream, 2 * written_from_memory() + asked(4 + 3));

// Who comes second meets the first's.
const kernel load_then_store("fill", "load_and_store_meet_stream",
                             {{0, 0, read_stream}, {0, 1, load_at_2050}, {0, 2, store_at_2100}},
                             {{0, 0, 2 * read_from_memory() + asked(4 + 1)},
                              {0, 1, read_from_memory()},
                              {0, 2, met_by_store}},
                             tuned(streams));
const kernel store_then_load("fill", "store_and_load_meet_stream",
                             {{0, 0, read_stream}, {0, 1, store_at_2050}, {0, 2, load_at_2100}},
                             {{0, 0, 2 * read_from_memory() + asked(4)},
                              {0, 1, written_from_memory()},
                              {0, 2, read_miss()}},
                             tuned(streams));
// A store of a line behind the stream leaves the stream's to nobody.
KNC_PROGRAM64(store_line_8, AT(2100) STORE(0x400200) HALT);
const kernel nobody_meets(
    "fill", "nobody_meets_stream", {{0, 0, read_stream}, {0, 3, store_line_8}},
    {{0, 0, 2 * read_from_memory() + asked(4)}, {0, 3, written_from_memory()}}, tuned(streams));

}  // namespace
}  // namespace knc::caches
