// Branches: what each outcome of the prediction costs, and what it raises. A branch without entry
// is predicted not taken.

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

const counts branch = raises(branches, 1);
// The pipeline is refilled in `clocks` clocks.
counts missed(std::uint64_t clocks) {
    return branch + raises(pipeline_flushes, 1) + waits(clocks);
}
counts mispredicted(std::uint64_t clocks) {
    return missed(clocks) + raises(branches_mispredicted, 1);
}

// ---- jumps: V is their pipe, but one that has nothing before it is in U

KNC_KERNEL(jump, without_entry, 32, "", "jmp 1f\nnop\n1:", "", 3, issues(1, 0) + missed(2));
KNC_KERNEL(jump, without_entry_in_v, 32, "", "incl %edi\njmp 1f\nnop\n1:", "", 3,
           issues(2, 1) + missed(2));
KNC_KERNEL(jump, with_entry, 32, "", "jmp 1f\nnop\n1:", "jmp 9b", 2, issues(1, 0) + branch,
           in_pass(2));
KNC_KERNEL(jump, with_entry_in_v, 32, "", "incl %edi\njmp 1f\nnop\n1:", "jmp 9b", 2,
           issues(2, 1) + branch, in_pass(2));

// ---- conditional branches: JC goes where the bits of a pattern say, the lowest in the first pass
// (1: taken, past the NOP)

#define KNC_PATTERN(pattern) "movl $" #pattern ", %esi\nshrl %esi"
#define KNC_JC(name, pattern, pass, in_front, clocks, ...)  \
    KNC_KERNEL(conditional, name, 32, KNC_PATTERN(pattern), \
               in_front "jc 1f\nnop\n1:", "shrl %esi\njmp 9b", clocks, __VA_ARGS__, in_pass(pass))
#define KNC_IN_U ""
#define KNC_IN_V "movl %ecx, %edx\n"

// No entry: 4 clocks in U, 5 in V when taken; not taken, JC and the NOP take 2 each.
KNC_JC(taken_without_entry, 0b1, 1, KNC_IN_U, 4, issues(1, 0) + missed(3));
KNC_JC(taken_without_entry_in_v, 0b1, 1, KNC_IN_V, 5, issues(2, 1) + missed(4));
KNC_JC(not_taken_without_entry, 0b0, 1, KNC_IN_U, 4, issues(2, 0) + branch);
KNC_JC(not_taken_without_entry_in_v, 0b0, 1, KNC_IN_V, 4, issues(3, 1) + branch);
// That made no entry: taken in the second pass, it is a miss again.
KNC_JC(taken_after_not_taken, 0b10, 2, KNC_IN_U, 4, issues(1, 0) + missed(3));
// With an entry.
KNC_JC(taken_with_entry, 0b11, 2, KNC_IN_U, 2, issues(1, 0) + branch);
KNC_JC(taken_with_entry_in_v, 0b11, 2, KNC_IN_V, 2, issues(2, 1) + branch);
// Wrong direction: 4 or 5 clocks, then the NOP.
KNC_JC(not_taken_with_entry, 0b01, 2, KNC_IN_U, 6, issues(2, 0) + mispredicted(3));
KNC_JC(not_taken_with_entry_in_v, 0b01, 2, KNC_IN_V, 7, issues(3, 1) + mispredicted(4));
// The entry begins strongly taken: it is wrong twice before it predicts not taken.
KNC_JC(not_taken_twice, 0b001, 3, KNC_IN_U, 6, issues(2, 0) + mispredicted(3));
KNC_JC(not_taken_three_times, 0b0001, 4, KNC_IN_U, 4, issues(2, 0) + branch);
// One exception does not change the prediction.
KNC_JC(taken_after_an_exception, 0b101, 3, KNC_IN_U, 2, issues(1, 0) + branch);
// After two it is not taken that is expected.
KNC_JC(taken_after_two_exceptions, 0b1001, 4, KNC_IN_U, 4, issues(1, 0) + mispredicted(3));
KNC_JC(taken_after_two_exceptions_in_v, 0b1001, 4, KNC_IN_V, 5, issues(2, 1) + mispredicted(4));

// ---- branches that count: 5 clocks of their own

KNC_KERNEL(conditional, loop_without_entry, 32, "movl $9, %ecx", "loop 1f\nnop\n1:", "", 8,
           issues(1, 0) + held(4) + missed(3));
KNC_KERNEL(conditional, loop_with_entry, 32, "movl $9, %ecx", "loop 1f\nnop\n1:", "jmp 9b", 5,
           issues(1, 0) + held(4) + branch, in_pass(2));
