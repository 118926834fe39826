// Cache kernels that time an access: one that hits and one that misses.
#ifndef KNC_TESTS_CACHES_TIMED_H
#define KNC_TESTS_CACHES_TIMED_H

#include "harness.h"

namespace knc::caches {

// Runs `body` three times; EDI is 0x400000 the first two times, so that the line is there the
// second time, and 0x408000 the third. The clocks of each go to 0x402000 and on.
#define KNC_TIMED(body)                                                                           \
    "movl $0x400000, %edi\nmovl $0x402000, %ebp\nmovl $3, %ebx\n1: rdtsc\nmovl %eax, %esi\n" body \
    "rdtsc\nsubl %esi, %eax\nmovl %eax, (%rbp)\naddl $4, %ebp\n" WAIT                             \
    "cmpl $2, %ebx\njne 2f\naddl $0x8000, %edi\n2: decl %ebx\njnz 1b\n" HALT
struct times {
    std::uint32_t hit, miss;
};
inline times taken(machine& m) {
    return {m.read(0x402004), m.read(0x402008)};
}
// Three to one line.
const counts results = written_from_memory() + stores(2);
// No miss is served faster, none takes longer.
inline constexpr std::uint32_t fastest = 200, slowest = 600;

// The access that misses is as fast as the one that hits, or waits for its line.
inline void same(machine& m) {
    const times t = taken(m);
    EXPECT_EQ(t.miss, t.hit);
    EXPECT_LT(t.hit, 60u);
}
inline void waits(machine& m) {
    const times t = taken(m);
    EXPECT_GT(t.miss - t.hit, fastest);
    EXPECT_LT(t.miss - t.hit, slowest);
}

}  // namespace knc::caches

#endif
