// Instructions that hold the E stage for more than a clock: the table of docs/pipeline.md, but for
// microcode, branches and x87, which have files of their own.

#include <algorithm>

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

#define KNC_OPERANDS "movl $0x4000, %ebx\nmovl $1, %ecx\nxorl %edx, %edx\nmovl %ebx, %ebp"

// ---- reads, modifications and writes, alone and in pairs

#define KNC_BODY(name, body, clocks, ...) \
    KNC_KERNEL(read_modify_write, name, 32, KNC_OPERANDS, body, "", clocks, __VA_ARGS__)
const counts none;
const counts both = raises(memory_accesses_in_both_pipes, 1);
const counts update = reads(1) + writes(1);

// A memory source takes 2 clocks: no longer than the way to the next issue.
KNC_BODY(source, "addl (%ebx), %edx", 2, issues(1, 0) + held(1) + reads(1));
KNC_BODY(comparison, "cmpl %edx, (%ebx)", 2, issues(1, 0) + held(1) + reads(1));
KNC_BODY(test, "testl %edx, (%ebx)", 2, issues(1, 0) + held(1) + reads(1));
KNC_BODY(source_of_adc, "adcl (%ebx), %edx", 2, issues(1, 0) + held(1) + reads(1));
// A memory destination 3.
KNC_BODY(destination, "addl %edx, (%ebx)", 3, issues(1, 0) + held(2) + update);
KNC_BODY(destination_of_adc, "adcl %edx, (%ebx)", 3, issues(1, 0) + held(2) + update);
KNC_BODY(destination_of_inc, "incl (%ebx)", 3, issues(1, 0) + held(2) + update);
KNC_BODY(destination_of_neg, "negl (%ebx)", 3, issues(1, 0) + held(2) + update);
KNC_BODY(destination_of_shift, "shll (%ebx)", 3, issues(1, 0) + held(2) + update);
// Both pipes advance together, at the pace of the slower.
KNC_BODY(source_and_register, "addl (%ebx), %edx\nincl %esi", 2, issues(2, 1) + held(1) + reads(1));
KNC_BODY(register_and_source, "incl %esi\naddl (%ebx), %edx", 2, issues(2, 1) + held(1) + reads(1));
KNC_BODY(destination_and_register, "addl %edx, (%ebx)\nincl %esi", 3,
         issues(2, 1) + held(2) + update);
KNC_BODY(register_and_destination, "incl %esi\naddl %edx, (%ebx)", 3,
         issues(2, 1) + held(2) + update);
KNC_BODY(two_sources, "addl (%ebx), %edx\naddl 4(%ebx), %esi", 2,
         issues(2, 1) + held(1) + reads(2) + both);
KNC_BODY(source_and_destination, "addl (%ebx), %edx\naddl %ecx, 4(%ebx)", 3,
         issues(2, 1) + held(2) + reads(1) + update + both);
KNC_BODY(destination_and_load, "addl %ecx, (%ebx)\nmovl 4(%ebx), %edx", 3,
         issues(2, 1) + held(2) + reads(1) + update + both);
// Of two memory destinations the second's read overlaps the first's write and nothing else does:
// 3 + 3 - 1.
KNC_BODY(two_destinations, "addl %edx, (%ebx)\naddl %ecx, 4(%ebx)", 5,
         issues(2, 1) + held(4) + update + update + both);
KNC_BODY(shift_and_destination, "shll (%ebx)\nincl 4(%ebx)", 5,
         issues(2, 1) + held(4) + update + update + both);
// Back to back: 3 clocks each, for the E stage is what is waited for.
KNC_BODY(four_in_a_row, "adcl %edx, (%ebx)\nadcl %edx, (%ebx)\nnegl (%ebx)\nnegl (%ebx)", 12,
         issues(4, 0) + held(8) + reads(4) + writes(4));

// ---- instructions that issue alone

// What INC EDI | X | INC EDI takes, if X takes `n` clocks: X is not issued behind the first nor the
// second INC behind it, and two issues are 2 clocks apart at least.
constexpr cycle_t alone(cycle_t n) {
    return 2 + std::max<cycle_t>(n, 2) + 2;
}
#define KNC_ALONE(name, x, n, more)                                                            \
    KNC_KERNEL(occupancy, name, 32, KNC_OPERANDS, "incl %edi\n" x "\nincl %edi", "", alone(n), \
               issues(3, 0) + held(n - 1) + more)