// LOOP in the second pass is the last: 5 + 3, and the NOP.
KNC_KERNEL(conditional, last_loop, 32, "movl $2, %ecx", "loop 1f\nnop\n1:", "jmp 9b", 10,
           issues(2, 0) + held(4) + mispredicted(3), in_pass(2));
KNC_KERNEL(conditional, loope, 32, "movl $9, %ecx\ncmpl %eax, %eax", "loope 1f\nnop\n1:", "", 10,
           issues(1, 0) + held(6) + missed(3));
KNC_KERNEL(conditional, jecxz, 32, "xorl %ecx, %ecx", "jecxz 1f\nnop\n1:", "", 8,
           issues(1, 0) + held(4) + missed(3));

// ---- indirect jumps: 2 clocks, and 2 more for a target that is not the last one

KNC_KERNEL(indirect, without_entry, 32, "movl $" KNC_AT(indirect, without_entry, "1f") ", %edx",
           "jmp *%edx\nnop\n1:", "", 4, issues(1, 0) + held(1) + missed(2));
KNC_KERNEL(indirect, with_entry, 32, "movl $" KNC_AT(indirect, with_entry, "1f") ", %edx",
           "jmp *%edx\nnop\n1:", "jmp 9b", 2, issues(1, 0) + held(1) + branch, in_pass(2));
KNC_KERNEL(indirect, other_target, 32, "movl $" KNC_AT(indirect, other_target, "1f") ", %edx",
           "jmp *%edx\nnop\n1:nop\n2:",
           "movl $" KNC_AT(indirect, other_target, "2b") ", %edx\njmp 9b", 4,
           issues(1, 0) + held(1) + mispredicted(2), in_pass(2));
// The third pass goes where the second went: the entry has learnt.
KNC_KERNEL(indirect, other_target_again, 32,
           "movl $" KNC_AT(indirect, other_target_again, "1f") ", %edx",
           "jmp *%edx\nnop\n1:nop\n2:",
           "movl $" KNC_AT(indirect, other_target_again, "2b") ", %edx\njmp 9b", 2,
           issues(1, 0) + held(1) + branch, in_pass(3));
KNC_KERNEL(indirect, through_memory, 32,
           "movl $" KNC_AT(indirect, through_memory, "1f") ", 0x4000\nmovl $0x4000, %ebx",
           "jmp *(%ebx)\nnop\n1:", "", 4, issues(1, 0) + held(1) + reads(1) + missed(2));

// ---- calls and returns: no return stack, the last target is what is predicted

KNC_KERNEL(call, direct, 32, "", "call 1f\nnop\n1:", "", 3, issues(1, 0) + writes(1) + missed(2));
KNC_KERNEL(call, direct_in_v, 32, "", "incl %edi\ncall 1f\nnop\n1:", "", 3,
           issues(2, 1) + writes(1) + missed(2));
// PUSH and CALL: the stack pointer of the one is no obstacle to the other.
KNC_KERNEL(call, behind_push, 32, "", "pushl %eax\ncall 1f\nnop\n1:", "", 3,
           issues(2, 1) + writes(2) + raises(memory_accesses_in_both_pipes, 1) + missed(2));
KNC_KERNEL(call, with_entry, 32, "", "call 1f\nnop\n1:", "jmp 9b", 2,
           issues(1, 0) + writes(1) + branch, in_pass(2));
KNC_KERNEL(call, indirect, 32, "movl $" KNC_AT(call, indirect, "1f") ", %edx",
           "call *%edx\nnop\n1:", "", 4, issues(1, 0) + held(1) + writes(1) + missed(2));
// The load behind it reads by a stack pointer that CALL moved: no interlock.
KNC_KERNEL(call, argument, 32, "", "call 1f\nnop\n1: movl 4(%esp), %eax", "", 5,
           issues(2, 0) + writes(1) + reads(1) + missed(2));

#define KNC_RETURN_TO(name, label) "pushl $" KNC_AT(ret, name, label)
KNC_KERNEL(ret, without_entry, 32, KNC_RETURN_TO(without_entry, "1f"), "ret\nnop\n1:", "", 4,
           issues(1, 0) + held(1) + reads(1) + missed(2));
KNC_KERNEL(ret, to_the_same_place, 32, KNC_RETURN_TO(to_the_same_place, "1f"),
           "ret\nnop\n1:", KNC_RETURN_TO(to_the_same_place, "1b") "\njmp 9b", 2,
           issues(1, 0) + held(1) + reads(1) + branch, in_pass(2));
