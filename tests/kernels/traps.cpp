// What comes between two instructions or leaves the program: exceptions, interrupts, far transfers,
// halting, delays, and instructions that must not pair for the sake of a trap.

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

const counts none;
const counts flush = raises(pipeline_flushes, 1);
const counts branch = raises(branches, 1);
const counts refetch = raises(code_read, 1);

// Reads of the gate and of the code segment's descriptor; EFLAGS, CS and EIP are one write, as they
// lie in one line; the handler is fetched.
const counts entry_accesses = reads(2) + writes(1) + refetch;
// Entry by an event: 40 clocks of microcode (core.event_entry_cycles) that belong to no
// instruction.
const counts entry = raises(exec_stage_cycles, 1) + microcode(40) + flush + entry_accesses;
// IRET, 10 clocks: the frame is one read, the code segment's descriptor another; what it returns to
// is fetched.
const counts iret = microcode(10) + flush + branch + reads(2) + refetch;

// ---- exceptions: the handler steps over the two bytes, ADD [ESP] of 3 clocks and IRET

const counts skipping_handler = held(2) + reads(1) + writes(1) + iret;
KNC_KERNEL(trap, undefined_opcode, 32, KNC_HANDLERS, "ud2", "", 40 + 3 + 10,
           issues(2, 0) + entry + skipping_handler);
// The instruction has not been executed: its clocks, 41 of DIV, are not spent.
KNC_KERNEL(trap, divide_by_zero, 32, KNC_HANDLERS "xorl %ecx, %ecx", "divl %ecx", "", 40 + 3 + 10,
           issues(2, 0) + entry + skipping_handler);
// #GP, DS being null, has an error code, which the handler takes off the stack by an ADD more.
KNC_KERNEL(trap, protection, 32, KNC_HANDLERS "xorl %eax, %eax\nmovl %eax, %ds", "incl (%ebx)", "",
           40 + 3 + 2 + 10, issues(3, 0) + entry + skipping_handler);
// RDMSR finds out in the last of its 20 clocks that there is no such MSR.
KNC_KERNEL(trap, behind_a_late_instruction, 32, KNC_HANDLERS "movl $0x1234, %ecx", "rdmsr", "",
           20 + 40 + 3 + 2 + 10,
           issues(3, 0) + raises(exec_stage_cycles, 1) + microcode(20) + entry + skipping_handler);
// What was written before it is old when the handler begins: no interlock with its ADD [ESP].
KNC_KERNEL(trap, behind_a_write_of_esp, 32, KNC_HANDLERS, "addl $-8, %esp\nud2", "",
           2 + 40 + 3 + 10, issues(3, 0) + entry + skipping_handler);

// In V: INC EDI has retired, the fault is taken in the thread's next slot.
KNC_KERNEL(trap, in_v, 32, KNC_HANDLERS "xorl %eax, %eax\nmovl %eax, %ds",
           "incl %edi\nmovl (%ebx), %eax", "", 2 + 40 + 3 + 2 + 10,
           issues(4, 0) + entry + skipping_handler);
// A first instruction of three clocks has had them all by then.
KNC_KERNEL(trap, in_v_beside_three_cycles, 32, KNC_HANDLERS "xorl %eax, %eax\nmovl %eax, %ds",
           "incl %es:(%ebx)\nmovl (%ebx), %eax", "", 3 + 40 + 3 + 2 + 10,
           issues(4, 0) + held(2) + reads(1) + writes(1) + entry + skipping_handler);
// A breakpoint on data: the trap comes when the instruction has had its clocks, in the thread's
// next slot.
#define KNC_WATCHED                                              \
    KNC_HANDLERS                                                 \
    "movl $0x5000, %ebx\nmovl %ebx, %dr0\nmovl $0xf0001, %eax\n" \
    "movl %eax, %dr7\nmovl $1, %eax\nxorl %edx, %edx\nmovl %eax, 0x5004\nnop"
KNC_KERNEL(trap, data_breakpoint, 32, KNC_WATCHED, "movl (%ebx), %ecx", "", 2 + 40 + 10,
           issues(2, 0) + reads(1) + entry + iret);
KNC_KERNEL(trap, data_breakpoint_of_three_cycles, 32, KNC_WATCHED, "incl (%ebx)", "", 3 + 40 + 10,
           issues(2, 0) + held(2) + reads(1) + writes(1) + entry + iret);
KNC_KERNEL(trap, data_breakpoint_of_microcode, 32, KNC_WATCHED "\nmovl $1, (%ebx)", "divl (%ebx)",
           "", 41 + 40 + 10, issues(2, 0) + microcode(41) + reads(1) + entry + iret);
// INTO without overflow goes nowhere: nothing to refill, nothing to fetch.
KNC_KERNEL(trap, into_without_overflow, 32, "xorl %eax, %eax", "into", "", 16,
           issues(1, 0) + microcode(16) + branch);

// ---- software interrupts: an instruction of 16 clocks

const counts software_interrupt = microcode(16) + flush + branch + entry_accesses;
KNC_KERNEL(trap, int_n, 32, KNC_HANDLERS, "int $0x40", "", 16 + 10,
           issues(2, 0) + software_interrupt + iret);
KNC_KERNEL(trap, int3, 32, KNC_HANDLERS, "int3", "", 16 + 10,
           issues(2, 0) + software_interrupt + iret);

// INTO with an overflow does what INT 4 does.
KNC_KERNEL(trap, into_with_overflow, 32, KNC_HANDLERS "movb $0x7f, %al\naddb $1, %al", "into", "",
           16 + 10, issues(2, 0) + software_interrupt + iret);

// ---- interrupts, taken between two instructions

