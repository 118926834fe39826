// Memory that may not be cached, and the local APIC's page. Each line of such memory that is read
// or written, and each block fetched from it, makes its thread wait core.uncached_cycles = 300
// clocks.

#include "harness.h"

namespace knc::kernels {
namespace {

using namespace base;

// A variable range makes the page at ADDRESS uncacheable; 0x100000 is free. EBX points to it.
#define KNC_UNCACHED(address)                            \
    "movl $0x204, %ecx\nxorl %edx, %edx\nmovl $" address \
    ", %eax\nwrmsr\n"                                    \
    "incl %ecx\nmovl $0xff, %edx\nmovl $0xfffff800, %eax\nwrmsr\n"
#define KNC_DATA(name, body, clocks, ...)                                                          \
    KNC_KERNEL(uncached, name, 32,                                                                 \
               KNC_UNCACHED("0x100000") "movl $0x100000, %ebx\nxorl %edx, %edx", body, "", clocks, \
               __VA_ARGS__)

// A read misses, and is counted by both events of misses; a write by one.
counts missed_reads(std::uint64_t n) {
    return reads(n) + raises(data_read_miss, n) + raises(data_read_miss_or_write_miss, n);
}
counts missed_writes(std::uint64_t n) {
    return writes(n) + raises(data_read_miss_or_write_miss, n);
}

// ---- data

KNC_DATA(load, "movl (%ebx), %eax", 301, issues(1, 0) + waits(300) + missed_reads(1));
KNC_DATA(store, "movl %eax, (%ebx)", 301, issues(1, 0) + waits(300) + missed_writes(1));
// Both, behind the 3 clocks of the instruction.
KNC_DATA(read_modify_write, "incl (%ebx)", 603,
         issues(1, 0) + held(2) + waits(600) + missed_reads(1) + missed_writes(1));
// Two lines.
KNC_DATA(load_across_lines, "movl 62(%ebx), %eax", 601,
         issues(1, 0) + waits(600) + missed_reads(2));
// An access in U ends the issue, one in V does not hold up U.
KNC_DATA(load_in_u, "movl (%ebx), %eax\nincl %edx", 303,
         issues(2, 0) + waits(300) + missed_reads(1));
KNC_DATA(load_in_v, "incl %edx\nmovl (%ebx), %eax", 301,
         issues(2, 1) + waits(300) + missed_reads(1));
// The next page is cached, and the code: no miss, and no wait.
KNC_DATA(load_from_next_page, "movl 0x1000(%ebx), %eax\nincl %edx", 2, issues(2, 1) + reads(1));
KNC_DATA(store_to_next_page, "movl %eax, 0x1000(%ebx)\nincl %edx", 2, issues(2, 1) + writes(1));
// A page boundary: two lines, one of them uncacheable.
KNC_DATA(load_across_pages, "movl -2(%ebx), %eax", 301,
         issues(1, 0) + waits(300) + missed_reads(1) + reads(1));
// LODS: 2 clocks of microcode, then the wait.
KNC_DATA(string, "movl %ebx, %esi\nnegl %edx\nlodsl", 4 + 2 + 300,
         issues(3, 0) + microcode(2) + waits(300) + missed_reads(1));
// The frame of an event, one line: entry takes its 40 clocks and 300 more; IRET reads it back.
KNC_KERNEL(uncached, event_entry, 32, KNC_HANDLERS KNC_UNCACHED("0x100000") "movl $0x100800, %esp",
           "int $0x40", "", 16 + 300 + 10 + 300,
           issues(2, 0) + microcode(16) + microcode(10) + waits(600) + missed_writes(1) +
               missed_reads(1) + reads(3) + raises(branches, 2) + raises(pipeline_flushes, 2) +
               raises(code_read, 2));

// ---- code: the program's own page. A block is fetched by its first NOP, which issues alone, since
// the rest of the block is not there yet.

const counts fetch = raises(code_read, 1) + raises(code_cache_miss, 1);
#define KNC_CODE KNC_UNCACHED("0x1000")
// The first NOP and its wait, 15 pairs, the last NOP; `stop` fetches the next block, and waits
// later.
KNC_KERNEL(uncached, code, 32, KNC_CODE, ".fill 32, 1, 0x90", "", 301 + 30 + 2,
           issues(32, 15) + waits(300) + fetch + raises(code_cache_miss, 1));
// One that goes on in the next block asks for two.
KNC_KERNEL(uncached, code_across_blocks, 32, KNC_CODE, ".fill 31, 1, 0x90\nmovl $5, %eax", "",
           301 + 30 + 301, issues(32, 15) + waits(600) + fetch + raises(code_cache_miss, 1));
// Data in the cache does not care.
KNC_KERNEL(uncached, cached_data_of_uncached_code, 32, KNC_CODE "movl $0x4000, %ebx",
           "movl (%ebx), %eax", "", 301,
           issues(1, 0) + reads(1) + waits(300) + raises(code_cache_miss, 1));
KNC_KERNEL(uncached, other_code, 32, KNC_UNCACHED("0x100000"), ".fill 32, 1, 0x90", "", 32,
           issues(32, 16) + raises(code_read, 1));

// ---- the local APIC's page: 10 clocks (core.apic_cycles)

KNC_KERNEL(apic_page, load, 32, "", "movl 0xfee00020, %eax\nincl %edx", "", 11 + 2,
           issues(2, 0) + waits(10) + missed_reads(1));
KNC_KERNEL(apic_page, store, 32, "xorl %eax, %eax", "movl %eax, 0xfee00080", "", 11,
           issues(1, 0) + waits(10) + missed_writes(1));

// ---- a device: 50 clocks each way. The request is out in clocks 0 to 99, in 100 the access
// completes

KNC_KERNEL(device, load, 32, "", "movl 0xfef00000, %eax", "", 102,
           issues(1, 0) + waits(100) + missed_reads(1));
KNC_KERNEL(device, store, 32, "xorl %eax, %eax", "movl %eax, 0xfef00000", "", 102,
           issues(1, 0) + waits(100) + missed_writes(1));

}  // namespace
}  // namespace knc::kernels
