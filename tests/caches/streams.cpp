// The stream prefetcher: 2 misses to neighbouring lines of a page make a stream, each miss from the
// second on, and each first access to a line it has brought, asks for lines up to 4 ahead, none
// beyond the page.
//
// A line it asks for is no fill of any thread's; it raises HWP_L2MISS, or HWP_L2HIT if the L2 has
// the line. Programs have one line of code, so that code trains no stream.

#include "prefetches.h"

namespace knc::caches {
namespace {

using namespace base;

void on(card::parameters& p) {
    p.cache.prefetch.streams = 16;
}
void threshold_3(card::parameters& p) {
    on(p);
    p.cache.prefetch.threshold = 3;
}
void by_thread(card::parameters& p) {
    on(p);
    p.cache.prefetch.by_thread = true;
}
counts asked(std::uint64_t n) {
    return {hwp_l2miss, n};
}
// A load that finds its line in the L2.
const counts found = read_miss() + l2_read_hit_e;

KNC_CACHE_KERNEL(stream, one_miss, LOAD(0x400000) HALT, read_from_memory(), tuned(on));
KNC_CACHE_KERNEL(stream, two_misses, LOADS(0x400000, 64, 2) HALT, 2 * read_from_memory() + asked(4),
                 tuned(on));
KNC_CACHE_KERNEL(stream, off, LOADS(0x400000, 64, 2) HALT, 2 * read_from_memory());
KNC_CACHE_KERNEL(stream, descending, LOADS(0x400200, -64, 2) HALT,
                 2 * read_from_memory() + asked(4), tuned(on));
// Lines 2 to 5 are there, and each leads the stream on by one; line 6 is on its way when its turn
// comes, and leads it on, too.
KNC_CACHE_KERNEL(stream, ascending, LOADS(0x400000, 64, 2) WAIT LOADS(0x400080, 64, 5) HALT,
                 3 * read_from_memory() + 4 * found + asked(9), tuned(on));
// A second access to a line leads nowhere.
KNC_CACHE_KERNEL(stream, ascending_twice,
                 LOADS(0x400000, 64, 2) WAIT LOAD(0x400080) CLEVICT0(0x400080) LOAD(0x400080) HALT,
                 2 * read_from_memory() + 2 * found + asked(5), tuned(on));
// Every other line: no stream.
KNC_CACHE_KERNEL(stream, strided, LOADS(0x400000, 128, 4) HALT, 4 * read_from_memory(), tuned(on));
KNC_CACHE_KERNEL(stream, turn, LOADS(0x400200, 64, 1) LOADS(0x400280, 128, 2) HALT,
                 3 * read_from_memory(), tuned(on));
// Two lines of two pages.
KNC_CACHE_KERNEL(stream, across_pages, LOADS(0x400fc0, 64, 2) HALT, 2 * read_from_memory(),
                 tuned(on));
// Lines 60 and 61 of a page: two are left.
KNC_CACHE_KERNEL(stream, to_end_of_page, LOADS(0x400f00, 64, 2) HALT,
                 2 * read_from_memory() + asked(2), tuned(on));
// Lines 3 and 2: two are left.
KNC_CACHE_KERNEL(stream, to_beginning_of_page, LOADS(0x4000c0, -64, 2) HALT,
                 2 * read_from_memory() + asked(2), tuned(on));
KNC_CACHE_KERNEL(stream, ends_with_page, LOADS(0x400f80, 64, 2) HALT, 2 * read_from_memory(),
                 tuned(on));
KNC_CACHE_KERNEL(stream, below_threshold_of_3, LOADS(0x400000, 64, 2) HALT, 2 * read_from_memory(),
                 tuned(threshold_3));
KNC_CACHE_KERNEL(stream, threshold_of_3, LOADS(0x400000, 64, 3) HALT,
                 3 * read_from_memory() + asked(4), tuned(threshold_3));
// Line 3 came before: of lines 2 to 5 it is hit, three are asked for.
KNC_CACHE_KERNEL(stream, line_in_l2, LOAD(0x4000c0) LOADS(0x400000, 64, 2) HALT,
                 3 * read_from_memory() + hwp_l2hit + asked(3), tuned(on));
// Nor is it asked for when it is on its way, which is no hit.
KNC_CACHE_KERNEL(stream, line_under_way, VPREFETCHE2(0x4000c0) STORES(0x400000, 64, 2) WAIT HALT,
                 pf2 + l2_data_write_miss_mem_fill + 2 * written_from_memory() + asked(3),
                 tuned(on));
// Stores, each with a request to write: lines 2 to 5 can be written when they have come, the first
// such store leads on by one.
KNC_CACHE_KERNEL(stream, of_stores, STORES(0x400000, 64, 2) WAIT STORE(0x400080) HALT,
                 2 * written_from_memory() + asked(5) + write_miss() + l2_write_hit, tuned(on));
// A load and a store are of two streams.
KNC_CACHE_KERNEL(stream, of_two_types, LOAD(0x400000) STORE(0x400040) HALT,
                 read_from_memory() + written_from_memory(), tuned(on));
// Prefetches are no misses that train.
KNC_CACHE_KERNEL(stream, of_prefetches, VPREFETCH2(0x400000) VPREFETCH2(0x400040) HALT,
                 2 * pf2_from_memory, tuned(on));
// Three lines of code: the second makes the stream. The third was asked for with it, and is in the
// L2 when the second has come and run; it leads on by one.
KNC_PROGRAM64(three_lines, ".fill 2 * 64 + 8, 1, 0x90\njmp *%rdi\n");
conditions on_with_three_lines() {
    conditions c = with({0x500000, three_lines});
    c.tune = on;
    return c;
}
KNC_CACHE_KERNEL(stream, of_code, VISIT(stream_of_code_text, 0, 0x500000) HALT,
                 2 * code_from_memory() + code_cache_miss + l2_read_hit_e + asked(5),
                 on_with_three_lines());

KNC_PROGRAM64(load_line_0, LOAD(0x400000) HALT);
KNC_PROGRAM64(load_line_1_later, AT(3000) LOAD(0x400040) HALT);
const kernel of_threads("stream", "of_two_threads",
                        {{0, 0, load_line_0}, {0, 1, load_line_1_later}},
                        {{0, 0, read_from_memory() + asked(4)}, {0, 1, read_from_memory()}},
                        tuned(on));
const kernel of_each_thread("stream", "of_each_thread",
                            {{0, 0, load_line_0}, {0, 1, load_line_1_later}},
                            {{0, 0, read_from_memory()}, {0, 1, read_from_memory()}},
                            tuned(by_thread));
const kernel of_tiles("stream", "of_two_tiles", {{0, 0, load_line_0}, {1, 0, load_line_1_later}},
                      {{0, 0, read_from_memory()}, {1, 0, read_from_memory()}}, tuned(on));
// What the prefetcher of tile 1 asks for may come from tile 0, which is snooped for it.
KNC_PROGRAM64(load_line_2, LOAD(0x400080) HALT);
KNC_PROGRAM64(load_lines_later, AT(3000) LOADS(0x400000, 64, 2) HALT);
const kernel from_tile("stream", "from_another_tile",
                       {{0, 0, load_line_2}, {1, 0, load_lines_later}},
                       {{0, 0, read_from_memory() + snp_hit_l2},
                        {1, 0, 2 * read_from_memory() + asked(4)}},
                       tuned(on));

}  // namespace
}  // namespace knc::caches
