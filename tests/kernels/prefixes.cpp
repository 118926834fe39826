// Legacy prefixes: each is decoded in a clock of its own, in which the E stage may be busy with the
// instruction's own clocks. An instruction takes the larger of its clocks and 1 + its prefixes, and
// does not go to V.

#include <algorithm>

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

#define KNC_OPERANDS "movl $0x4000, %ebx\nmovl $1, %ecx"
const counts none;

// INC EDI | X, INC EDI: X takes `n` clocks.
#define KNC_PREFIXED(name, bits, x, n, more)                                          \
    KNC_KERNEL(prefixes, name, bits, KNC_OPERANDS, "incl %edi\n" x "\nincl %edi", "", \
               2 + std::max<cycle_t>(n, 2), issues(3, 1) + held(n - 1) + more)

KNC_PREFIXED(operand_size, 32, "addw %cx, %dx", 2, none);
KNC_PREFIXED(operand_size_of_mov, 32, "movw %cx, %dx", 2, none);
KNC_PREFIXED(operand_size_of_nop, 32, ".byte 0x66, 0x90", 2, none);
KNC_PREFIXED(address_size, 32, "movl (%si), %edx", 2, reads(1));
KNC_PREFIXED(segment_es, 32, "movl %es:(%ebx), %edx", 2, reads(1));
KNC_PREFIXED(segment_cs, 32, "movl %cs:(%ebx), %edx", 2, reads(1));
KNC_PREFIXED(segment_ss, 32, "movl %ss:(%ebx), %edx", 2, reads(1));
KNC_PREFIXED(segment_ds, 32, ".byte 0x3E\nmovl (%ebx), %edx", 2, reads(1));
KNC_PREFIXED(segment_fs, 32, "movl %fs:(%ebx), %edx", 2, reads(1));
KNC_PREFIXED(segment_gs, 32, "movl %gs:(%ebx), %edx", 2, reads(1));
KNC_PREFIXED(repeat_without_string, 32, ".byte 0xF3\naddl %ecx, %edx", 2, none);
KNC_PREFIXED(repeat_not_equal_without_string, 32, ".byte 0xF2\naddl %ecx, %edx", 2, none);
// Two of them, three, fourteen: that is 1 + 14 clocks, of which 15 are the E stage's.
KNC_PREFIXED(two, 32, ".byte 0x66, 0x66, 0x90", 3, none);
KNC_PREFIXED(operand_size_and_segment, 32, "movw %es:(%ebx), %dx", 3, reads(1));
KNC_PREFIXED(three, 32, ".byte 0x66, 0x66, 0x66, 0x90", 4, none);
KNC_PREFIXED(fourteen, 32, ".fill 14, 1, 0x66\nnop", 15, none);
// Hidden behind clocks of the instruction: 2 for a memory source, 3 for a memory destination.
KNC_PREFIXED(hidden_by_a_source, 32, "addw (%ebx), %dx", 2, reads(1));
KNC_PREFIXED(hidden_by_a_destination, 32, "addw %cx, (%ebx)", 3, reads(1) + writes(1));
KNC_PREFIXED(two_hidden_by_a_destination, 32, "addw %cx, %es:(%ebx)", 3, reads(1) + writes(1));
KNC_PREFIXED(one_of_three_not_hidden, 32, ".byte 0x66\naddw %cx, %es:(%ebx)", 4,
             reads(1) + writes(1));
// REX behind a prefix costs nothing more.
KNC_PREFIXED(before_rex, 64, "addw %r9w, %r8w", 2, none);

// LOCK has clocks of its own, behind which its prefix hides: INC EDI | LOCK INC | INC EDI.
KNC_KERNEL(prefixes, lock, 32, KNC_OPERANDS, "incl %edi\nlock incl (%ebx)\nincl %edi", "", 22,
           issues(3, 0) + held(17) + reads(1) + writes(1));
// An instruction of class U with a prefix stays U, one that issues alone stays alone.
KNC_PREFIXED(of_adc, 32, "adcw %cx, %dx", 2, none);
KNC_KERNEL(prefixes, of_neg, 32, KNC_OPERANDS, "incl %edi\nnegw %dx\nincl %edi", "", 6,
           issues(3, 0) + held(1));
// The prefix of a conditional branch takes it out of V: CMP | JZ, and it takes 2 clocks.
KNC_KERNEL(prefixes, of_jz, 32, KNC_OPERANDS, "cmpl $5, %ecx\n.byte 0x3E\njz 1f\n1:", "", 4,
           issues(2, 0) + held(1) + raises(branches, 1));
// The byte 0F is none for Jcc, and part of the clocks of the others: MOVZX takes 3.
KNC_KERNEL(prefixes, none_in_near_jz, 32, KNC_OPERANDS,
           "cmpl $5, %ecx\n.byte 0x0F, 0x84, 0, 0, 0, 0", "", 2,
           issues(2, 1) + raises(branches, 1));
KNC_KERNEL(prefixes, of_movzx, 32, KNC_OPERANDS, "incl %edi\nmovzbw %cl, %dx\nincl %edi", "", 7,
           issues(3, 0) + held(2));

}  // namespace
}  // namespace knc::kernels
