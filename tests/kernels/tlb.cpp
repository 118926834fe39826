// Translations in 64-bit code (machine: what each region of 2 MB is mapped with). A data walk is
// waited for behind its issue, a code walk before it: 25 clocks if the second level knows the
// region and the page is small, 8 for a page of 2 MB, 100 if the tables have to be read.

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

const counts short_walk = waits(25) + raises(data_page_walk, 1);
const counts large_walk = waits(8) + raises(data_page_walk, 1);
const counts long_walk = waits(100) + raises(data_page_walk, 1) + raises(long_data_page_walk, 1);
const counts code_walk = waits(25) + raises(code_page_walk, 1);
const counts large_code_walk = waits(8) + raises(code_page_walk, 1);
const counts long_code_walk =
    waits(100) + raises(code_page_walk, 1) + raises(long_code_page_walk, 1);
const counts none;

#define KNC_TOUCH(address) "movl " #address ", %ecx\n"
#define KNC_WALK(name, setup, address, body, clocks, ...) \
    KNC_KERNEL(tlb, name, 64, setup "movl $" #address ", %ebx", body, "", clocks, __VA_ARGS__)
#define KNC_LOAD "movl (%rbx), %eax"

// ---- data, pages of 4 KB (region 1)

KNC_WALK(first_touch, "", 0x200000, KNC_LOAD, 101, issues(1, 0) + reads(1) + long_walk);
KNC_WALK(same_page, KNC_TOUCH(0x200ffc), 0x200000, KNC_LOAD, 2, issues(1, 0) + reads(1));
// The second level knows the directory entry of the region.
KNC_WALK(next_page, KNC_TOUCH(0x200000), 0x201000, KNC_LOAD, 26,
         issues(1, 0) + reads(1) + short_walk);
KNC_WALK(store_to_next_page, KNC_TOUCH(0x200000), 0x201000, "movl %eax, (%rbx)", 26,
         issues(1, 0) + writes(1) + short_walk);
// One translation for the read and the write; its walk comes behind the 3 clocks.
KNC_WALK(read_modify_write, KNC_TOUCH(0x200000), 0x201000, "incl (%rbx)", 28,
         issues(1, 0) + held(2) + reads(1) + writes(1) + short_walk);
// In V, and in both pipes.
KNC_WALK(next_page_in_v, KNC_TOUCH(0x200000), 0x201000, "incl %edi\n" KNC_LOAD, 26,
         issues(2, 1) + reads(1) + short_walk);
KNC_WALK(next_page_in_both_pipes, KNC_TOUCH(0x200000), 0x201000,
         KNC_LOAD "\nmovl 0x1004(%rbx), %edx", 51,
         issues(2, 1) + reads(2) + raises(memory_accesses_in_both_pipes, 1) + short_walk +
             short_walk);
// 16 sets of 4 ways: the fifth page of a set, 64 KB apart, drops the first.
KNC_WALK(fourth_of_a_set,
         KNC_TOUCH(0x200000) KNC_TOUCH(0x210000) KNC_TOUCH(0x220000) KNC_TOUCH(0x230000), 0x200000,
         KNC_LOAD, 2, issues(1, 0) + reads(1));
KNC_WALK(fifth_of_a_set,
         KNC_TOUCH(0x200000) KNC_TOUCH(0x210000) KNC_TOUCH(0x220000) KNC_TOUCH(0x230000)
             KNC_TOUCH(0x240000),
         0x200000, KNC_LOAD, 26, issues(1, 0) + reads(1) + short_walk);
// The first write to a page that was read: its dirty bit is set, but its translation is there.
KNC_WALK(dirty_bit, KNC_TOUCH(0x200000), 0x200000, "movl %eax, (%rbx)", 2,
         issues(1, 0) + writes(1));
// An access across a page boundary needs both pages, and touches two lines.
KNC_WALK(across_pages, "", 0x200ffe, KNC_LOAD, 126,
         issues(1, 0) + reads(2) + long_walk + short_walk);
KNC_WALK(across_known_pages, KNC_TOUCH(0x200000) KNC_TOUCH(0x201000), 0x200ffe, KNC_LOAD, 2,
         issues(1, 0) + reads(2));
// Address and walk: the NEG, the slot that stays empty, the load and its wait.
KNC_WALK(interlock_and_walk, KNC_TOUCH(0x200000), -0x201000, "negl %ebx\n" KNC_LOAD, 3 + 26,
         issues(2, 0) + reads(1) + waits(1) + raises(pipeline_agi_stalls, 1) + short_walk);

// ---- pages of 64 KB (region 3)

KNC_WALK(first_touch_64k, "", 0x600000, KNC_LOAD, 101, issues(1, 0) + reads(1) + long_walk);
KNC_WALK(same_page_64k, KNC_TOUCH(0x600000), 0x60f000, KNC_LOAD, 2, issues(1, 0) + reads(1));
KNC_WALK(next_page_64k, KNC_TOUCH(0x600000), 0x610000, KNC_LOAD, 26,
         issues(1, 0) + reads(1) + short_walk);

// ---- pages of 2 MB (regions 2, 4, 6, 8, 10): 2 sets of 4 ways, and all of these are in one

KNC_WALK(first_touch_2m, "", 0x400000, KNC_LOAD, 101, issues(1, 0) + reads(1) + long_walk);
KNC_WALK(same_page_2m, KNC_TOUCH(0x400000), 0x5ff000, KNC_LOAD, 2, issues(1, 0) + reads(1));
KNC_WALK(fifth_of_a_set_2m,
         KNC_TOUCH(0x400000) KNC_TOUCH(0x800000) KNC_TOUCH(0xc00000) KNC_TOUCH(0x1000000)
             KNC_TOUCH(0x1400000),
         0x400000, KNC_LOAD, 9, issues(1, 0) + reads(1) + large_walk);

// ---- prefetches and evictions: they walk as loads do, also to a page that is not there

#define KNC_PREFETCH ".byte 0xC4, 0xE1, 0x78, 0x18, 0x0B"  // vprefetch0 [rbx]
#define KNC_CLEVICT ".byte 0xC4, 0xE1, 0x7B, 0xAE, 0x3B"   // clevict0 [rbx]
KNC_WALK(prefetch_of_next_page, KNC_TOUCH(0x200000), 0x201000, KNC_PREFETCH, 26,
         issues(1, 0) + short_walk);
KNC_WALK(load_behind_prefetch, KNC_TOUCH(0x200000), 0x201000, KNC_PREFETCH "\n" KNC_LOAD, 26,
         issues(2, 1) + reads(1) + short_walk);
KNC_WALK(prefetch_of_missing_page, KNC_TOUCH(0x200000), 0x300000, KNC_PREFETCH, 26,
         issues(1, 0) + short_walk);
KNC_WALK(eviction_in_next_page, KNC_TOUCH(0x200000), 0x201000, KNC_CLEVICT, 26,
         issues(1, 0) + short_walk);

// ---- what makes it miss again

// INVLPG, 25 clocks, drops the page and the directory entry it was found through.
const counts refetch = raises(code_read, 1);
KNC_WALK(invlpg, KNC_TOUCH(0x200000), 0x200000, "invlpg (%rbx)\n" KNC_LOAD, 25 + 101,
         issues(2, 0) + microcode(25) + refetch + reads(1) + long_walk);
// Not the other pages of the region.
KNC_WALK(invlpg_of_another_page, KNC_TOUCH(0x200000) KNC_TOUCH(0x201000), 0x200000,
         "invlpg 0x1000(%rbx)\n" KNC_LOAD, 25 + 2,
         issues(2, 0) + microcode(25) + refetch + reads(1));
// CR3, 22 clocks: code has to be looked up again too, before the load can issue.
KNC_WALK(cr3_write, KNC_TOUCH(0x200000) "movq %cr3, %rax\n", 0x200000, "movq %rax, %cr3\n" KNC_LOAD,
         22 + 100 + 101,
         issues(2, 0) + microcode(22) + refetch + long_code_walk + reads(1) + long_walk);
KNC_WALK(cr2_write, KNC_TOUCH(0x200000), 0x200000, "movq %rax, %cr2\n" KNC_LOAD, 22 + 2,
         issues(2, 0) + microcode(22) + refetch + reads(1));

// ---- code: always in parts of 4 KB

#define KNC_CODE(name, setup, body, tail, clocks, ...) \
    KNC_KERNEL(tlb, name, 64, setup, body, tail, clocks, __VA_ARGS__)
const counts jump = raises(branches, 1) + raises(pipeline_flushes, 1) + waits(2);
const counts fetch = raises(code_read, 1);

// The body is the last block of its page: `stop` is in the next, in the same page of 2 MB.
#define KNC_AT_END_OF_PAGE(name) "jmp 8f\n.org kernel_tlb_" #name "_begin + 0xfc0, 0x90\n8:"
KNC_CODE(next_page_of_code, KNC_AT_END_OF_PAGE(next_page_of_code), ".fill 32, 1, 0x90", "", 32 + 8,
         issues(32, 16) + fetch + large_code_walk);
KNC_CODE(known_page_of_code, KNC_AT_END_OF_PAGE(known_page_of_code), ".fill 32, 1, 0x90", "jmp 9b",
         32, issues(32, 16) + fetch, in_pass(2));
// An instruction that lies in both waits for the second of them, once.
KNC_CODE(instruction_across_pages, KNC_AT_END_OF_PAGE(instruction_across_pages),
         ".fill 30, 1, 0x90\nmovl $5, %eax", "", 30 + 8 + 2,
         issues(31, 15) + fetch + large_code_walk);
// A call to what is also seen as region 5, and back: 2 + 2 clocks there and 2 + 2 to return.
#define KNC_CALL(name) KNC_TOUCH(0x6ff8) "movl $" KNC_AT(tlb, name, "1f") " + 0xa00000, %edx\n"
const counts call = held(1) + jump + writes(1) + fetch;
const counts ret = held(1) + jump + reads(1) + fetch;
KNC_CODE(other_region_of_code, KNC_CALL(other_region_of_code), "call *%rdx", "hlt\n1: ret",
         4 + 100 + 4, issues(2, 0) + call + long_code_walk + ret);
// Once its region is known to data, the second level knows it for code too.
KNC_CODE(region_known_from_data, KNC_CALL(region_known_from_data) KNC_TOUCH(0xa05000), "call *%rdx",
         "hlt\n1: ret", 4 + 8 + 4, issues(2, 0) + call + large_code_walk + ret);
// RET (C3) in a page of 4 KB, next to one that is known.
KNC_CODE(small_page_of_code, KNC_TOUCH(0x6ff8) "movb $0xc3, 0x200000\nmovl $0x200000, %edx",
         "call *%rdx", "", 4 + 25 + 4, issues(2, 0) + call + code_walk + ret);

// ---- a page that is not there: the walk finds that out, behind the entry of #PF (40 clocks). The
// handler takes ADD [RSP] (3), ADD RSP (2) and IRETQ (10). Measured the second time, when the
// handler's own page is known; RSP is 0x7000: a frame is one line.

KNC_KERNEL(tlb, page_fault, 64,
           KNC_HANDLERS_64 KNC_TOUCH(0x200000) KNC_TOUCH(0x6ff8) "movl $0x300000, %ebx", KNC_LOAD,
           "jmp 9b", 40 + 25 + 3 + 2 + 10,
           issues(3, 0) + raises(exec_stage_cycles, 1) + microcode(40) +
               raises(pipeline_flushes, 2) + reads(2) + writes(1) + fetch + short_walk + held(2) +
               reads(1) + writes(1) + microcode(10) + raises(branches, 1) + reads(2) + fetch,
           in_pass(2));

// ---- pages of 4 MB, of 32-bit paging: two of 2 MB each

#define KNC_PAGING_32                                                             \
    "movl $0x83, 0xf000\nmovl $0x10, %eax\nmovl %eax, %cr4\nmovl $0xf000, %eax\n" \
    "movl %eax, %cr3\nmovl $0x80000001, %eax\nmovl %eax, %cr0\n"
KNC_KERNEL(tlb, same_half_of_4m, 32, KNC_PAGING_32 KNC_TOUCH(0x3ff000) "movl $0x200000, %ebx",
           "movl (%ebx), %eax", "", 2, issues(1, 0) + reads(1));
KNC_KERNEL(tlb, other_half_of_4m, 32, KNC_PAGING_32 KNC_TOUCH(0x1ff000) "movl $0x200000, %ebx",
           "movl (%ebx), %eax", "", 101, issues(1, 0) + reads(1) + long_walk);
// Without paging there is nothing to look up.
KNC_KERNEL(tlb, no_paging, 32, "movl $0x200000, %ebx", "movl (%ebx), %eax", "", 2,
           issues(1, 0) + reads(1));

}  // namespace
}  // namespace knc::kernels
