// Instruction fetch: a prefetch buffer asks for the 32-byte blocks (core.fetch_bytes) it does not
// hold. The body begins a block.

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

#define KNC_NOPS(n) ".fill " #n ", 1, 0x90"
const counts fetch = raises(code_read, 1);
const counts none;

KNC_KERNEL(fetch, nothing, 32, "", "", "", 0, raises(code_read, 1));
// 30 NOPs and `stop` fill the block.
KNC_KERNEL(fetch, one_block, 32, "", KNC_NOPS(30), "", 30, issues(30, 15));
KNC_KERNEL(fetch, two_blocks, 32, "", KNC_NOPS(32), "", 32, issues(32, 16) + fetch);
KNC_KERNEL(fetch, four_blocks, 32, "", KNC_NOPS(98), "", 98,
           issues(98, 49) + fetch + fetch + fetch);
// An instruction in two blocks needs both; issued to V it needs the second all the same.
KNC_KERNEL(fetch, across_blocks, 32, "", KNC_NOPS(30) "\nmovl $5, %eax\nnegl %edx", "", 30 + 4,
           issues(32, 15) + fetch);
KNC_KERNEL(fetch, across_blocks_in_v, 32, "", KNC_NOPS(29) "\nmovl $5, %eax", "", 30,
           issues(30, 15) + fetch);
// A jump past a block: it is not asked for. The jump, without entry, takes 3 clocks.
const counts jump = raises(branches, 1) + raises(pipeline_flushes, 1) + waits(2);
KNC_KERNEL(fetch, jump_past_a_block, 32, "", "jmp 1f\n.skip 62\n1:", "", 3,
           issues(1, 0) + fetch + jump);
// In the block that is there: nothing to fetch, whatever the refill does.
KNC_KERNEL(fetch, jump_in_a_block, 32, "", "jmp 1f\n.skip 8\n1:", "", 3, issues(1, 0) + jump);
// Back and forth between two blocks: 1, 2, 1, and `stop` in 2.
KNC_KERNEL(fetch, back_and_forth, 32, "", "jmp 2f\n1: jmp 3f\n.skip 28\n2: jmp 1b\n3:", "", 9,
           issues(3, 0) + jump + jump + jump + fetch + fetch + fetch);
// A serializing instruction drops what is there: CPUID, 15 clocks.
KNC_KERNEL(fetch, behind_cpuid, 32, "", "cpuid", "", 15, issues(1, 0) + microcode(15) + fetch);
KNC_KERNEL(fetch, behind_rdtsc, 32, "", "rdtsc", "", 4, issues(1, 0) + microcode(4));

KNC_KERNEL(fetch, blocks_of_16, 32, "", KNC_NOPS(30), "", 30, issues(30, 15) + fetch,
           tuned([](card::parameters& p) { p.core.fetch_bytes = 16; }));
// `start`, body and `stop` in one block: no request at all.
KNC_KERNEL(fetch, blocks_of_a_page, 32, "", KNC_NOPS(30), "", 30,
           {{instructions_executed, 30},
            {instructions_executed_v_pipe, 15},
            {exec_stage_cycles, 15}},
           tuned([](card::parameters& p) { p.core.fetch_bytes = 4096; }));

// ---- pages: the body begins the last block of one

#define KNC_AT_END_OF_PAGE(name) "jmp 8f\n.org kernel_fetch_" #name "_begin + 0xfc0, 0x90\n8:"
// CDQ (2 clocks) and 31 NOPs to the end of the page, one NOP in the next. In one page that would be
// 16 pairs; a pair never spans two, so that the last NOP of the first is alone, and so is the next.
KNC_KERNEL(fetch, pair_across_pages, 32, KNC_AT_END_OF_PAGE(pair_across_pages),
           "cltd\n" KNC_NOPS(32), "", 2 + 30 + 2 + 2, issues(33, 15) + held(1) + fetch);
KNC_KERNEL(fetch, pair_across_blocks, 32, "", "cltd\n" KNC_NOPS(32), "", 2 + 32,
           issues(33, 16) + held(1) + fetch);
// An instruction that lies in two pages is alone: 15 pairs of NOPs, one NOP that does not pair with
// it, the MOV.
KNC_KERNEL(fetch, instruction_across_pages, 32, KNC_AT_END_OF_PAGE(instruction_across_pages),
           KNC_NOPS(31) "\nmovl $5, %eax", "", 30 + 2 + 2, issues(32, 15) + fetch);
// Nor does it pair with what follows it.
KNC_KERNEL(fetch, behind_an_instruction_across_pages, 32,
           KNC_AT_END_OF_PAGE(behind_an_instruction_across_pages),
           KNC_NOPS(30) "\nmovl $5, %eax\nnop", "", 30 + 2 + 2, issues(32, 15) + fetch);
// The second time it costs the same.
KNC_KERNEL(fetch, instruction_across_pages_again, 32,
           KNC_AT_END_OF_PAGE(instruction_across_pages_again), KNC_NOPS(31) "\nmovl $5, %eax",
           "jmp 9b", 30 + 2 + 2, issues(32, 15) + fetch, in_pass(2));

}  // namespace
}  // namespace knc::kernels
