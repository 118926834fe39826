// The ring asks for no memory once it has carried as many messages at once as it ever will.
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>
#include "numbered_ring.h"

namespace {

unsigned long allocations = 0;

}  // namespace

// The compiler takes what is inlined of these for a mismatch of new and free().
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* p = std::malloc(bytes)) return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}

namespace {

using namespace knc;

// The same 70 * 70 messages, more than the rings can carry without waits, in every round.
unsigned round(ring_test::numbered_ring& r) {
    constexpr ring::channel kinds[] = {ring::channel::data, ring::channel::address,
                                       ring::channel::acknowledge};
    const base::cycle_t start = r.now();
    for (unsigned from = 0; from < 70; ++from)
        for (unsigned to = 0; to < 70; ++to)
            r.offer(kinds[(from + to) % 3], from, to, 0, start + to % 7);
    unsigned arrived = 0;
    // A multiple of the ring's 70 slots, so that each round meets the same ones.
    r.run(start + 70 * 10 - 1, [&](const ring_test::delivery&) { ++arrived; });
    return arrived;
}

TEST(allocation, none_in_steady_state) {
    ring_test::numbered_ring r({}, 70);
    EXPECT_EQ(round(r), 70u * 70);
    const unsigned long before = allocations;
    EXPECT_GT(before, 0u);  // this operator new is the one that counts
    unsigned arrived = 0;
    for (unsigned n = 0; n < 20; ++n) arrived += round(r);
    EXPECT_EQ(allocations, before);
    EXPECT_EQ(arrived, 20u * 70 * 70);
}

}  // namespace
