// Code: fetches that miss, hit in the L2, come from another tile, and code that is written.

#include "harness.h"

namespace knc::caches {
namespace {

using namespace base;

KNC_PROGRAM64(back, "jmp *%rdi\n");
const placed back_at_500000{0x500000, back};
// Lines 4 KB apart, of one set of the L1I: N and one that leads to the first again until ECX is 0.
#define CHAIN(n)                                                     \
    ".rept " #n                                                      \
    "\njmp .+0x1000\n.skip 0x1000 - 5, 0x90\n.endr\nsubl $1, %ecx\n" \
    "jz 1f\njmp *%rsi\n1: jmp *%rdi\n"
KNC_PROGRAM64(chain_of_8, CHAIN(7));
KNC_PROGRAM64(chain_of_9, CHAIN(8));

KNC_CACHE_KERNEL(code, another_line, VISIT(code_another_line_text, 0, 0x500000) HALT,
                 code_from_memory(), with(back_at_500000));
KNC_CACHE_KERNEL(code, another_line_twice,
                 VISIT(code_another_line_twice_text, 0, 0x500000)
                     VISIT(code_another_line_twice_text, 0, 0x500000) HALT,
                 code_from_memory(), with(back_at_500000));
// Two passes through the lines: 8 of a set stay, of 9 none does, but in the L2.
KNC_CACHE_KERNEL(code, set_filled,
                 "movl $2, %ecx\nmovl $0x500000, %esi\n" VISIT(code_set_filled_text, 0, 0x500000)
                     HALT,
                 8 * code_from_memory(), with({0x500000, chain_of_8}));
KNC_CACHE_KERNEL(code, set_overfilled,
                 "movl $2, %ecx\nmovl $0x500000, %esi\n" VISIT(code_set_overfilled_text, 0,
                                                               0x500000) HALT,
                 9 * (code_from_memory() + code_cache_miss + l2_read_hit_e),
                 with({0x500000, chain_of_9}));
// 8 lines of data in its set of the L2 drive a line of code out of both caches.
KNC_CACHE_KERNEL(code, back_invalidation,
                 VISIT(code_back_invalidation_text, 0, 0x500000) LOADS(0x400000, 0x10000, 8)
                     VISIT(code_back_invalidation_text, 0, 0x500000) HALT,
                 8 * read_from_memory() + 2 * code_from_memory(), with(back_at_500000));
// The L2 has one copy for data and code; the L1 have one each.
KNC_CACHE_KERNEL(code, line_read_as_data,
                 VISIT(code_line_read_as_data_text, 0, 0x500000) LOAD(0x500000) HALT,
                 code_from_memory() + read_miss() + l2_read_hit_e, with(back_at_500000));

// A store behind a jump: the line is not in the L1D and may be written in the L2. It leaves the
// L1I. To fetch it again is to find it in the L2, after what the L1D has written has come there,
// where it had been in E since memory sent it.
KNC_CACHE_KERNEL(code, written,
                 VISIT(code_written_text, 0, 0x500000) STORE(0x500020)
                     WAIT VISIT(code_written_text, 0, 0x500000) HALT,
                 code_from_memory() + write_miss() + l2_write_hit + code_cache_miss +
                     l2_read_hit_e + data_cache_lines_written_back,
                 with(back_at_500000));
// Data of another line are nothing to the code.
KNC_CACHE_KERNEL(code, next_line_written,
                 VISIT(code_next_line_written_text, 0, 0x500000) STORE(0x500040)
                     WAIT VISIT(code_next_line_written_text, 0, 0x500000) HALT,
                 code_from_memory() + written_from_memory(), with(back_at_500000));

// ---- two tiles

KNC_PROGRAM64(visit, VISIT(visit, 0, 0x500000) HALT);
KNC_PROGRAM64(visit_later, AT(3000) VISIT(visit_later, 1, 0x500000) HALT);
KNC_PROGRAM64(visit_twice,
              VISIT(visit_twice, 0, 0x500000) AT(6000) VISIT(visit_twice, 0, 0x500000) HALT);
KNC_PROGRAM64(write_later, AT(3000) STORE(0x500020) HALT);
const kernel shared("code", "shared", {{0, 0, visit}, {1, 0, visit_later}},
                    {{0, 0, code_from_memory() + snp_hit_l2}, {1, 0, code_from_tile()}},
                    with(back_at_500000));
// It is gone from the L1I, and comes back from the tile that has written it.
const kernel written_by_another(
    "code", "written_by_another", {{0, 0, visit_twice}, {1, 0, write_later}},
    {{0, 0, code_from_memory() + snp_hit_l2 + code_from_tile()},
     {1, 0, written_from_tile() + snp_hitm_l2 + data_cache_lines_written_back}},
    with(back_at_500000));

// ---- two threads of a tile: one fetches a line, one loads it while it is on its way. Both miss
// the L2; it is filled once, for the first.

KNC_PROGRAM64(visit_at_2000, AT(2000) VISIT(visit_at_2000, 0, 0x500000) HALT);
KNC_PROGRAM64(load_at_2100, AT(2100) LOAD(0x500000) HALT);
const kernel code_and_data("code", "fetched_and_loaded",
                           {{0, 0, visit_at_2000}, {0, 1, load_at_2100}},
                           {{0, 0, code_from_memory()}, {0, 1, read_miss() + l2_read_miss}},
                           with(back_at_500000));

}  // namespace
}  // namespace knc::caches
