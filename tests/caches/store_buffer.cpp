// The store buffer: what stores cost their thread, what its loads see meanwhile.
//
// Time is taken by the program, with RDTSC before and after, and stored. A timed piece of code runs
// more than once, so that its own lines are in the cache when it counts.

#include "timed.h"

namespace knc::caches {
namespace {

using namespace base;

// ---- a store that misses is as fast as one that hits; a load is not

// Of three accesses one finds its line.
KNC_CACHE_KERNEL(stores, store_goes_on, KNC_TIMED("movl %ecx, (%rdi)\n"),
                 2 * written_from_memory() + stores(1) + results, checked(same));
KNC_CACHE_KERNEL(stores, load_waits, KNC_TIMED("movl (%rdi), %edx\n"),
                 2 * read_from_memory() + loads(1) + results, checked(waits));
// XCHG reads and writes at once: it waits.
KNC_CACHE_KERNEL(stores, exchange_waits, KNC_TIMED("xchgl %ecx, (%rdi)\n"),
                 2 * (read_miss() + l2_data_write_miss_mem_fill) + loads(1) + stores(3) + results,
                 checked(waits));

// ---- four stores find room, the fifth waits for the first

#define FOUR                                                            \
    "movl %ecx, (%rdi)\nmovl %ecx, 0x40(%rdi)\nmovl %ecx, 0x80(%rdi)\n" \
    "movl %ecx, 0xc0(%rdi)\n"
KNC_CACHE_KERNEL(stores, four_go_on, KNC_TIMED(FOUR),
                 8 * written_from_memory() + stores(4) + results, checked(same));
KNC_CACHE_KERNEL(stores, fifth_waits, KNC_TIMED(FOUR "movl %ecx, 0x100(%rdi)\n"),
                 10 * written_from_memory() + stores(5) + results, checked(waits));
// So does that of one line: stores have an entry each, though they ask for nothing. There is room
// when the line has come to the L2; the L1D is filled 10 clocks later, so the fifth misses, too.
KNC_CACHE_KERNEL(stores, fifth_to_one_line_waits,
                 KNC_TIMED("movl %ecx, (%rdi)\nmovl %ecx, 4(%rdi)\nmovl %ecx, 8(%rdi)\n"
                           "movl %ecx, 12(%rdi)\nmovl %ecx, 16(%rdi)\n"),
                 2 * (written_from_memory() + 4 * write_miss()) + stores(5) + results,
                 checked(waits));
// Without a buffer each store waits.
void no_buffer(card::parameters& p) {
    p.cache.store_buffer = 0;
}
conditions without_buffer() {
    conditions c = checked(waits);
    c.tune = no_buffer;
    return c;
}
KNC_CACHE_KERNEL(stores, without_buffer, KNC_TIMED("movl %ecx, (%rdi)\n"),
                 2 * written_from_memory() + stores(1) + results, without_buffer());
// A serializing instruction comes after the stores before it. The second line is the same in each
// round.
KNC_CACHE_KERNEL(stores, serializing_waits,
                 KNC_TIMED("movl %ecx, (%rdi)\nmovl %ebx, 0x403000\nxorl %eax, %eax\ncpuid\n"
                           "movl 0x403000, %ebx\nmovl $2000, %ecx\n"),
                 3 * written_from_memory() + stores(3) + loads(3) + results, checked(waits));

// ---- loads see the stores before them

// A store to 0x400000 misses; one to 0x401000, which is there, waits behind it. A load of that sees
// it, and does not wait.
void forwarded(machine& m) {
    same(m);
    EXPECT_EQ(m.read(0x403000), 0x2222u);
}
KNC_CACHE_KERNEL(stores, forwarded,
                 KNC_TIMED("movl %ecx, (%rdi)\nmovl $0x2222, 0x401000\nmovl 0x401000, %ecx\n"
                           "movl %ecx, 0x403000\n"),
                 2 * written_from_memory() + stores(1) +  // to (RDI)
                     written_from_memory() + stores(2) +  // to 0x401000
                     read_miss() + loads(2) +             // of it, the first on its way
                     written_from_memory() + stores(2) +  // to 0x403000
                     results,
                 checked(forwarded));

// Two bytes of four that are loaded wait in the buffer, behind a store that misses.
void merged(machine& m) {
    EXPECT_EQ(m.read(0x402000), 0x11aabb11u);
}
KNC_CACHE_KERNEL(stores, merged,
                 "movl $0x11111111, 0x401000\n" WAIT
                 "movl %ecx, 0x400000\nmovb $0xbb, 0x401001\n"
                 "movb $0xaa, 0x401002\nmovl 0x401000, %eax\nmovl %eax, 0x402000\n" HALT,
                 3 * written_from_memory() + stores(2) + loads(1), checked(merged));

// ---- stores are seen in their order

// Thread 0 stores to a line that misses, then to one that thread 1 reads all the time. It sees
// the second store only when the first has been performed, by then has its line.
KNC_PROGRAM64(two_stores, STORE(0x401000) AT(4000) "rdtsc\nmovl %eax, 0x400000\n"
                                                   "movl $1, 0x401000\n" HALT);
// The latter counts its loads, the last of which is that of the former's clock.
KNC_PROGRAM64(watch, AT(2000) "movl $1, %ebx\n1: incl %ebx\ncmpl $0, 0x401000\nje 1b\n"
                       "rdtsc\nmovl %eax, 0x402000\n" WAIT LOAD(0x400000)
                       "movl %eax, 0x402004\nmovl %ebx, 0x402008\n" HALT);
void in_order(machine& m) {
    EXPECT_GT(m.read(0x402000) - m.read(0x402004), fastest);
    EXPECT_LT(m.read(0x402000) - m.read(0x402004), slowest);
}
const kernel order("stores", "in_order", {{0, 0, two_stores}, {0, 1, watch}},
                   {{0, 0, 2 * written_from_memory() + stores(1)},
                    {0, 1, loads(2) + written_from_memory() + stores(2), 0x402008}},
                   checked(in_order));

}  // namespace
}  // namespace knc::caches
