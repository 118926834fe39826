// Two data accesses in one issue. The L1D has 8 banks of 4 bytes: bank 0 is at 0x4000, 0x4020,
// 0x4040, ...

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

#define KNC_ACCESSES(name, u, v, clocks, ...)                                              \
    KNC_KERNEL(banks, name, 32, "movl $0x4000, %ebx\nmovl $1, %ecx", u "\n" v, "", clocks, \
               issues(2, 1) + __VA_ARGS__)

const counts both = raises(memory_accesses_in_both_pipes, 1);
// One bank serves V a clock after U.
const counts conflict = both + raises(bank_conflicts, 1) + held(1);

// The clock more hides behind the 2 clocks to the next issue.
KNC_ACCESSES(same_line_same_bank, "movl (%ebx), %eax", "movl 32(%ebx), %edx", 2,
             reads(2) + conflict);
KNC_ACCESSES(other_line_same_bank, "movl (%ebx), %eax", "movl 64(%ebx), %edx", 2,
             reads(2) + conflict);
KNC_ACCESSES(stores_to_one_bank, "movl %eax, 4(%ebx)", "movl %edx, 36(%ebx)", 2,
             writes(2) + conflict);
KNC_ACCESSES(load_and_store_of_one_bank, "movl (%ebx), %eax", "movl %edx, 32(%ebx)", 2,
             reads(1) + writes(1) + conflict);
KNC_ACCESSES(bytes_of_one_bank, "movb (%ebx), %al", "movb 35(%ebx), %dl", 2, reads(2) + conflict);
// A stack access is at 0x6ffc, bank 7.
KNC_ACCESSES(push_and_load, "pushl %eax", "movl 28(%ebx), %edx", 2,
             writes(1) + reads(1) + conflict);
// It does not hide behind longer instructions: 2 + 1, and 3 + 3 - 1 + 1.
KNC_ACCESSES(load_and_operate, "addl (%ebx), %eax", "addl 32(%ebx), %edx", 3,
             reads(2) + held(1) + conflict);
KNC_ACCESSES(read_modify_write, "addl %ecx, (%ebx)", "addl %ecx, 32(%ebx)", 6,
             reads(2) + writes(2) + held(4) + conflict);

// The same word serves both.
KNC_ACCESSES(same_word, "movl (%ebx), %eax", "movl (%ebx), %edx", 2, reads(2) + both);
KNC_ACCESSES(bytes_of_a_word, "movb (%ebx), %al", "movb 3(%ebx), %dl", 2, reads(2) + both);
// Another bank.
KNC_ACCESSES(next_word, "movl (%ebx), %eax", "movl 4(%ebx), %edx", 2, reads(2) + both);
KNC_ACCESSES(other_line_other_bank, "movl (%ebx), %eax", "movl 68(%ebx), %edx", 2, reads(2) + both);
// One access in an issue, whatever its neighbour's operands look like.
KNC_ACCESSES(load_alone, "movl (%ebx), %eax", "incl %edx", 2, reads(1));
KNC_ACCESSES(load_and_lea, "movl (%ebx), %eax", "leal 32(%ebx), %edx", 2, reads(1));

// ---- an access needs the bank of each word it touches

// The translation of 0x4000 and the line are there.
#define KNC_ACCESSES_64(name, u, v, ...)                                                  \
    KNC_KERNEL(banks, name, 64, "movl $0x4000, %ebx\nmovq (%rbx), %rax", u "\n" v, "", 2, \
               issues(2, 1) + __VA_ARGS__)

// Banks 0 and 1, and 1 and 2.
KNC_ACCESSES_64(of_8_bytes_that_overlap, "movq (%rbx), %rax", "movq 36(%rbx), %rdx",
                reads(2) + conflict);
// Banks 0 and 1, and 7 and 0.
KNC_ACCESSES_64(of_8_bytes_that_meet_at_the_end, "movq (%rbx), %rax", "movq 28(%rbx), %rdx",
                reads(2) + conflict);
KNC_ACCESSES_64(of_8_bytes_side_by_side, "movq (%rbx), %rax", "movq 40(%rbx), %rdx",
                reads(2) + both);
// Words 0 and 1, and 1 and 2: word 1 serves both, and no bank has a second.
KNC_ACCESSES_64(of_8_bytes_that_share_a_word, "movq (%rbx), %rax", "movq 4(%rbx), %rdx",
                reads(2) + both);
KNC_ACCESSES_64(of_8_bytes_and_4, "movq (%rbx), %rax", "movl 36(%rbx), %edx", reads(2) + conflict);
KNC_ACCESSES_64(of_4_bytes_and_8, "movl 4(%rbx), %eax", "movq 32(%rbx), %rdx", reads(2) + conflict);
KNC_ACCESSES_64(of_8_bytes_and_4_beside, "movq (%rbx), %rax", "movl 40(%rbx), %edx",
                reads(2) + both);
// Unaligned: one word more. Words 0 to 2, and 10.
KNC_ACCESSES_64(of_8_bytes_unaligned, "movq 2(%rbx), %rax", "movl 40(%rbx), %edx",
                reads(2) + conflict);
KNC_ACCESSES_64(of_8_bytes_aligned_to_4, "movq 4(%rbx), %rax", "movl 44(%rbx), %edx",
                reads(2) + both);
KNC_ACCESSES(unaligned, "movl 2(%ebx), %eax", "movl 36(%ebx), %edx", 2, reads(2) + conflict);
KNC_ACCESSES(unaligned_in_v, "movl (%ebx), %eax", "movl 29(%ebx), %edx", 2, reads(2) + conflict);
KNC_ACCESSES(unaligned_beside, "movl 2(%ebx), %eax", "movl 40(%ebx), %edx", 2, reads(2) + both);
KNC_ACCESSES(unaligned_within_8_bytes, "movl 2(%ebx), %eax", "movl 40(%ebx), %edx", 2,
             reads(2) + both, tuned([](card::parameters& p) { p.core.bank_bytes = 8; }));
// Of two lines, three reads: words 15 and 16, banks 7 and 0.
KNC_ACCESSES(across_lines, "movl 62(%ebx), %eax", "movl (%ebx), %edx", 2, reads(3) + conflict);

KNC_ACCESSES(of_two_cycles, "movl (%ebx), %eax", "movl 32(%ebx), %edx", 3,
             reads(2) + conflict + held(1),
             tuned([](card::parameters& p) { p.core.bank_conflict_cycles = 2; }));
KNC_ACCESSES(of_16_banks, "movl (%ebx), %eax", "movl 32(%ebx), %edx", 2, reads(2) + both,
             tuned([](card::parameters& p) { p.core.banks = 16; }));
KNC_ACCESSES(of_8_bytes, "movl (%ebx), %eax", "movl 4(%ebx), %edx", 2, reads(2) + both,
             tuned([](card::parameters& p) { p.core.bank_bytes = 8; }));
KNC_ACCESSES(of_8_bytes_each, "movl (%ebx), %eax", "movl 64(%ebx), %edx", 2, reads(2) + conflict,
             tuned([](card::parameters& p) { p.core.bank_bytes = 8; }));

}  // namespace
}  // namespace knc::kernels