KNC_ALONE(nop_of_three_bytes, "nopl (%eax)", 2, none);
KNC_ALONE(push_memory, "pushl (%ebx)", 2, update);
KNC_ALONE(pop_memory, "popl (%ebx)", 3, update);
KNC_ALONE(push_segment, "pushl %ds", 1, writes(1));
KNC_ALONE(store_segment, "movw %ds, (%ebx)", 1, writes(1));
KNC_ALONE(xchg, "xchgl %ecx, %edx", 3, none);
KNC_ALONE(xchg_eax, "xchgl %eax, %edx", 3, none);
KNC_ALONE(movzx, "movzbl %cl, %edx", 3, none);
KNC_ALONE(movzx_memory, "movzbl (%ebx), %edx", 3, reads(1));
KNC_ALONE(movsx, "movswl %cx, %edx", 3, none);
KNC_ALONE(bswap, "bswapl %edx", 2, none);
KNC_ALONE(xlat, "xlat", 4, reads(1));
KNC_ALONE(cwde, "cwtl", 3, none);
KNC_ALONE(cdq, "cltd", 2, none);
KNC_ALONE(lahf, "lahf", 3, none);
KNC_ALONE(sahf, "sahf", 3, none);
KNC_ALONE(salc, ".byte 0xD6", 3, none);
KNC_ALONE(clc, "clc", 2, none);
KNC_ALONE(cld, "cld", 2, none);
KNC_ALONE(test_memory_immediate, "testl $5, (%ebx)", 2, reads(1));
KNC_ALONE(not_memory, "notl (%ebx)", 3, update);
KNC_ALONE(xadd, "xaddl %ecx, %edx", 3, none);
KNC_ALONE(xadd_memory, "xaddl %ecx, (%ebx)", 4, update);
KNC_ALONE(cmpxchg, "cmpxchgl %ecx, %edx", 6, none);
KNC_ALONE(cmpxchg_memory, "cmpxchgl %ecx, (%ebx)", 6, update);
KNC_ALONE(mul_byte, "mulb %cl", 11, none);
KNC_ALONE(mul_word, "mulw %cx", 11, none);
KNC_ALONE(mul, "mull %ecx", 9, none);
KNC_ALONE(mul_memory, "mull (%ebx)", 9, reads(1));
KNC_ALONE(imul_two_operands, "imull %ecx, %edx", 9, none);
KNC_ALONE(imul_immediate, "imull $5, %ecx, %edx", 9, none);
KNC_ALONE(aaa, "aaa", 3, none);
KNC_ALONE(daa, "daa", 3, none);
KNC_ALONE(aad, "aad", 5, none);
KNC_ALONE(rol_memory_by_immediate, "roll $3, (%ebx)", 3, update);
KNC_ALONE(rol_by_cl, "roll %cl, %edx", 4, none);
KNC_ALONE(rol_memory_by_cl, "roll %cl, (%ebx)", 5, update);
KNC_ALONE(rcl_by_immediate, "rcll $3, %edx", 8, none);
KNC_ALONE(rcl_memory_by_immediate, "rcll $3, (%ebx)", 10, update);
KNC_ALONE(rcl_by_cl, "rcll %cl, %edx", 7, none);
KNC_ALONE(rcl_memory_by_cl, "rcll %cl, (%ebx)", 9, update);
KNC_ALONE(shl_by_cl, "shll %cl, %edx", 4, none);
KNC_ALONE(sar_memory_by_cl, "sarl %cl, (%ebx)", 5, update);
KNC_ALONE(shld, "shldl $3, %ecx, %edx", 4, none);
KNC_ALONE(shrd_memory, "shrdl %cl, %ecx, (%ebx)", 5, update);
KNC_ALONE(bt, "btl %ecx, %edx", 4, none);
KNC_ALONE(bt_memory_immediate, "btl $3, (%ebx)", 4, reads(1));
KNC_ALONE(bt_bit_string, "btl %ecx, (%ebx)", 9, reads(1));
KNC_ALONE(bts, "btsl %ecx, %edx", 7, none);
KNC_ALONE(btr_memory_immediate, "btrl $3, (%ebx)", 8, update);
KNC_ALONE(btc_bit_string, "btcl %ecx, (%ebx)", 14, update);
KNC_ALONE(bsf, "bsfl %ecx, %edx", 6, none);
KNC_ALONE(bsr_memory, "bsrl (%ebx), %edx", 7, reads(1));
KNC_ALONE(setc, "setc %dl", 2, none);
KNC_ALONE(setz_memory, "setz (%ebx)", 2, writes(1));

// EBP is 0x4000, inverted by the NOT in front of the body: XOR brings it back, and NEG
// keeps LEAVE from waiting for it.
KNC_KERNEL(occupancy, leave, 32, KNC_OPERANDS, "xorl $-1, %ebp\nnegl %edx\nleave", "", 7,
           issues(3, 0) + held(2) + reads(1));

// ---- the bus lock

KNC_ALONE(lock_add, "lock addl %ecx, (%ebx)", 18, update);
KNC_ALONE(lock_or_byte, "lock orb %cl, (%ebx)", 18, update);
KNC_ALONE(lock_inc, "lock incl (%ebx)", 18, update);
KNC_ALONE(lock_bts, "lock btsl $3, (%ebx)", 18, update);
KNC_ALONE(lock_xadd, "lock xaddl %ecx, (%ebx)", 18, update);
KNC_ALONE(lock_cmpxchg, "lock cmpxchgl %ecx, (%ebx)", 18, update);
// XCHG with memory locks by itself, and with the prefix no more.
KNC_ALONE(xchg_memory, "xchgl %ecx, (%ebx)", 15, update);
KNC_ALONE(lock_xchg, "lock xchgl %ecx, (%ebx)", 15, update);
// What a fence is made of on the card.
KNC_ALONE(lock_add_stack, "lock addl $0, (%esp)", 18, update);

}  // namespace
}  // namespace knc::kernels