KNC_KERNEL(ret, to_another_place, 32, KNC_RETURN_TO(to_another_place, "1f"),
           "ret\nnop\n1: nop\n2:", KNC_RETURN_TO(to_another_place, "2b") "\njmp 9b", 4,
           issues(1, 0) + held(1) + reads(1) + mispredicted(2), in_pass(2));
KNC_KERNEL(ret, with_immediate, 32, KNC_RETURN_TO(with_immediate, "1f"), "ret $4\nnop\n1:", "", 5,
           issues(1, 0) + held(2) + reads(1) + missed(2));

// ---- to the next instruction: taken like any other. What tells is not where it leads.

KNC_KERNEL(next, jump_without_entry, 32, "", "jmp 1f\n1:", "", 3, issues(1, 0) + missed(2));
KNC_KERNEL(next, jump_with_entry, 32, "", "jmp 1f\n1:", "jmp 9b", 2, issues(1, 0) + branch,
           in_pass(2));
KNC_KERNEL(next, call, 32, "", "call 1f\n1:", "", 3, issues(1, 0) + writes(1) + missed(2));
KNC_KERNEL(next, return_, 32, "pushl $" KNC_AT(next, return_, "1f"), "ret\n1:", "", 4,
           issues(1, 0) + held(1) + reads(1) + missed(2));
KNC_KERNEL(next, indirect, 32, "movl $" KNC_AT(next, indirect, "1f") ", %edx", "jmp *%edx\n1:", "",
           4, issues(1, 0) + held(1) + missed(2));
KNC_KERNEL(next, taken, 32, KNC_PATTERN(0b1), "jc 1f\n1:", "", 4, issues(1, 0) + missed(3));
KNC_KERNEL(next, taken_in_v, 32, KNC_PATTERN(0b1), KNC_IN_V "jc 1f\n1:", "", 5,
           issues(2, 1) + missed(4));
KNC_KERNEL(next, not_taken, 32, KNC_PATTERN(0b0), "jc 1f\n1:", "", 2, issues(1, 0) + branch);
KNC_KERNEL(next, taken_with_entry, 32, KNC_PATTERN(0b11), "jc 1f\n1:", "shrl %esi\njmp 9b", 2,
           issues(1, 0) + branch, in_pass(2));
KNC_KERNEL(next, not_taken_with_entry, 32, KNC_PATTERN(0b01), "jc 1f\n1:", "shrl %esi\njmp 9b", 4,
           issues(1, 0) + mispredicted(3), in_pass(2));
KNC_KERNEL(next, loop, 32, "movl $9, %ecx", "loop 1f\n1:", "", 8,
           issues(1, 0) + held(4) + missed(3));
KNC_KERNEL(next, jecxz, 32, "xorl %ecx, %ecx", "jecxz 1f\n1:", "", 8,
           issues(1, 0) + held(4) + missed(3));
KNC_KERNEL(next, jecxz_not_taken, 32, "movl $1, %ecx", "jecxz 1f\n1:", "", 5,
           issues(1, 0) + held(4) + branch);

// ---- the buffer: four ways, and bits 7:2 choose the set

// Jumps 256 bytes apart share a set; the one that closes the loop is 5 bytes behind such a place.
#define KNC_JUMP "jmp 1f\n.skip 251\n1:"
#define KNC_CLOSE "nop\nnop\nnop\njmp 9b"
// Each in a block of its own, as is `stop`.
KNC_KERNEL(buffer, four_in_a_set, 32, "", KNC_JUMP KNC_JUMP KNC_JUMP KNC_JUMP, KNC_CLOSE, 8,
           issues(4, 0) + raises(code_read, 4) + raises(branches, 4), in_pass(3));
// Round robin: each is dropped before it comes again.
KNC_KERNEL(buffer, five_in_a_set, 32, "", KNC_JUMP KNC_JUMP KNC_JUMP KNC_JUMP KNC_JUMP, KNC_CLOSE,
           15,
           issues(5, 0) + raises(code_read, 5) + missed(2) + missed(2) + missed(2) + missed(2) +
               missed(2),
           in_pass(3));
KNC_KERNEL(buffer, five_in_eight_ways, 32, "", KNC_JUMP KNC_JUMP KNC_JUMP KNC_JUMP KNC_JUMP,
           KNC_CLOSE, 10, issues(5, 0) + raises(code_read, 5) + raises(branches, 5), [] {
               conditions c = in_pass(3);
               c.tune = [](card::parameters& p) { p.core.branch.ways = 8; };
               return c;
           }());

}  // namespace
}  // namespace knc::kernels
