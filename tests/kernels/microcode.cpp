// Microcoded instructions: docs/pipeline.md's table. Each clock is one of the E stage and one of
// MICROCODE_CYCLES. What they do to the other threads is in neighbours.cpp.

#include <algorithm>

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

const counts none;
// What was fetched ahead is dropped: `stop` is fetched again.
const counts refetch = raises(code_read, 1);

// INC EDI | X | INC EDI: X takes `n` clocks, and pairs with neither.
constexpr cycle_t alone(cycle_t n) {
    return 2 + std::max<cycle_t>(n, 2) + 2;
}
#define KNC_ALONE(name, bits, setup, x, n, more)                                          \
    KNC_KERNEL(microcode, name, bits, setup, "incl %edi\n" x "\nincl %edi", "", alone(n), \
               issues(3, 0) + microcode(n) + more)
#define KNC_MICROCODE(name, x, n, more)                              \
    KNC_ALONE(name, 32,                                              \
              "movl $0x4000, %ebx\nmovl %ebx, %esi\nmovl $1, %ecx\n" \
              "xorl %eax, %eax\nxorl %edx, %edx",                    \
              x, n, more)

// ---- data

KNC_MICROCODE(pusha, "pushal", 5, writes(8));
KNC_MICROCODE(popa, "popal", 5, reads(8));
KNC_MICROCODE(pusha_16, "pushaw", 9, writes(8));
KNC_MICROCODE(pushf, "pushfl", 3, writes(1));
KNC_MICROCODE(popf, "popfl", 4, reads(1));
KNC_MICROCODE(div_byte, "divb %cl", 17, none);
KNC_MICROCODE(div_word, "divw %cx", 25, none);
KNC_MICROCODE(div, "divl %ecx", 41, none);
KNC_MICROCODE(idiv_byte, "idivb %cl", 22, none);
KNC_MICROCODE(idiv_word, "idivw %cx", 30, none);
KNC_MICROCODE(idiv, "idivl %ecx", 46, none);
KNC_ALONE(div_64, 64, "movl $1, %ecx\nxorl %eax, %eax\nxorl %edx, %edx", "divq %rcx", 73, none);
KNC_ALONE(idiv_64, 64, "movl $1, %ecx\nxorl %eax, %eax\nxorl %edx, %edx", "idivq %rcx", 78, none);
KNC_MICROCODE(aam, "aam", 9, none);
KNC_MICROCODE(cmpxchg8b, "cmpxchg8b (%ebx)", 9, reads(1) + writes(1));
KNC_MICROCODE(lock_cmpxchg8b, "lock cmpxchg8b (%ebx)", 18, reads(1) + writes(1));
KNC_MICROCODE(enter, "enter $8, $0", 11, writes(1));
KNC_MICROCODE(bound, "boundl %eax, (%ebx)", 8, reads(2));

// ---- time, counters, MSRs: they act in their last clock

KNC_MICROCODE(rdtsc, "rdtsc", 4, none);
KNC_MICROCODE(rdpmc, "rdpmc", 4, none);
KNC_ALONE(rdmsr, 32, "movl $0x10, %ecx", "rdmsr", 20, none);
KNC_ALONE(rdmsr_of_the_pmu, 32, "movl $0x28, %ecx", "rdmsr", 20, none);
// WRMSR serializes.
KNC_ALONE(wrmsr, 32, "movl $0x204, %ecx\nxorl %eax, %eax\nxorl %edx, %edx", "wrmsr", 30, refetch);
KNC_ALONE(wrmsr_of_the_pmu, 32, "movl $0x28, %ecx\nxorl %eax, %eax\nxorl %edx, %edx", "wrmsr", 30,
          refetch);

KNC_KERNEL(microcode, rdtsc_of_5_cycles, 32, "", "rdtsc", "", 5, issues(1, 0) + microcode(5),
           tuned([](card::parameters& p) { p.core.rdtsc_cycles = 5; }));
// SPFLT EAX.
KNC_ALONE(spflt, 64, "", ".byte 0xC4, 0xE1, 0x7B, 0xAE, 0xF0", 4, none);

// ---- system

KNC_MICROCODE(cpuid, "cpuid", 15, refetch);
KNC_MICROCODE(cli, "cli", 7, none);
KNC_MICROCODE(clts, "clts", 10, none);
KNC_MICROCODE(lgdt, "lgdt 0x80a0", 6, reads(1) + refetch);
KNC_MICROCODE(lidt, "lidt 0x80a8", 6, reads(1) + refetch);
KNC_MICROCODE(sgdt, "sgdt (%ebx)", 4, writes(1));
KNC_MICROCODE(lldt, "lldt %ax", 9, refetch);
KNC_MICROCODE(sldt, "sldt %edx", 2, none);
KNC_MICROCODE(str, "str %edx", 2, none);
KNC_MICROCODE(smsw, "smsw %edx", 4, none);
KNC_MICROCODE(invlpg, "invlpg (%ebx)", 25, refetch);
KNC_MICROCODE(invd, "invd", 15, refetch);
KNC_MICROCODE(wbinvd, "wbinvd", 2000, refetch);
KNC_MICROCODE(from_control_register, "movl %cr0, %eax", 4, none);
KNC_MICROCODE(to_control_register, "movl %eax, %cr2", 22, refetch);
KNC_MICROCODE(to_debug_register, "movl %eax, %dr0", 22, refetch);
KNC_ALONE(swapgs, 64, "", "swapgs", 4, none);

// ---- descriptors: 8 bytes of the table

#define KNC_SELECTOR(name, x, n, more)                                                            \
    KNC_ALONE(name, 32,                                                                           \
              KNC_HANDLERS "movl $0x10, %eax\nmovl $0x4000, %ebx\nmovl %eax, (%ebx)\npushl %eax", \
              x, n, more)
const counts descriptor = reads(1);
const counts flush = raises(pipeline_flushes, 1);

KNC_SELECTOR(verr, "verr %ax", 7, descriptor);
KNC_SELECTOR(lar, "larl %eax, %edx", 8, descriptor);
KNC_SELECTOR(lsl, "lsll %eax, %edx", 8, descriptor);
KNC_SELECTOR(arpl, "arpl %ax, %dx", 7, none);
// A segment load refills the pipeline within its clocks.
KNC_SELECTOR(to_segment, "movl %eax, %es", 2, descriptor + flush);
KNC_SELECTOR(to_segment_from_memory, "movw (%ebx), %es", 3, reads(1) + descriptor + flush);
KNC_SELECTOR(pop_segment, "popl %es", 3, reads(1) + descriptor + flush);
// A null selector has no descriptor.
KNC_ALONE(null_to_segment, 32, "xorl %eax, %eax", "movl %eax, %es", 2, flush);
// Pointer and selector are one access.
KNC_ALONE(les, 32, KNC_HANDLERS "movl $0x4000, %ebx\nmovw $0x10, 4(%ebx)", "lesl (%ebx), %edx", 4,
          reads(1) + descriptor + flush);

}  // namespace
}  // namespace knc::kernels
