// What empties caches: WBINVD and INVD the tile's, CLFLUSH (profile compat) those of the card, of a
// line.
//
// WBINVD and INVD empty the L1I, too. They wait until all lines have gone and are repeated then:
// the line they stand in is fetched once more. They are no accesses to data, and nor is CLFLUSH.

#include "harness.h"

namespace knc::caches {
namespace {

using namespace base;

KNC_PROGRAM64(load, LOAD(0x400000) HALT);
KNC_PROGRAM64(store, STORE(0x400000) HALT);
KNC_PROGRAM64(load_second, AT(3000) LOAD(0x400000) HALT);
KNC_PROGRAM64(load_again_fourth, LOAD(0x400000) AT(9000) LOAD(0x400000) HALT);
KNC_PROGRAM64(store_and_load_fourth, STORE(0x400000) AT(9000) LOAD(0x400000) HALT);

// A modified line leaves the L1D; a snoop takes it there.
const counts written_back = data_cache_lines_written_back;
const counts dirty_snoop = written_back + snp_hitm_l2;

// ---- WBINVD and INVD. INVD writes back, too (docs/hierarchy.md), so both raise the same.

// Of three lines two are dirty. All leave.
#define THREE_LINES STORE(0x400000) STORE(0x400040) LOAD(0x400080) WAIT
const counts three_lines =
    2 * written_from_memory() + read_from_memory() + 2 * written_back + code_from_memory();
KNC_CACHE_KERNEL(wbinvd, of_dirty_lines, THREE_LINES "wbinvd\n" HALT, three_lines);
KNC_CACHE_KERNEL(invd, of_dirty_lines, THREE_LINES "invd\n" HALT, three_lines);
#define LOAD_AGAIN(instruction) LOAD(0x400000) instruction "\n" LOAD(0x400000) HALT
KNC_CACHE_KERNEL(wbinvd, of_clean_line, LOAD_AGAIN("wbinvd"),
                 2 * read_from_memory() + code_from_memory());
KNC_CACHE_KERNEL(invd, of_clean_line, LOAD_AGAIN("invd"),
                 2 * read_from_memory() + code_from_memory());
// Nothing but the program's line is there. That the instruction is the first of its line, which it
// misses twice, is one CODE_CACHE_MISS: one for each instruction and line.
KNC_CACHE_KERNEL(wbinvd, of_nothing, "wbinvd\n" HALT,
                 counts{l2_read_miss} + l2_code_read_miss_mem_fill);
KNC_CACHE_KERNEL(invd, of_nothing, "invd\n" HALT,
                 counts{l2_read_miss} + l2_code_read_miss_mem_fill);
KNC_CACHE_KERNEL(invd, second_of_line, "nop\ninvd\n" HALT, code_from_memory());
// Only the L2 has the dirty line: CLEVICT0 has written it back to there, once.
#define ONLY_IN_L2 STORE(0x400000) WAIT CLEVICT0(0x400000)
const counts only_in_l2 =
    written_from_memory() + l2_victim_req_with_data + written_back + code_from_memory();
KNC_CACHE_KERNEL(wbinvd, of_line_in_l2, ONLY_IN_L2 "wbinvd\n" HALT, only_in_l2);
KNC_CACHE_KERNEL(invd, of_line_in_l2, ONLY_IN_L2 "invd\n" HALT, only_in_l2);
// A store that waits for its line comes first, and is not lost.
void stored_42(machine& m) {
    EXPECT_EQ(m.read(0x400000), 42u);
    EXPECT_EQ(m.read(0x402000), 42u);
}
#define READ_BACK(instruction) \
    "movl $42, 0x400000\n" instruction "\n" LOAD(0x400000) STORE(0x402000) HALT
const counts read_back = written_from_memory() + written_back + read_from_memory() +
                         written_from_memory() + code_from_memory();
KNC_CACHE_KERNEL(wbinvd, behind_store, READ_BACK("wbinvd"), read_back, checked(stored_42));
KNC_CACHE_KERNEL(invd, behind_store, READ_BACK("invd"), read_back, checked(stored_42));
// Another tile keeps its copy: tile 1 has the line in E, then both in S, then tile 1 alone. The
// code of the other thread of tile 0 leaves with the rest: it fetches it again.
KNC_PROGRAM64(load_third_and_invd, AT(6000) LOAD(0x400000) "invd\n" HALT);
KNC_PROGRAM64(idle, AT(9000) HALT);
const kernel invd_of_shared_line("invd", "of_shared_line",
                                 {{0, 0, load_third_and_invd},
                                  {0, 1, idle},
                                  {1, 0, load_again_fourth}},
                                 {{0, 0, read_from_tile() + code_from_memory()},
                                  {0, 1, code_from_memory()},
                                  {1, 0, read_from_memory() + snp_hit_l2 + loads(1)}});

// ---- CLFLUSH: the home slice takes the line from all that have it, also from the tile that asks

void compat(card::parameters& p) {
    p.profile = isa::profile::compat;
}
#define CLFLUSH(address) "clflush " #address "\n"
KNC_CACHE_KERNEL(clflush, of_clean_line, LOAD(0x400000) CLFLUSH(0x400000) LOAD(0x400000) HALT,
                 2 * read_from_memory() + snp_hit_l2, tuned(compat));
KNC_CACHE_KERNEL(clflush, of_dirty_line, STORE(0x400000) WAIT CLFLUSH(0x400000) LOAD(0x400000) HALT,
                 written_from_memory() + dirty_snoop + read_from_memory(), tuned(compat));
// Any byte names its line; the next line stays.
KNC_CACHE_KERNEL(clflush, of_next_line,
                 LOAD(0x400000) LOAD(0x400040) CLFLUSH(0x40007f) LOAD(0x400000) HALT,
                 2 * read_from_memory() + snp_hit_l2 + loads(1), tuned(compat));
KNC_CACHE_KERNEL(clflush, of_absent_line, CLFLUSH(0x400000) LOAD(0x400000) HALT, read_from_memory(),
                 tuned(compat));
KNC_CACHE_KERNEL(clflush, twice, LOAD(0x400000) CLFLUSH(0x400000) CLFLUSH(0x400000) HALT,
                 read_from_memory() + snp_hit_l2, tuned(compat));
// The L1D has dropped it; the L2 has it in M.
KNC_CACHE_KERNEL(clflush, of_dirty_line_in_l2,
                 STORE(0x400000) WAIT CLEVICT0(0x400000) WAIT CLFLUSH(0x400000) HALT,
                 written_from_memory() + l2_victim_req_with_data + written_back + snp_hitm_l2,
                 tuned(compat));
// A store that waits for its line comes first.
conditions compat_42() {
    conditions c = checked(stored_42);
    c.tune = compat;
    return c;
}
KNC_CACHE_KERNEL(clflush, behind_store, READ_BACK(CLFLUSH(0x400000)),
                 written_from_memory() + dirty_snoop + read_from_memory() + written_from_memory(),
                 compat_42());
// Code leaves the L1I with it.
KNC_PROGRAM64(back, "jmp *%rdi\n");
conditions compat_with_code() {
    conditions c = with({0x500000, back});
    c.tune = compat;
    return c;
}
KNC_CACHE_KERNEL(clflush, of_code,
                 VISIT(clflush_of_code_text, 0, 0x500000) CLFLUSH(0x500000)
                     VISIT(clflush_of_code_text, 0, 0x500000) HALT,
                 2 * code_from_memory() + snp_hit_l2, compat_with_code());

KNC_PROGRAM64(clflush_third, AT(6000) CLFLUSH(0x400000) HALT);
const kernel of_another_tile("clflush", "of_line_of_another_tile",
                             {{0, 0, load_again_fourth}, {1, 0, clflush_third}},
                             {{0, 0, 2 * read_from_memory() + snp_hit_l2}}, tuned(compat));
const kernel of_dirty_of_another_tile("clflush", "of_dirty_line_of_another_tile",
                                      {{0, 0, store_and_load_fourth}, {1, 0, clflush_third}},
                                      {{0, 0,
                                        written_from_memory() + dirty_snoop + read_from_memory()}},
                                      tuned(compat));
// Both tiles that share it lose it; the third asks.
const kernel of_shared_line("clflush", "of_shared_line",
                            {{0, 0, load}, {1, 0, load_second}, {2, 0, clflush_third}},
                            {{0, 0, read_from_memory() + 2 * counts{snp_hit_l2}},
                             {1, 0, read_from_tile() + snp_hit_l2}},
                            tuned(compat));
// Tile 0 owns it in O, tile 1 has a clean copy.
const kernel of_owned_line("clflush", "of_owned_line",
                           {{0, 0, store}, {1, 0, load_second}, {2, 0, clflush_third}},
                           {{0, 0, written_from_memory() + dirty_snoop + snp_hitm_l2},
                            {1, 0, read_from_tile() + snp_hit_l2}},
                           tuned(compat));

}  // namespace
}  // namespace knc::caches
