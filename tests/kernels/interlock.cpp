// Address generation: an issue that forms an address from a register the issue before it wrote
// loses its slot and, with core.agi_cycles at 1, no more.

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

// EBX and ESI become 0x4000 by NEG, which issues alone.
#define KNC_OPERANDS "movl $-0x4000, %ebx\nmovl %ebx, %esi\nmovl $0x4000, %ecx\nmovl %ecx, (%ecx)"
#define KNC_AGI(name, body, clocks, ...) \
    KNC_KERNEL(interlock, name, 32, KNC_OPERANDS, body, "", clocks, __VA_ARGS__)

// The clock of the slot that stays empty, and one event for each instruction that had to wait.
counts agi(std::uint64_t instructions) {
    return waits(1) + raises(pipeline_agi_stalls, instructions);
}

// NEG in clock 0, nothing in 2, the load in 3, what follows in 5.
KNC_AGI(base_in_u, "negl %ebx\nmovl (%ebx), %eax", 5, issues(2, 0) + reads(1) + agi(1));
KNC_AGI(index_in_u, "negl %ebx\nmovl (%edx, %ebx), %eax", 5, issues(2, 0) + reads(1) + agi(1));
KNC_AGI(store_in_u, "negl %ebx\nmovl %eax, (%ebx)", 5, issues(2, 0) + writes(1) + agi(1));
KNC_AGI(lea_in_u, "negl %ebx\nleal 4(%ebx), %eax", 5, issues(2, 0) + agi(1));
KNC_AGI(string_in_u, "negl %esi\nlodsl", 5, issues(2, 0) + microcode(2) + reads(1) + agi(1));
// A byte of the register is enough.
KNC_AGI(byte_of_the_base, "movb $0x40, %ch\nmovl (%ecx), %eax", 5,
        issues(2, 0) + reads(1) + agi(1));
// Base and index at once are one instruction that waits.
KNC_AGI(base_and_index, "negl %ebx\nmovl -0x4000(%ebx, %ebx), %eax", 5,
        issues(2, 0) + reads(1) + agi(1));
// The second of a pair holds up both.
KNC_AGI(base_in_v, "negl %ebx\nincl %edx\nmovl (%ebx), %eax", 5, issues(3, 1) + reads(1) + agi(1));
// Both wait, in the same clock: two events, one clock.
KNC_AGI(base_in_u_and_v, "negl %ebx\nmovl (%ebx), %eax\nmovl 4(%ebx), %edx", 5,
        issues(3, 1) + reads(2) + raises(memory_accesses_in_both_pipes, 1) + agi(2));
// Written in V: INC EDX, MOV EBX | - | load.
KNC_AGI(written_in_v, "incl %edx\nmovl %ecx, %ebx\nmovl (%ebx), %eax", 5,
        issues(3, 1) + reads(1) + agi(1));
// Written by a load: its address is known a clock later than its data.
KNC_AGI(pointer_chase, "movl (%ecx), %ebx\nmovl (%ebx), %eax", 5, issues(2, 0) + reads(2) + agi(1));
// XCHG holds the E stage in clocks 0 to 2, the slot of clock 3 stays empty.
KNC_AGI(behind_a_longer_instruction, "xchgl %ecx, %ebx\nmovl (%ebx), %eax", 6,
        issues(2, 0) + held(2) + reads(1) + agi(1));
// RDTSC, 4 clocks of microcode, writes EDX in the last of them.
KNC_AGI(behind_a_late_instruction, "rdtsc\nmovl (%edx), %eax", 7,
        issues(2, 0) + microcode(4) + reads(1) + agi(1));
// Twice in a row.
KNC_AGI(chain, "movl (%ecx), %ebx\nmovl (%ebx), %edx\nmovl (%edx), %eax", 8,
        issues(3, 0) + reads(3) + agi(1) + agi(1));

// An issue in between: no event.
KNC_AGI(one_issue_between, "negl %ebx\nnegl %edx\nmovl (%ebx), %eax", 6, issues(3, 0) + reads(1));
// The register as data, not in an address.
KNC_AGI(as_data, "negl %ebx\nmovl %ebx, (%ecx)", 4, issues(2, 0) + writes(1));
KNC_AGI(another_register, "negl %ebx\nmovl (%ecx), %eax", 4, issues(2, 0) + reads(1));
// The pair that reads EBX as its base writes it in V: it has been read.
KNC_AGI(written_behind, "movl (%ecx), %eax\nnegl %ecx", 4, issues(2, 0) + reads(1));
// What PUSH, POP and CALL write to the stack pointer is known to the next of them, and to a load.
KNC_AGI(push_pop, "pushl %eax\npushl %ecx\npopl %edx\npopl %edi", 4,
        issues(4, 2) + writes(2) + reads(2) + raises(memory_accesses_in_both_pipes, 2));
KNC_AGI(push_then_load_by_esp, "pushl %eax\nmovl (%esp), %edx", 4,
        issues(2, 0) + writes(1) + reads(1));
// What another instruction writes to it is not.
KNC_AGI(esp_as_base, "addl $-8, %esp\nmovl 4(%esp), %edx", 5, issues(2, 0) + reads(1) + agi(1));

// PUSH, POP and RET form an address from it too, and so does what comes behind RET with a number.
KNC_AGI(pop_behind_write_of_esp, "addl $-8, %esp\npopl %edx", 5, issues(2, 0) + reads(1) + agi(1));
KNC_KERNEL(interlock, ret_behind_write_of_esp, 32,
           "pushl $" KNC_AT(interlock, ret_behind_write_of_esp, "1f") "\npushl %eax",
           "addl $4, %esp\nret\nnop\n1:", "", 2 + 1 + 4,
           issues(2, 0) + held(1) + waits(2) + raises(branches, 1) + raises(pipeline_flushes, 1) +
               reads(1) + agi(1));
KNC_KERNEL(interlock, pop_behind_ret_with_number, 32,
           "pushl $" KNC_AT(interlock, pop_behind_ret_with_number, "1f"),
           "ret $4\nnop\n1: popl %eax", "", 5 + 1 + 2,
           issues(2, 0) + held(2) + waits(2) + raises(branches, 1) + raises(pipeline_flushes, 1) +
               reads(2) + agi(1));

KNC_AGI(of_three_cycles, "negl %ebx\nmovl (%ebx), %eax", 7,
        issues(2, 0) + reads(1) + agi(1) + waits(2),
        tuned([](card::parameters& p) { p.core.agi_cycles = 3; }));

}  // namespace
}  // namespace knc::kernels
