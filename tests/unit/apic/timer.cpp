// The timer: both modes with every divider, to the clock.

#include <ostream>
#include <string>

#include "fixture.h"

namespace apic_test {

struct division {
    std::uint32_t configuration;
    std::uint32_t divider;
};

void PrintTo(const division& d, std::ostream* out) {
    *out << "divide by " << d.divider;
}

// SDM vol. 3, figure 10-10: bits 3, 1, 0; bit 2 is 0.
const division divisions[] = {{0x0, 2},  {0x1, 4},  {0x2, 8},   {0x3, 16},
                              {0x8, 32}, {0x9, 64}, {0xA, 128}, {0xB, 1}};

struct apic_timer : apic_fixture, testing::WithParamInterface<division> {
    static constexpr std::uint8_t vector = 0x31;
    void start(std::uint32_t lvt_bits, std::uint32_t count) {
        enable();
        write(reg::divide, GetParam().configuration);
        write(reg::lvt_timer, lvt_bits | vector);
        write(reg::initial_count, count);
    }
    bool requested() { return (apic.peek(reg::irr + 0x10, now) >> (vector - 32) & 1) != 0; }
};

INSTANTIATE_TEST_SUITE_P(dividers, apic_timer, testing::ValuesIn(divisions),
                         [](const auto& i) { return "by_" + std::to_string(i.param.divider); });

TEST_P(apic_timer, one_shot) {
    const cycle_t tick = GetParam().divider;
    start(0, 7);  // at clock 100
    EXPECT_EQ(read(reg::current_count), 7u);
    EXPECT_EQ(apic.next_event(), 100 + 7 * tick);
    for (cycle_t t = 100; t < 100 + 7 * tick; ++t) {
        now = t;
        // 7 in the first `tick` clocks, 6 in the next ...
        ASSERT_EQ(read(reg::current_count), 7 - (t - 100) / tick);
        ASSERT_FALSE(apic.pending());
    }
    now = 100 + 7 * tick;
    apic.advance(now);
    EXPECT_TRUE(requested());
    EXPECT_EQ(read(reg::current_count), 0u);
    EXPECT_EQ(apic.next_event(), never);
    EXPECT_EQ(acknowledge(), vector);
    now += 1000 * tick;
    apic.advance(now);
    EXPECT_FALSE(requested());
    EXPECT_EQ(read(reg::initial_count), 7u);
}

TEST_P(apic_timer, periodic) {
    const cycle_t tick = GetParam().divider;
    start(lvt::periodic, 3);
    for (unsigned period = 1; period <= 5; ++period) {
        const cycle_t due = 100 + period * 3 * tick;
        EXPECT_EQ(apic.next_event(), due);
        now = due - 1;
        apic.advance(now);
        EXPECT_FALSE(requested());
        EXPECT_EQ(read(reg::current_count), 1u);
        now = due;
        apic.advance(now);
        EXPECT_TRUE(requested());
        EXPECT_EQ(read(reg::current_count), 3u);  // reloaded in the clock it reaches zero
        EXPECT_EQ(acknowledge(), vector);
        eoi();
    }
}

using timer_rules = apic_fixture;

TEST_F(timer_rules, masked_timer_counts_but_raises_nothing) {
    enable();
    write(reg::divide, 0xB);
    write(reg::initial_count, 1000);
    EXPECT_EQ(apic.next_event(), never);
    now = 400;
    EXPECT_EQ(read(reg::current_count), 700u);  // 1000 - (400 - 100)
    now = 2000;
    EXPECT_EQ(read(reg::current_count), 0u);
    write(reg::lvt_timer, 0x31);  // what passed while masked is lost
    EXPECT_FALSE(apic.pending());
    EXPECT_EQ(apic.next_event(), never);
}

TEST_F(timer_rules, masked_periodic_timer_keeps_its_phase) {
    enable();
    write(reg::divide, 0xB);
    write(reg::lvt_timer, lvt::masked | lvt::periodic | 0x31);
    write(reg::initial_count, 1000);
    now = 5350;
    EXPECT_EQ(read(reg::current_count), 750u);  // 5250 clocks: 5 periods and 250
    write(reg::lvt_timer, lvt::periodic | 0x31);
    EXPECT_FALSE(apic.pending());
    EXPECT_EQ(apic.next_event(), 6100u);  // 100 + 6 * 1000
}

TEST_F(timer_rules, writing_zero_stops) {
    enable();
    write(reg::lvt_timer, lvt::periodic | 0x31);
    write(reg::initial_count, 10);
    write(reg::initial_count, 0);
    EXPECT_EQ(apic.next_event(), never);
    EXPECT_EQ(read(reg::current_count), 0u);
}

TEST_F(timer_rules, writing_the_initial_count_restarts) {
    enable();
    write(reg::divide, 0xB);
    write(reg::lvt_timer, 0x31);
    write(reg::initial_count, 100);
    now = 150;
    write(reg::initial_count, 100);
    EXPECT_EQ(apic.next_event(), 250u);
}

TEST_F(timer_rules, changing_the_divider_keeps_the_count) {
    enable();
    write(reg::divide, 0xB);
    write(reg::lvt_timer, 0x31);
    write(reg::initial_count, 100);
    now = 140;
    write(reg::divide, 0x1);  // 60 left, now 4 clocks each
    EXPECT_EQ(read(reg::current_count), 60u);
    EXPECT_EQ(apic.next_event(), 140u + 60 * 4);
    now = 147;
    EXPECT_EQ(read(reg::current_count), 59u);
}

TEST_F(timer_rules, mode_change_takes_effect_at_the_next_zero) {
    enable();
    write(reg::divide, 0xB);
    write(reg::lvt_timer, 0x31);
    write(reg::initial_count, 100);
    now = 150;
    write(reg::lvt_timer, lvt::periodic | 0x31);
    EXPECT_EQ(apic.next_event(), 200u);
    now = 200;
    apic.advance(now);
    EXPECT_EQ(apic.next_event(), 300u);
}

TEST_F(timer_rules, clock_ratio_comes_before_the_divider) {
    options.timer_clock_ratio = 8;
    local_apic slow(options, 5, true, wire);
    slow.write(reg::svr, 0x1FF, 0);
    slow.write(reg::divide, 0x3, 0);
    slow.write(reg::lvt_timer, 0x31, 0);
    slow.write(reg::initial_count, 10, 0);
    EXPECT_EQ(slow.next_event(), 10u * 16 * 8);
}

TEST_F(timer_rules, the_longest_count_does_not_overflow) {
    enable();
    write(reg::divide, 0xA);
    write(reg::lvt_timer, 0x31);
    write(reg::initial_count, 0xFFFFFFFF);
    EXPECT_EQ(apic.next_event(), 100 + (cycle_t{0xFFFFFFFF} << 7));
}

TEST_F(timer_rules, expiries_far_in_the_past_are_one_request) {
    enable();
    write(reg::divide, 0xB);
    write(reg::lvt_timer, lvt::periodic | 0x31);
    write(reg::initial_count, 1);
    now = cycle_t{1} << 50;
    apic.advance(now);
    EXPECT_EQ(acknowledge(), 0x31);
    eoi();
    EXPECT_FALSE(apic.interrupt_pending());
    EXPECT_EQ(apic.next_event(), now + 1);
}

TEST_F(timer_rules, software_disable_masks_it) {
    enable();
    write(reg::divide, 0xB);
    write(reg::lvt_timer, 0x31);
    write(reg::initial_count, 100);
    write(reg::svr, 0xFF);
    EXPECT_EQ(apic.next_event(), never);
    now = 150;
    EXPECT_EQ(read(reg::current_count), 50u);
}

}  // namespace apic_test
