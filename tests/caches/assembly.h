// Assembly text of the kernels, 64-bit code: accesses to absolute addresses, waiting, and hints the
// assembler does not know. Source of the encodings: Knights Corner instruction set manual
// 327364-001.
#ifndef KNC_TESTS_CACHES_ASSEMBLY_H
#define KNC_TESTS_CACHES_ASSEMBLY_H

#include <unit/card/rig.h>

// 7 bytes each.
#define LOAD(address) "movl " #address ", %eax\n"
#define STORE(address) "movl %eax, " #address "\n"
// `n` of them, `stride` bytes apart.
#define LOADS(address, stride, n) KNC_EACH(address, stride, n, "movl knc_at, %eax\n")
#define STORES(address, stride, n) KNC_EACH(address, stride, n, "movl %eax, knc_at\n")
#define KNC_EACH(address, stride, n, text)           \
    ".set knc_at, " #address "\n.rept " #n "\n" text \
    ".set knc_at,"                                   \
    " knc_at + " #stride "\n.endr\n"

// 9 bytes each: VEX, opcode, ModRM, SIB, address.
#define KNC_HINT(vex, opcode, digit, address) \
    ".byte 0xc5, " vex ", " opcode ", 0x04 + 8 * " #digit ", 0x25\n.long " #address "\n"
#define VPREFETCHNTA(address) KNC_HINT("0xf8", "0x18", 0, address)
#define VPREFETCH0(address) KNC_HINT("0xf8", "0x18", 1, address)
#define VPREFETCH1(address) KNC_HINT("0xf8", "0x18", 2, address)
#define VPREFETCH2(address) KNC_HINT("0xf8", "0x18", 3, address)
#define VPREFETCHENTA(address) KNC_HINT("0xf8", "0x18", 4, address)
#define VPREFETCHE0(address) KNC_HINT("0xf8", "0x18", 5, address)
#define VPREFETCHE1(address) KNC_HINT("0xf8", "0x18", 6, address)
#define VPREFETCHE2(address) KNC_HINT("0xf8", "0x18", 7, address)
#define CLEVICT0(address) KNC_HINT("0xfb", "0xae", 7, address)
#define CLEVICT1(address) KNC_HINT("0xfa", "0xae", 7, address)

// The page at `address` may not be cached: a variable memory type range.
#define KNC_UNCACHED(address)                             \
    "movl $0x204, %ecx\nxorl %edx, %edx\nmovl $" #address \
    ", %eax\nwrmsr\nincl "                                \
    "%ecx\nmovl $0xff, %edx\nmovl $0xfffff800, %eax\nwrmsr\n"

// Waits until `clocks` after the start of all programs; 9 bytes. EAX and EDX are lost.
#define AT(clocks) "7: rdtsc\ncmpl $" KNC_START " + " #clocks ", %eax\njb 7b\n"
// Waits for `clocks`; 14 bytes. EAX, ECX and EDX are lost. No miss takes as long as WAIT.
#define DELAY(clocks) "rdtsc\nleal " #clocks "(%rax), %ecx\n7: rdtsc\ncmpl %ecx, %eax\njb 7b\n"
#define WAIT DELAY(2000)
// The instruction behind it, of the same line of code, issues `clocks` after the start of all
// programs and the few more that are the same everywhere. To be used within 1000 clocks before. 14
// bytes. EAX, ECX and EDX are lost.
#define EXACTLY(clocks)                     \
    "rdtsc\nmovl $" KNC_START " + " #clocks \
    ", %ecx\nsubl %eax, %ecx\n"             \
    ".byte 0xc4, 0xe1, 0x7a, 0xae, 0xf1\n"
// 12 bytes: executes what stands at `address`, which comes back through EDI; PROGRAM is the
// one this is in, thread THREAD's (0's) of tile TILE. EBX and EDI are lost.
#define VISIT(program, tile, address) VISIT_BY(program, tile, 0, address)
#define VISIT_BY(program, tile, thread, address)                                          \
    "movl $(7f - " #program "_begin + 0x100800 + 0x10000 * " #tile " + 0x1000 * " #thread \
    "), %edi\nmovl $" #address ", %ebx\njmp *%rbx\n7:\n"
#define HALT "hlt\n"
// The clock programs start in.
#define KNC_START "40000"

#endif
