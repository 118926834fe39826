// Replay of uncached accesses.
#include <knc/core/device_accesses.h>

#include <gtest/gtest.h>

namespace knc::core::test {
namespace {

device_request access(std::uint64_t address) {
    device_request r;
    r.address = address;
    return r;
}

// An instruction of two reads: each answer lets it come one access further.
TEST(device_accesses, answered_ones_are_replayed_in_order) {
    device_accesses d;
    EXPECT_EQ(d.replay(), nullptr);
    device_request first = access(0x10), second = access(0x20);
    d.post(first);
    EXPECT_TRUE(d.waiting());
    EXPECT_FALSE(d.has_answers());
    d.restart();
    EXPECT_TRUE(d.answer(first.ticket, {1}));
    EXPECT_FALSE(d.waiting());
    const device_request* r = d.replay();
    ASSERT_NE(r, nullptr);
    EXPECT_EQ(r->address, 0x10u);
    EXPECT_EQ(r->data[0], 1u);
    EXPECT_EQ(d.replay(), nullptr);
    d.post(second);
    EXPECT_NE(second.ticket, first.ticket);
    d.restart();
    EXPECT_TRUE(d.answer(second.ticket, {2}));
    EXPECT_EQ(d.replay()->data[0], 1u);
    EXPECT_EQ(d.replay()->data[0], 2u);
    EXPECT_EQ(d.replay(), nullptr);
    d.forget();
    EXPECT_FALSE(d.has_answers());
}

TEST(device_accesses, an_answer_behind_INIT_is_nobodys) {
    device_accesses d;
    device_request before = access(0x10), after = access(0x10);
    d.post(before);
    d.forget();
    EXPECT_FALSE(d.answer(before.ticket, {1}));
    d.post(after);
    EXPECT_FALSE(d.answer(before.ticket, {1}));
    EXPECT_TRUE(d.waiting());
    EXPECT_TRUE(d.answer(after.ticket, {2}));
}

// The ticket after the last is the first again; 0 is none.
TEST(device_accesses, tickets_go_round) {
    device_accesses d;
    device_request r = access(0);
    for (std::uint32_t n = 1; n <= most_tickets; ++n) {
        d.post(r);
        ASSERT_EQ(r.ticket, n);
        d.forget();
    }
    d.post(r);
    EXPECT_EQ(r.ticket, 1u);
}

// What the local APIC answers at once is not replayed within the same attempt.
TEST(device_accesses, one_made_at_once_is_replayed_in_the_next_attempt_only) {
    device_accesses d;
    d.made(access(0x30));
    EXPECT_EQ(d.replay(), nullptr);
    d.restart();
    ASSERT_NE(d.replay(), nullptr);
    EXPECT_EQ(d.replay(), nullptr);
}

}  // namespace
}  // namespace knc::core::test
