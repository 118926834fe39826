// What two instructions of pairable classes do to each other: rules 2 and 3 of pairing in
// docs/pipeline.md, and the stack pointer.

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

#define KNC_OPERANDS "movl $0x4000, %ebx\nmovl $1, %ecx"
// Both issue in one clock; the thread issues again 2 clocks later.
#define KNC_PAIR(name, bits, u, v, more) \
    KNC_KERNEL(pair, name, bits, KNC_OPERANDS, u "\n" v, "", 2, issues(2, 1) + more)
// Each issues alone, the second 2 clocks after the first.
#define KNC_NO_PAIR(name, bits, first, second, more) \
    KNC_KERNEL(no_pair, name, bits, KNC_OPERANDS, first "\n" second, "", 4, issues(2, 0) + more)

const counts none;

// Read after write: of the register, of a part of it, of the register behind a part.
KNC_NO_PAIR(read_after_write, 32, "incl %eax", "movl %eax, %edx", none);
KNC_NO_PAIR(read_of_a_byte_after_write, 32, "movl $5, %eax", "movb %ah, %dl", none);
KNC_NO_PAIR(read_after_write_of_a_byte, 32, "movb $5, %al", "movl %eax, %edx", none);
KNC_NO_PAIR(store_after_write, 32, "incl %eax", "movl %eax, (%ebx)", writes(1));
KNC_NO_PAIR(push_after_write, 32, "incl %eax", "pushl %eax", writes(1));
KNC_NO_PAIR(second_of_a_chain, 32, "addl %ecx, %eax", "addl %eax, %edx", none);
// Write after write, also of different parts.
KNC_NO_PAIR(write_after_write, 32, "movl $5, %eax", "movl $6, %eax", none);
KNC_NO_PAIR(write_after_load, 32, "movl (%ebx), %eax", "movl $6, %eax", reads(1));
KNC_NO_PAIR(write_of_another_byte, 32, "movb $5, %al", "movb $6, %ah", none);
// Write after read is no hazard: U has read before V writes.
KNC_PAIR(write_after_read, 32, "movl %eax, %edx", "movl %ecx, %eax", none);
KNC_PAIR(write_after_store, 32, "movl %eax, (%ebx)", "incl %eax", writes(1));
KNC_PAIR(write_after_address, 32, "movl (%ebx), %eax", "incl %ebx", reads(1));
KNC_PAIR(different_registers, 32, "movb $5, %al", "movb $6, %cl", none);
// Both write the flags; a branch in V, not taken here, reads those of U.
KNC_PAIR(both_write_flags, 32, "addl %ecx, %eax", "subl %ecx, %edx", none);
KNC_PAIR(branch_on_comparison, 32, "cmpl $5, %ecx", "jz 1f\n1:", raises(branches, 1));
KNC_PAIR(branch_on_result, 32, "incl %ecx", "jz 1f\n1:", raises(branches, 1));
// ADC reads flags too, but never in V.
KNC_NO_PAIR(carry_in_v, 32, "addl %ecx, %eax", "adcl $0, %edx", none);
KNC_PAIR(carry_in_u, 32, "adcl $0, %edx", "addl %ecx, %eax", none);
// A branch ends its issue, not taken too.
KNC_NO_PAIR(behind_a_branch, 32, "jz 1f\n1:", "movl %ecx, %edx", raises(branches, 1));

// What PUSH, POP and CALL do to the stack pointer does not count among them. ESP is 0x7000: PUSH
// and PUSH write banks 7 and 6, POP and POP read banks 0 and 1, PUSH and POP go to one word.
const counts both = raises(memory_accesses_in_both_pipes, 1);
KNC_PAIR(push_push, 32, "pushl %eax", "pushl %ecx", writes(2) + both);
KNC_PAIR(pop_pop, 32, "popl %eax", "popl %ecx", reads(2) + both);
KNC_PAIR(push_pop, 32, "pushl %ecx", "popl %eax", reads(1) + writes(1) + both);
// Behind one of them nothing that names it, before one of them nothing that writes it.
KNC_NO_PAIR(push_then_read_of_esp, 32, "pushl %eax", "movl %esp, %edx", writes(1));
KNC_NO_PAIR(push_then_load_by_esp, 32, "pushl %eax", "movl (%esp), %edx", writes(1) + reads(1));
KNC_NO_PAIR(pop_then_write_of_esp, 32, "popl %eax", "leal -4(%ebx), %esp", reads(1));
// A read before it is written is no hazard here either.
KNC_PAIR(read_of_esp_then_push, 32, "movl %esp, %edx", "pushl %eax", writes(1));
KNC_PAIR(push_beside_others, 32, "pushl %eax", "movl %ecx, %edx", writes(1));

// A displacement and an immediate in one instruction: it pairs with nothing.
KNC_NO_PAIR(displacement_and_immediate_first, 32, "movl $5, 4(%ebx)", "incl %edx", writes(1));
KNC_NO_PAIR(displacement_and_immediate_second, 32, "incl %edx", "movl $5, 4(%ebx)", writes(1));
KNC_NO_PAIR(absolute_and_immediate, 32, "movb $5, 0x4000", "incl %edx", writes(1));
KNC_PAIR(displacement_alone, 32, "movl %eax, 4(%ebx)", "incl %edx", writes(1));
KNC_PAIR(immediate_alone, 32, "incl %edx", "movl $5, (%ebx)", writes(1));

// R8 to R15, and REX, which is no prefix in this: neither a clock nor a reason not to go to V.
KNC_PAIR(rex_in_both, 64, "addq %rcx, %rax", "addq %r8, %r9", none);
KNC_PAIR(rex_load_in_v, 64, "incl %eax", "movq (%rbx), %rdx", reads(1));
KNC_PAIR(r9_is_not_rcx, 64, "addq %rax, %r9", "addq %rcx, %rdx", none);
KNC_NO_PAIR(read_of_r9_after_write, 64, "addq %rcx, %r9", "movq %r9, %rdx", none);

}  // namespace
}  // namespace knc::kernels