KNC_KERNEL(interrupt, between_instructions, 32, KNC_HANDLERS "sti",
           "negl %eax\nnegl %eax\nnegl %eax", "", 3 * 2 + 40 + 10, issues(4, 0) + entry + iret,
           interrupted_at(2));
// It finds the clock between two issues and takes the next slot.
KNC_KERNEL(interrupt, between_issues, 32, KNC_HANDLERS "sti", "negl %eax\nnegl %eax\nnegl %eax", "",
           3 * 2 + 40 + 10, issues(4, 0) + entry + iret, interrupted_at(3));
// An instruction of several clocks is finished first.
KNC_KERNEL(interrupt, behind_a_long_instruction, 32,
           KNC_HANDLERS "sti\nmovl $1, %ecx\nxorl %edx, %edx", "divl %ecx", "", 41 + 40 + 10,
           issues(2, 0) + microcode(41) + entry + iret, interrupted_at(7));
KNC_KERNEL(interrupt, masked, 32, KNC_HANDLERS "cli", "negl %eax\nnegl %eax\nnegl %eax", "", 3 * 2,
           issues(3, 0), interrupted_at(2));
// Behind STI one instruction executes first, and alone: STI of 7 clocks, INC EDI, the interrupt,
// INC ESI with INC EDX.
KNC_KERNEL(interrupt, behind_sti, 32, KNC_HANDLERS "cli", "sti\nincl %edi\nincl %esi\nincl %edx",
           "", 7 + 2 + 40 + 10 + 2, issues(5, 1) + microcode(7) + entry + iret, interrupted_at(0));

// ---- halting: HLT, its one clock, nothing until clock 100, then the interrupt

KNC_KERNEL(halt, until_an_interrupt, 32, KNC_HANDLERS "sti\nnop", "hlt", "", 100 + 40 + 10,
           issues(2, 0) + entry + iret + raises(cpu_clk_unhalted, 1 + 40 + 10),
           interrupted_at(100));

// ---- delays: the clock of DELAY ECX, then as many as ECX says, 1023 at most

#define KNC_DELAY ".byte 0xC4, 0xE1, 0x7A, 0xAE, 0xF1"
KNC_KERNEL(delay, of_100, 64, "movl $100, %ecx", KNC_DELAY, "", 101, issues(1, 0) + waits(100));
KNC_KERNEL(delay, of_none, 64, "xorl %ecx, %ecx", KNC_DELAY, "", 2, issues(1, 0));
KNC_KERNEL(delay, of_1, 64, "movl $1, %ecx", KNC_DELAY, "", 2, issues(1, 0) + waits(1));
KNC_KERNEL(delay, too_long, 64, "movl $5000, %ecx", KNC_DELAY, "", 1024,
           issues(1, 0) + waits(1023));

// An interrupt ends it, in clock 50. The handler's page is not known, its region is: 8 clocks.
KNC_KERNEL(delay, until_an_interrupt, 64, KNC_HANDLERS_64 "pushq %rax\nmovl $100, %ecx\nsti",
           KNC_DELAY, "", 50 + 40 + 8 + 10,
           issues(2, 0) + waits(49) + entry + waits(8) + raises(code_page_walk, 1) + iret,
           interrupted_at(50));

// ---- far transfers: they load CS

KNC_KERNEL(far, jump, 32, KNC_HANDLERS, "ljmp $8, $" KNC_AT(far, jump, "1f") "\nnop\n1:", "", 3,
           issues(1, 0) + microcode(3) + flush + branch + reads(1) + refetch);
KNC_KERNEL(far, call, 32, KNC_HANDLERS, "lcall $8, $" KNC_AT(far, call, "1f") "\nnop\n1:", "", 4,
           issues(1, 0) + microcode(4) + flush + branch + reads(1) + writes(1) + refetch);
KNC_KERNEL(far, ret, 32, KNC_HANDLERS "pushl %cs\npushl $" KNC_AT(far, ret, "1f"),
           "lret\nnop\n1:", "", 4,
           issues(1, 0) + microcode(4) + flush + branch + reads(2) + refetch);
KNC_KERNEL(far, iret, 32, KNC_HANDLERS "pushfl\npushl %cs\npushl $" KNC_AT(far, iret, "1f"),
           "iret\nnop\n1:", "", 10, issues(1, 0) + iret);

// ---- no pairs: STI (7 clocks) and MOV SS (2) let one instruction go before the next event, so do
// single steps; a breakpoint may be at any instruction

KNC_KERNEL(single, behind_sti, 32, "", "sti\nincl %edi\nincl %esi\nincl %edx", "", 7 + 2 + 2,
           issues(4, 1) + microcode(7));
KNC_KERNEL(single, behind_mov_ss, 32, KNC_HANDLERS "movl $0x10, %eax",
           "movl %eax, %ss\nincl %edi\nincl %esi\nincl %edx", "", 2 + 2 + 2,
           issues(4, 1) + microcode(2) + reads(1) + flush);
KNC_KERNEL(single, behind_cli, 32, "", "cli\nincl %edi\nincl %esi", "", 7 + 2,
           issues(3, 1) + microcode(7));
KNC_KERNEL(single, breakpoints_on, 32,
           "movl $0x5000, %eax\nmovl %eax, %dr0\nmovl $1, %eax\nmovl %eax, %dr7",
           "incl %edi\nincl %esi", "", 4, issues(2, 0));
// A breakpoint on data (4 bytes, writes) hinders nothing.
KNC_KERNEL(single, data_breakpoints_on, 32,
           "movl $0x5000, %eax\nmovl %eax, %dr0\nmovl $0xd0001, %eax\nmovl %eax, %dr7",
           "incl %edi\nincl %esi", "", 2, issues(2, 1));

}  // namespace
}  // namespace knc::kernels
