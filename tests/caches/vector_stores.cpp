// Vector stores that write whole lines: the store buffer, streaming stores, their order.
//
// A streaming store to a line the tile does not have asks for the right to write it, without its
// data: it misses the L1D, and nothing fills the L2.

#include "timed.h"
#include "vector.h"

namespace knc::caches {
namespace {

using namespace base;

// ---- streaming stores

KNC_CACHE_KERNEL(vector_stream, line, VSTREAM(0x400000) HALT, vector_write_miss);
KNC_CACHE_KERNEL(vector_stream, weakly, VSTREAM_WEAKLY(0x400000) HALT, vector_write_miss);
KNC_CACHE_KERNEL(vector_stream, doubles, "vmovnrapd %zmm1, 0x400000\n" HALT, vector_write_miss);
KNC_CACHE_KERNEL(vector_stream, doubles_weakly, "vmovnrngoapd %zmm1, 0x400000\n" HALT,
                 vector_write_miss);
KNC_CACHE_KERNEL(vector_stream, lines, VEACH(64, 9, "vmovnraps %zmm1, (%rdi)\n") HALT,
                 9 * vector_write_miss);
KNC_CACHE_KERNEL(vector_stream, lines_weakly, VEACH(64, 9, "vmovnrngoaps %zmm1, (%rdi)\n") HALT,
                 9 * vector_write_miss);
// The line is there afterwards, in both caches, modified.
KNC_CACHE_KERNEL(vector_stream, load_behind, VSTREAM(0x400000) WAIT VLOAD(0x400000) HALT,
                 vector_write_miss + vector_loads(1));
KNC_CACHE_KERNEL(vector_stream, load_behind_weak,
                 VSTREAM_WEAKLY(0x400000) WAIT VLOAD(0x400000) HALT,
                 vector_write_miss + vector_loads(1));
KNC_CACHE_KERNEL(vector_stream, written_back, VSTREAM(0x400000) WAIT CLEVICT0(0x400000) HALT,
                 vector_write_miss + l2_victim_req_with_data + data_cache_lines_written_back);
// The L1D has the line, or the L2: a store like any other.
KNC_CACHE_KERNEL(vector_stream, of_line_in_l1, LOAD(0x400000) VSTREAM(0x400000) HALT,
                 read_from_memory() + vector_stores(1));
KNC_CACHE_KERNEL(vector_stream, of_line_in_l2,
                 LOAD(0x400000) CLEVICT0(0x400000) VSTREAM(0x400000) HALT,
                 read_from_memory() + vector_write_miss + l2_write_hit);
KNC_CACHE_KERNEL(vector_stream, weakly_of_line_in_l2,
                 LOAD(0x400000) CLEVICT0(0x400000) VSTREAM_WEAKLY(0x400000) HALT,
                 read_from_memory() + vector_write_miss + l2_write_hit);
KNC_CACHE_KERNEL(vector_stream, of_line_under_way, STORE(0x400000) VSTREAM(0x400000) HALT,
                 written_from_memory() + vector_write_miss);
// Some lanes are no line: its other bytes have to be read.
KNC_CACHE_KERNEL(vector_stream, some_lanes, VMASKS "vmovnraps %zmm1, 0x400000{%k2}\n" HALT,
                 vector_written_from_memory);
KNC_CACHE_KERNEL(vector_stream, no_lane, VMASKS "vmovnraps %zmm1, 0x400000{%k3}\n" HALT, counts());
// Another tile's copy goes.
KNC_PROGRAM64(load, LOAD(0x400000) HALT);
KNC_PROGRAM64(stream_at_3000, AT(3000) VSTREAM(0x400000) HALT);
const kernel of_tile("vector_stream", "of_line_of_another_tile",
                     {{0, 0, load}, {1, 0, stream_at_3000}},
                     {{0, 0, read_from_memory() + snp_hit_l2}, {1, 0, vector_write_miss}});

// ---- what stores cost their thread: clocks of `body`, as in store_buffer.cpp

#define TIMED(body) VMASKS KNC_TIMED(body)
// A store of the whole line waits in the buffer; one of some lanes makes its thread wait.
KNC_CACHE_KERNEL(vector_store, goes_on, TIMED("vmovaps %zmm1, (%rdi)\n"),
                 2 * vector_written_from_memory + vector_stores(1) + results, checked(same));
KNC_CACHE_KERNEL(vector_store, of_some_lanes_waits, TIMED("vmovaps %zmm1, (%rdi){%k2}\n"),
                 2 * vector_written_from_memory + vector_stores(1) + results, checked(waits));
KNC_CACHE_KERNEL(vector_load, waits, TIMED("vmovaps (%rdi), %zmm1\n"),
                 2 * vector_read_from_memory + vector_loads(1) + results, checked(waits));
KNC_CACHE_KERNEL(vector_stream, goes_on, TIMED("vmovnraps %zmm1, (%rdi)\n"),
                 2 * vector_write_miss + vector_stores(1) + results, checked(same));
KNC_CACHE_KERNEL(vector_stream, weakly_goes_on, TIMED("vmovnrngoaps %zmm1, (%rdi)\n"),
                 2 * vector_write_miss + vector_stores(1) + results, checked(same));
// The right to write a line comes faster than any line from memory.
constexpr std::uint32_t fastest_right = 100;
void waits_for_right(machine& m) {
    const times t = taken(m);
    EXPECT_GT(t.miss - t.hit, fastest_right);
    EXPECT_LT(t.miss - t.hit, fastest);
}
// A locked instruction waits for both kinds. Its line is the same in each round, and known.
#define FENCE "lock incl 0x403000\n"
const counts fences = read_miss() + l2_data_write_miss_mem_fill + loads(2) + stores(3);
KNC_CACHE_KERNEL(vector_stream, fence_waits, TIMED("vmovnraps %zmm1, (%rdi)\n" FENCE),
                 2 * vector_write_miss + vector_stores(1) + fences + results,
                 checked(waits_for_right));
KNC_CACHE_KERNEL(vector_stream, fence_waits_for_weak, TIMED("vmovnrngoaps %zmm1, (%rdi)\n" FENCE),
                 2 * vector_write_miss + vector_stores(1) + fences + results,
                 checked(waits_for_right));

// ---- the order that another thread sees: thread 0 streams a line, then stores to one that thread
// 1 reads all the time. Both leave a time, of the first store and of the second seen.

#define THEN_STORE(first, stream)                    \
    STORE(0x401000)                                  \
    first AT(4000) "rdtsc\nmovl %eax, %esi\n" stream \
                   "movl %esi, 0x401004\n"           \
                   "movl $1, 0x401000\n" HALT
KNC_PROGRAM64(stream_first, THEN_STORE("", VSTREAM(0x400000)));
KNC_PROGRAM64(weak_stream_first, THEN_STORE("", VSTREAM_WEAKLY(0x400000)));
KNC_PROGRAM64(fenced_stream_first, THEN_STORE(FENCE, VSTREAM_WEAKLY(0x400000) FENCE));
// The loads of a watcher: see store_buffer.cpp.
KNC_PROGRAM64(watch, AT(2000) "movl $1, %ebx\n1: incl %ebx\ncmpl $0, 0x401000\nje 1b\n"
                              "rdtsc\nmovl %eax, 0x402000\n" WAIT LOAD(0x401004)
                              "movl %eax, 0x402004\nmovl %ebx, 0x402008\n" HALT);
const share watcher{0, 1, loads(2) + written_from_memory() + stores(2), 0x402008};
const counts stream_and_stores = written_from_memory() + vector_write_miss + stores(2);
std::uint32_t delay(machine& m) {
    return m.read(0x402000) - m.read(0x402004);
}
void in_order(machine& m) {
    EXPECT_GT(delay(m), fastest_right);
    EXPECT_LT(delay(m), slowest);
}
void at_once(machine& m) {
    EXPECT_LT(delay(m), 60u);
}
const kernel ordered("vector_stream", "in_order", {{0, 0, stream_first}, {0, 1, watch}},
                     {{0, 0, stream_and_stores}, watcher}, checked(in_order));
const kernel overtaken("vector_stream", "weakly_overtaken",
                       {{0, 0, weak_stream_first}, {0, 1, watch}},
                       {{0, 0, stream_and_stores}, watcher}, checked(at_once));
// Two locked instructions, of which the first makes the line known.
const kernel fenced(
    "vector_stream", "weakly_with_fence", {{0, 0, fenced_stream_first}, {0, 1, watch}},
    {{0, 0, stream_and_stores + read_miss() + l2_data_write_miss_mem_fill + loads(1) + stores(2)},
     watcher},
    checked(in_order));

}  // namespace
}  // namespace knc::caches
