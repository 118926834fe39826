// The ring asks for no memory once it has carried as many messages at once as it ever will.
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include <knc/coherence/transaction_pool.h>
#include <knc/ring/carrier.h>

#include <support/host_threads_in_turn.h>

#include "numbered_ring.h"
#include "sending.h"

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

struct no_receivers final : ring::carrier::receivers {
    void deliver(unsigned, coherence::receiver_kind, tlm::tlm_generic_payload&, coherence::packet&,
                 base::cycle_t) override {}
};

// Messages go to and fro between the groups by themselves and the first thread. Each time, another
// one has the entries that become free.
TEST(allocation, none_where_groups_run_apart_now_and_then) {
    constexpr unsigned tiles = 24;
    no_receivers nobody;
    ring::carrier carrier({}, tiles, 0, nobody);
    coherence::transaction_pool pool;
    knc::test::host_threads_in_turn threads(3);
    const auto round = [&] {
        const base::cycle_t start = carrier.now();
        for (unsigned n = 0; n < 500; ++n) {
            constexpr coherence::message_kind kinds[] = {coherence::message_kind::get_s,
                                                         coherence::message_kind::grant,
                                                         coherence::message_kind::data_s};
            const auto from = static_cast<coherence::node_t>(n % tiles);
            const auto to = static_cast<coherence::node_t>(n * 7 % tiles);
            ring_test::send(carrier, pool, ring_test::message_of(kinds[n % 3], from, to),
                            start + n / 10);
        }
        for (base::cycle_t t = start; t < start + 240; t += 8) {
            if (t / 8 % 5 == 0) carrier.run(t);
            carrier.begin_parts(t + 8, t + 8, threads, 20);
            for (std::size_t n = 0; n < threads.count(); ++n) carrier.run_parts(n);
            carrier.end_parts();
        }
        ASSERT_EQ(carrier.size(), 0u);
    };
    for (unsigned n = 0; n < 40; ++n) round();
    EXPECT_GT(threads.runs, 40u * 10);
    const unsigned long before = allocations;
    for (unsigned n = 0; n < 40; ++n) round();
    EXPECT_EQ(allocations, before);
}

}  // namespace
