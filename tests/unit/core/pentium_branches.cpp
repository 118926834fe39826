// Branch prediction of a Pentium with MMX.
#include <gtest/gtest.h>

#include <knc/core/pentium_branches.h>

namespace knc::core {
namespace {

using unit = pentium_branches;
using kind = unit::kind;

unit::outcome conditional(unit& u, bool taken, std::uint64_t ip = 0x1000) {
    return u.execute({kind::conditional, ip, taken, 0x2000, 0});
}
unit::outcome call(unit& u, std::uint64_t ip) {
    return u.execute({kind::call, ip, true, 0x8000, ip + 5});
}
unit::outcome ret(unit& u, std::uint64_t target, std::uint64_t ip = 0x9000) {
    return u.execute({kind::ret, ip, true, target, 0});
}

TEST(pentium_branches, without_an_entry_a_branch_is_expected_to_fall_through) {
    unit u;
    EXPECT_FALSE(conditional(u, false).wrong);
    EXPECT_FALSE(conditional(u, false).hit);
    const unit::outcome o = conditional(u, true);
    EXPECT_TRUE(o.wrong);
    EXPECT_FALSE(o.hit);
    EXPECT_FALSE(o.predicted_taken);
    EXPECT_TRUE(conditional(u, true).hit);
}

// Four outcomes tell it which one comes next.
TEST(pentium_branches, learns_a_pattern) {
    unit u;
    const bool pattern[] = {true, true, false};
    for (unsigned n = 0; n < 60; ++n) conditional(u, pattern[n % 3]);
    for (unsigned n = 60; n < 90; ++n) EXPECT_FALSE(conditional(u, pattern[n % 3]).wrong) << n;
}

TEST(pentium_branches, falls_through_against_its_entry) {
    unit u;
    conditional(u, true);
    const unit::outcome o = conditional(u, false);
    EXPECT_TRUE(o.predicted_taken);
    EXPECT_TRUE(o.wrong);
}

TEST(pentium_branches, a_jump_to_another_target_is_wrong) {
    unit u;
    EXPECT_TRUE(u.execute({kind::jump, 0x1000, true, 0x2000, 0}).wrong);
    EXPECT_FALSE(u.execute({kind::jump, 0x1000, true, 0x2000, 0}).wrong);
    EXPECT_TRUE(u.execute({kind::jump, 0x1000, true, 0x3000, 0}).wrong);
    EXPECT_FALSE(u.execute({kind::jump, 0x1000, true, 0x3000, 0}).wrong);
}

// Callers alternate: the last target would be wrong each time.
TEST(pentium_branches, returns_go_to_their_callers) {
    unit u;
    for (unsigned n = 0; n < 8; ++n) {
        const std::uint64_t from = n % 2 == 0 ? 0x1000 : 0x1100;
        call(u, from);
        const unit::outcome o = ret(u, from + 5);
        EXPECT_EQ(o.hit, n != 0);
        EXPECT_EQ(o.predicted_taken, n != 0);
        EXPECT_EQ(o.wrong, n == 0);  // nothing is known of a return that has no entry
        EXPECT_FALSE(o.stack_short);
    }
    call(u, 0x1000);
    EXPECT_TRUE(ret(u, 0x5555).wrong);  // to elsewhere
}

TEST(pentium_branches, the_return_stack_has_four_places) {
    unit u;
    call(u, 0x1000);
    ret(u, 0x1005);
    for (unsigned n = 0; n < 5; ++n) EXPECT_EQ(call(u, 0x1000 + 0x10 * n).stack_short, n == 4);
    for (unsigned n = 5; n-- > 0;) {
        const unit::outcome o = ret(u, 0x1005 + 0x10 * n);
        EXPECT_EQ(o.stack_short, n == 0);
        EXPECT_EQ(o.predicted_taken, n != 0);
        EXPECT_EQ(o.wrong, n == 0);
    }
    u.reset();
    call(u, 0x1000);
    EXPECT_FALSE(ret(u, 0x1005).hit);
}

TEST(pentium_branches, a_set_has_four_ways) {
    branch_parameters p;
    p.entries = 8;
    unit u(p);
    // Two sets; these are of one.
    for (std::uint64_t n = 0; n < 5; ++n) conditional(u, true, 0x1000 + 8 * n);
    EXPECT_FALSE(conditional(u, false, 0x1000).hit);
    for (std::uint64_t n = 1; n < 5; ++n) EXPECT_TRUE(conditional(u, true, 0x1000 + 8 * n).hit);
}

}  // namespace
}  // namespace knc::core
