#include <knc/core/branch_predictor.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace knc::core::test {
namespace {

using result = branch_outcome;

TEST(branch_predictor, knows_nothing_at_first) {
    branch_predictor b;
    EXPECT_FALSE(b.predict(0x1000).hit);
    b.resolve(0x1000, false, 0);  // only taken branches get an entry
    EXPECT_FALSE(b.predict(0x1000).hit);
}

TEST(branch_predictor, counts_from_strongly_taken_in_two_bits) {
    branch_predictor b;
    b.resolve(0x1000, true, 0x2000);  // 3
    prediction p = b.predict(0x1000);
    EXPECT_TRUE(p.hit);
    EXPECT_TRUE(p.taken);
    EXPECT_EQ(p.target, 0x2000u);
    b.resolve(0x1000, false, 0);  // 2: one exit of a loop does not change the prediction
    EXPECT_TRUE(b.predict(0x1000).taken);
    b.resolve(0x1000, false, 0);  // 1
    EXPECT_FALSE(b.predict(0x1000).taken);
    EXPECT_TRUE(b.predict(0x1000).hit);
    b.resolve(0x1000, false, 0);      // 0
    b.resolve(0x1000, false, 0);      // 0: it stays there
    b.resolve(0x1000, true, 0x3000);  // 1
    EXPECT_FALSE(b.predict(0x1000).taken);
    b.resolve(0x1000, true, 0x3000);  // 2
    EXPECT_TRUE(b.predict(0x1000).taken);
    EXPECT_EQ(b.predict(0x1000).target, 0x3000u);  // the last target
}

// 64 sets of four ways chosen by bits 7..2: addresses 256 bytes apart share a set.
TEST(branch_predictor, replaces_in_turn) {
    branch_predictor b;
    for (unsigned n = 0; n < 4; ++n) b.resolve(0x1000 + 0x100 * n, true, n);
    for (unsigned n = 0; n < 4; ++n) EXPECT_TRUE(b.predict(0x1000 + 0x100 * n).hit) << n;
    b.resolve(0x1000, true, 0);  // a use does not keep an entry
    b.resolve(0x1400, true, 4);  // drops the first
    EXPECT_FALSE(b.predict(0x1000).hit);
    EXPECT_TRUE(b.predict(0x1100).hit);
    b.resolve(0x1500, true, 5);  // and then the second
    EXPECT_FALSE(b.predict(0x1100).hit);
    EXPECT_TRUE(b.predict(0x1200).hit);
    b.resolve(0x1604, true, 6);  // the next set
    EXPECT_TRUE(b.predict(0x1200).hit);
    EXPECT_FALSE(b.predict(0x1205).hit);  // the whole address counts
}

TEST(branch_predictor, reset_forgets_everything) {
    branch_predictor b;
    b.resolve(0x1000, true, 1);
    b.resolve(0x1100, true, 1);
    b.reset();
    EXPECT_FALSE(b.predict(0x1000).hit);
    // Replacement starts at way 0 again: five branches of one set, the first of them is dropped.
    for (unsigned n = 0; n < 5; ++n) b.resolve(0x1000 + 0x100 * n, true, n);
    EXPECT_FALSE(b.predict(0x1000).hit);
    for (unsigned n = 1; n < 5; ++n) EXPECT_TRUE(b.predict(0x1000 + 0x100 * n).hit) << n;
}

TEST(branch_outcome, of_each_case) {
    const prediction none, taken{true, true, 0x2000}, not_taken{true, false, 0x2000};
    EXPECT_EQ(judge(none, false, 0, true), result::correct);
    EXPECT_EQ(judge(none, true, 0x2000, true), result::btb_miss_taken);
    EXPECT_EQ(judge(none, true, 0x2000, false), result::btb_miss_taken);
    EXPECT_EQ(judge(taken, true, 0x2000, true), result::correct);
    EXPECT_EQ(judge(taken, true, 0x2004, true), result::mispredicted);  // a return elsewhere
    EXPECT_EQ(judge(taken, false, 0, true), result::mispredicted);
    EXPECT_EQ(judge(not_taken, false, 0, true), result::correct);
    EXPECT_EQ(judge(not_taken, true, 0x2000, true), result::mispredicted);
    EXPECT_EQ(judge(not_taken, true, 0x2000, false), result::correct);  // a jump needs no direction
    EXPECT_EQ(judge(not_taken, true, 0x2004, false), result::mispredicted);
}

TEST(branch_outcome, clocks) {
    const branch_parameters p;
    for (const bool conditional : {false, true})
        EXPECT_EQ(refill_cycles(p, result::correct, conditional, true), 0u);
    for (const result r : {result::btb_miss_taken, result::mispredicted}) {
        EXPECT_EQ(refill_cycles(p, r, false, false), 2u);  // 3 in all
        EXPECT_EQ(refill_cycles(p, r, false, true), 2u);
        EXPECT_EQ(refill_cycles(p, r, true, false), 3u);  // 4 in all
        EXPECT_EQ(refill_cycles(p, r, true, true), 4u);   // 5 in all
    }
}

// The same buffer as a queue per set.
class reference {
  public:
    reference(unsigned sets, unsigned ways, unsigned shift)
        : sets_(sets), ways_(ways), shift_(shift) {}
    prediction predict(std::uint64_t ip) {
        for (const branch& b : set(ip))
            if (b.ip == ip) return {true, b.counter > 1, b.target};
        return {};
    }
    void resolve(std::uint64_t ip, bool taken, std::uint64_t target) {
        for (branch& b : set(ip)) {
            if (b.ip != ip) continue;
            b.counter = taken ? std::min(b.counter + 1, 3) : std::max(b.counter - 1, 0);
            if (taken) b.target = target;
            return;
        }
        if (!taken) return;
        set(ip).push_back({ip, target, 3});
        if (set(ip).size() > ways_) set(ip).pop_front();
    }

  private:
    struct branch {
        std::uint64_t ip, target;
        int counter;
    };
    std::list<branch>& set(std::uint64_t ip) { return all_[(ip >> shift_) % sets_]; }
    unsigned sets_, ways_, shift_;
    std::map<std::uint64_t, std::list<branch>> all_;
};

TEST(branch_predictor, agrees_with_a_queue_per_set) {
    std::mt19937 random(4711);
    branch_parameters small;
    small.entries = 16;
    small.ways = 2;
    small.set_shift = 1;
    branch_predictor b(small);
    reference r(8, 2, 1);
    unsigned hits = 0, misses = 0;
    for (unsigned n = 0; n < 100'000; ++n) {
        // 40 branches on 16 entries, each with its own habit and two targets.
        const std::uint64_t ip = 0x40'0000 + 3 * (random() % 40);
        const bool taken = random() % 7 < ip % 8;
        const std::uint64_t target = 0x50'0000 + random() % 2;
        const prediction is = b.predict(ip), should = r.predict(ip);
        ASSERT_EQ(is.hit, should.hit) << n;
        ASSERT_EQ(is.taken, should.taken) << n;
        ASSERT_EQ(is.target, should.target) << n;
        ++(is.hit ? hits : misses);
        b.resolve(ip, taken, target);
        r.resolve(ip, taken, target);
    }
    EXPECT_GT(hits, 10'000u);
    EXPECT_GT(misses, 10'000u);
}

}  // namespace
}  // namespace knc::core::test
