// Memory that may not be cached: stores that are combined (WC), what reads and writes at once.
//
// Time is taken by the program with RDTSC, of a piece of code that runs twice, so that its lines
// are in the cache the second time.

#include "harness.h"

namespace knc::caches {
namespace {

using namespace base;

// 4 KB at `address` WC: the first variable memory type range.
#define COMBINED(address)                                 \
    "movl $0x200, %ecx\nxorl %edx, %edx\nmovl $" #address \
    " + 1, %eax\nwrmsr\nincl %ecx\nmovl $0xff, %edx\nmovl $0xfffff800, %eax\nwrmsr\n"
// The clocks of `body` go to 0x402000. EAX, EDX, EBX and ESI are lost; ECX is the round: 2, then 1.
#define TIMED(body)                                   \
    "movl $2, %ecx\n1: rdtsc\nmovl %eax, %esi\n" body \
    "rdtsc\nsubl %esi, %eax\n"                        \
    "movl %eax, 0x402000\nmovl %ecx, %ebx\n" WAIT "movl %ebx, %ecx\ndecl %ecx\njnz 1b\n"
#define DWORDS(address, stride, n) KNC_EACH(address, stride, n, "movl %ecx, knc_at\n")

// No way to the home slice, to memory and back is faster, none takes longer.
constexpr std::uint32_t fastest = 200, slowest = 600;
std::uint32_t clocks(machine& m) {
    return m.read(0x402000);
}
// As an uncached store, each counts as a miss of one event only.
const counts store_past_caches = stores(1) + data_read_miss_or_write_miss;
// Two to one line.
const counts results = written_from_memory() + stores(1);

// ---- a line is written when it is complete, as one; its stores wait for nothing

void line_is_written(machine& m) {
    EXPECT_LT(clocks(m), 60u);
    for (std::uint32_t at = 0x400000; at < 0x400040; at += 4) EXPECT_EQ(m.read(at), 1u);
}
KNC_CACHE_KERNEL(combining, line_is_written, COMBINED(0x400000) TIMED(DWORDS(0x400000, 4, 16)) HALT,
                 32 * store_past_caches + results, checked(line_is_written));
// Without buffers each of the 16 goes to memory and back.
void one_by_one(machine& m) {
    EXPECT_GT(clocks(m), 16 * fastest);
    EXPECT_LT(clocks(m), 16 * slowest);
}
void no_buffers(card::parameters& p) {
    p.cache.write_combining_buffers = 0;
}
KNC_PROGRAM64(sixteen, COMBINED(0x400000) TIMED(DWORDS(0x400000, 4, 16)) HALT);
conditions without_buffers() {
    conditions c = tuned(no_buffers);
    c.check = one_by_one;
    return c;
}
const kernel without("combining", "without_buffers", sixteen, 32 * store_past_caches + results,
                     without_buffers());

// ---- what is not complete stays, until its buffer is needed: four lines find one, the fifth waits

void quick(machine& m) {
    EXPECT_LT(clocks(m), 60u);
}
void slow(machine& m) {
    EXPECT_GT(clocks(m), fastest);
    EXPECT_LT(clocks(m), slowest);
}
KNC_CACHE_KERNEL(combining, four_lines, COMBINED(0x400000) TIMED(DWORDS(0x400000, 64, 4)) HALT,
                 8 * store_past_caches + results, checked(quick));
// In the second round each of the five finds the buffers taken by the four others.
void each_waits(machine& m) {
    EXPECT_GT(clocks(m), 5 * fastest);
    EXPECT_LT(clocks(m), 5 * slowest);
}
KNC_CACHE_KERNEL(combining, fifth_line_waits,
                 COMBINED(0x400000) TIMED(DWORDS(0x400000, 64, 5)) HALT,
                 10 * store_past_caches + results, checked(each_waits));

// ---- others see it when it has been sent

// Thread 0 stores at 0 and does something at 6000; tile 1 looks at 4000 and at 9000.
#define SENT_BY(text) COMBINED(0x400000) "movl $7, 0x400010\n" AT(6000) text AT(12000) HALT
KNC_PROGRAM64(look_twice,
              KNC_UNCACHED(0x400000) AT(4000) "movl 0x400010, %ebx\nmovl %ebx, 0x403000\n" AT(
                  9000) "movl 0x400010, %ebx\nmovl %ebx, 0x403004\n" HALT);
const counts looked = 2 * read_miss() + results;
void sent(machine& m) {
    EXPECT_EQ(m.read(0x403000), 0u);
    EXPECT_EQ(m.read(0x403004), 7u);
}
void not_sent(machine& m) {
    EXPECT_EQ(m.read(0x403000), 0u);
    EXPECT_EQ(m.read(0x403004), 0u);
    EXPECT_EQ(m.read(0x400010), 7u);  // HLT has sent it
}
#define SENT_KERNEL(name, text, more, check)                                            \
    KNC_PROGRAM64(sent_by_##name, SENT_BY(text));                                       \
    const kernel name("combining", #name, {{0, 0, sent_by_##name}, {1, 0, look_twice}}, \
                      {{0, 0, store_past_caches + (more)}, {1, 0, looked}}, checked(check))
SENT_KERNEL(sent_by_lock, "lock incl 0x401000\n",
            read_miss() + l2_data_write_miss_mem_fill + stores(1), sent);
SENT_KERNEL(sent_by_serializing, "xorl %eax, %eax\ncpuid\n", counts(), sent);
SENT_KERNEL(sent_by_uncached_load, "movl 0x400000, %eax\n", read_miss(), sent);
SENT_KERNEL(not_sent_by_store, "movl %eax, 0x401000\n", written_from_memory(), not_sent);
SENT_KERNEL(not_sent_by_load, "movl 0x401000, %eax\n", read_from_memory(), not_sent);

// A fence waits until everybody would see it: there and back.
KNC_CACHE_KERNEL(combining, fence_waits,
                 COMBINED(0x400000) "lock incl 0x401000\n" TIMED(
                     "movl %ecx, 0x400000\nlock incl 0x401000\n") HALT,
                 // Of three locked instructions one misses.
                 2 * store_past_caches + read_miss() + l2_data_write_miss_mem_fill + loads(2) +
                     stores(3) + results,
                 checked(slow));
// The thread's own loads see what it has stored.
void own_load(machine& m) {
    EXPECT_EQ(m.read(0x402000), 7u);
}
KNC_CACHE_KERNEL(combining, own_load_sees_it,
                 COMBINED(0x400000) "movl $7, 0x400010\nmovl 0x400010, %ebx\n"
                                    "movl %ebx, 0x402000\n" HALT,
                 store_past_caches + read_miss() + written_from_memory(), checked(own_load));
// A store of two lines.
void crossing(machine& m) {
    EXPECT_EQ(m.read(0x40003c), 0x2211u << 16);
    EXPECT_EQ(m.read(0x400040), 0x4433u);
}
KNC_CACHE_KERNEL(combining, store_crosses_lines,
                 COMBINED(0x400000) "movl $0x44332211, 0x40003e\n" HALT, 2 * store_past_caches,
                 checked(crossing));

// ---- what reads and writes at once has the line meanwhile, and no longer

// Data of the line, once read and once written, are misses as others past the caches are; the line
// is written back as it leaves.
void incremented(machine& m) {
    EXPECT_EQ(m.read(0x400000), 2u);
}
const counts increment =
    read_miss() + store_past_caches + l2_data_write_miss_mem_fill + data_cache_lines_written_back;
KNC_CACHE_KERNEL(borrowed, lock_takes_the_line,
                 KNC_UNCACHED(0x400000) "lock incl 0x400000\n" WAIT "lock incl 0x400000\n" HALT,
                 2 * increment, checked(incremented));
KNC_CACHE_KERNEL(borrowed, combining_memory,
                 COMBINED(0x400000) "movl $1, 0x400000\nlock incl 0x400000\n" HALT,
                 store_past_caches + increment, checked(incremented));
// Both lines of a split access.
void split(machine& m) {
    EXPECT_EQ(m.read(0x40003c), 0x10000u);
    EXPECT_EQ(m.read(0x400040), 1u);
}
KNC_CACHE_KERNEL(borrowed, both_lines,
                 KNC_UNCACHED(0x400000) "movl $0x10001, %eax\nlock addl %eax, 0x40003e\n" HALT,
                 2 * increment, checked(split));

}  // namespace
}  // namespace knc::caches
