// Which pipes an instruction issues to: the classes of docs/pipeline.md. INC EDI stands for an
// instruction of class UV; two issues of one thread are 2 clocks apart.

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

#define KNC_OPERANDS "movl $0x4000, %ebx\nmovl $1, %ecx"
// INC EDI, X | X, INC EDI: X goes to V behind the one and to U before the other.
#define KNC_UV(name, x, more)                                                                   \
    KNC_KERNEL(both_pipes, name, 32, KNC_OPERANDS, "incl %edi\n" x "\n" x "\nincl %edi", "", 4, \
               issues(4, 2) + more)
// INC EDI | X, INC EDI: not to V, but to U before another.
#define KNC_U(name, bits, x) \
    KNC_KERNEL(u_pipe, name, bits, KNC_OPERANDS, "incl %edi\n" x "\nincl %edi", "", 4, issues(3, 1))
// INC EDI, X | X | INC EDI: to V, but not to U before another.
#define KNC_V(name, x, more)                                                                \
    KNC_KERNEL(v_pipe, name, 32, KNC_OPERANDS, "incl %edi\n" x "\n" x "\nincl %edi", "", 6, \
               issues(4, 1) + more)
// INC EDI | X | INC EDI: with neither.
#define KNC_ALONE(name, bits, x)                                                        \
    KNC_KERNEL(no_pipe, name, bits, KNC_OPERANDS, "incl %edi\n" x "\nincl %edi", "", 6, \
               issues(3, 0))

const counts none;

KNC_UV(mov_registers, "movl %eax, %edx", none);
KNC_UV(mov_immediate, "movl $5, %edx", none);
KNC_UV(mov_load, "movl (%ebx), %edx", reads(2));
KNC_UV(mov_store, "movl %edx, (%ebx)", writes(2));
KNC_UV(mov_store_immediate, "movl $5, (%ebx)", writes(2));
KNC_UV(mov_load_by_offset, "movl 0x4000, %eax", reads(2));
KNC_UV(lea, "leal 8(%ecx, %ebx, 4), %edx", none);
KNC_UV(nop, "nop", none);
KNC_UV(push_register, "pushl %eax", writes(2));
KNC_UV(push_immediate, "pushl $5", writes(2));
KNC_UV(pop_register, "popl %eax", reads(2));
KNC_UV(add, "addl %ecx, %edx", none);
KNC_UV(add_immediate, "addl $5, %edx", none);
KNC_UV(or_registers, "orl %ecx, %edx", none);
KNC_UV(and_registers, "andl %ecx, %edx", none);
KNC_UV(sub, "subl %ecx, %edx", none);
KNC_UV(xor_registers, "xorl %ecx, %edx", none);
KNC_UV(cmp, "cmpl %ecx, %edx", none);
KNC_UV(inc, "incl %edx", none);
KNC_UV(dec_byte, "decb %dl", none);
KNC_UV(test_registers, "testl %ecx, %edx", none);
KNC_UV(test_accumulator_immediate, "testl $5, %eax", none);

// Hints are no data accesses, and 64-bit code only has them: VPREFETCHNTA, VPREFETCH2, CLEVICT0 and
// CLEVICT1 of [RBX].
#define KNC_HINTS(name, first, second)             \
    KNC_KERNEL(both_pipes, name, 64, KNC_OPERANDS, \
               "incl %edi\n.byte " first "\n.byte " second "\nincl %edi", "", 4, issues(4, 2))
KNC_HINTS(prefetch, "0xC4, 0xE1, 0x78, 0x18, 0x03", "0xC4, 0xE1, 0x78, 0x18, 0x1B");
KNC_HINTS(clevict, "0xC4, 0xE1, 0x7B, 0xAE, 0x3B", "0xC4, 0xE1, 0x7A, 0xAE, 0x3B");

KNC_U(adc, 32, "adcl %ecx, %edx");
KNC_U(sbb, 32, "sbbl %ecx, %edx");
KNC_U(shl_by_1, 32, "shll %edx");
KNC_U(shl_by_immediate, 32, "shll $3, %edx");
KNC_U(shr_by_immediate, 32, "shrl $3, %edx");
KNC_U(sar_by_immediate, 32, "sarl $3, %edx");
KNC_U(rol_by_1, 32, "roll %edx");
KNC_U(ror_by_1, 32, "rorl %edx");
KNC_U(rcl_by_1, 32, "rcll %edx");
KNC_U(rcr_by_1, 32, "rcrl %edx");
KNC_U(popcnt, 64, ".byte 0xC4, 0xE1, 0x7A, 0xB8, 0xD1");
KNC_U(tzcnt, 64, ".byte 0xC4, 0xE1, 0x7A, 0xBC, 0xD1");
KNC_U(lzcnt, 64, ".byte 0xC4, 0xE1, 0x7A, 0xBD, 0xD1");
KNC_U(tzcnti, 64, ".byte 0xC4, 0xE1, 0x7B, 0xBC, 0xD1");

// Not taken: EDI counts up from 0, so that ZF is clear.
KNC_V(jz, "jz 1f\n1:", raises(branches, 2));
KNC_V(jz_near, ".byte 0x0F, 0x84, 0, 0, 0, 0", raises(branches, 2));

// Of one clock, but with no other instruction. Those of more clocks are in occupancy.cpp.
KNC_ALONE(neg, 32, "negl %edx");
KNC_ALONE(not_register, 32, "notl %edx");
KNC_ALONE(test_immediate, 32, "testl $5, %edx");
KNC_ALONE(rol_by_immediate, 32, "roll $3, %edx");
KNC_ALONE(mov_from_segment, 32, "movl %ds, %edx");

}  // namespace
}  // namespace knc::kernels
