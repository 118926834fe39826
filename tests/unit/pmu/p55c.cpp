// The registers of a Pentium with MMX, driven clock by clock: what CESR selects, wrap, pins.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <knc/pmu/p55c_events.h>
#include <knc/pmu/p55c_front_end.h>

#include "fixture.h"

namespace pmu_test {
namespace {

constexpr std::uint32_t tsc = 0x10, cesr = 0x11, ctr = 0x12;
constexpr std::uint64_t top = (std::uint64_t{1} << 40) - 1;
enum : std::uint64_t { system_levels = 1, user_level = 2, any_level = 3, clocks = 4 };

constexpr std::uint64_t field(std::uint64_t event, std::uint64_t cc, bool pin = false) {
    return event | cc << 6 | std::uint64_t{pin} << 9;
}

pmu::parameters p55c_parameters() {
    pmu::parameters p;
    p.front_end = pmu::front_end_kind::p55c;
    return p;
}

struct listener final : pmu::pmi_listener_if {
    void overflowed(std::size_t, cycle_t) override { ADD_FAILURE() << "there is no PMI"; }
    void model_error(const std::string& text) override { ADD_FAILURE() << text; }
    void pin_changes(std::size_t n, bool rises, cycle_t from) override {
        if (rises) risen.emplace_back(n, from);
    }
    std::vector<std::pair<std::size_t, cycle_t>> risen;
};

struct p55c_bench {
    explicit p55c_bench(const pmu::parameters& p = p55c_parameters()) : registers(p) {
        registers.connect(counters, heard);
    }
    base::ledger ledger;
    listener heard;
    pmu::p55c_front_end registers;
    pmu::counter_bank counters{ledger, pmu::bounds_of_table(), registers.counters(), registers,
                               false};

    void tick(cycle_t n = 1) { counters.settle(counters.settled() + n); }
    void raise(base::event e, std::uint64_t n = 1) {
        ledger.raise(0, e, n);
        tick();
    }
    bool write(std::uint32_t address, std::uint64_t value) {
        return registers.write(0, address, value);
    }
    std::uint64_t read(std::uint32_t address) {
        std::uint64_t v = ~std::uint64_t{0};
        EXPECT_TRUE(registers.read(0, address, v)) << std::hex << address;
        return v;
    }
    std::uint64_t counted(unsigned n = 0) { return read(ctr + n); }
    // Levels of pin `n` in the clocks [0, until).
    std::string levels(std::size_t n, cycle_t until) const {
        std::string s;
        for (cycle_t c = 0; c < until; ++c) s += registers.pin(n, c) ? '1' : '0';
        return s;
    }
};

constexpr std::uint64_t instructions = 0x16, reads = 0x00, freeze = 0x32, unhalted = 0x30,
                        agi = 0x1f;

TEST(p55c_registers, access) {
    p55c_bench b;
    EXPECT_EQ(b.read(cesr), 0u);
    EXPECT_EQ(b.read(ctr), 0u);
    for (unsigned bit = 0; bit < 64; ++bit) {
        const bool exists = bit < 10 || (bit >= 16 && bit < 26);
        EXPECT_EQ(b.write(cesr, std::uint64_t{1} << bit), exists) << bit;
        if (!exists) continue;
        EXPECT_EQ(b.read(cesr), std::uint64_t{1} << bit);
    }
    EXPECT_TRUE(b.write(cesr, 0));
    EXPECT_TRUE(b.write(ctr, ~std::uint64_t{0}));
    EXPECT_EQ(b.read(ctr), top);
    EXPECT_TRUE(b.write(ctr + 1, 0xff'1234'5678'9abc));
    EXPECT_EQ(b.read(ctr + 1), 0x34'5678'9abcu);
    std::uint64_t v = 0;
    EXPECT_TRUE(b.registers.rdpmc(0, 1, v));
    EXPECT_EQ(v, 0x34'5678'9abcu);
    EXPECT_FALSE(b.registers.rdpmc(0, 2, v));
    EXPECT_FALSE(b.registers.rdpmc(0, 0x4000'0000, v));
    for (const std::uint32_t none : {0x14u, 0x20u, 0xc1u, 0x186u, 0x38fu})
        EXPECT_FALSE(b.registers.read(0, none, v)) << none;
}

TEST(p55c_registers, reserved_bits_may_be_dropped) {
    pmu::parameters p = p55c_parameters();
    p.reserved_bits = pmu::reserved_bits::ignore;
    p55c_bench b(p);
    EXPECT_TRUE(b.write(cesr, ~std::uint64_t{0}));
    EXPECT_EQ(b.read(cesr), 0x03ff'03ffu);
}

TEST(p55c_registers, reset) {
    p55c_bench b;
    b.write(cesr, field(instructions, any_level));
    b.raise(base::instructions_executed, 2);
    b.registers.reset();
    EXPECT_EQ(b.read(cesr), 0u);
    EXPECT_EQ(b.counted(), 0u);
    EXPECT_EQ(b.read(tsc), 0u);
    b.raise(base::instructions_executed, 2);
    EXPECT_EQ(b.counted(), 0u);
}

TEST(p55c_control, privilege) {
    for (const std::uint64_t cc : {0ul, 1ul, 2ul, 3ul}) {
        p55c_bench b;
        b.write(cesr, field(instructions, cc));
        b.ledger.at[0] = base::supervisor;
        b.raise(base::instructions_executed, 2);
        b.ledger.at[0] = base::user;
        b.raise(base::instructions_executed, 1);
        EXPECT_EQ(b.counted(), ((cc & 1) != 0 ? 2u : 0u) + ((cc & 2) != 0 ? 1u : 0u)) << cc;
    }
}

TEST(p55c_control, clocks_of_an_occurrence) {
    p55c_bench b;
    b.write(cesr, field(instructions, any_level | clocks) | field(instructions, any_level) << 16);
    b.raise(base::instructions_executed, 2);
    b.tick();
    b.raise(base::instructions_executed, 1);
    EXPECT_EQ(b.counted(0), 2u);
    EXPECT_EQ(b.counted(1), 3u);
    b.write(cesr, field(instructions, clocks));  // of no level
    b.raise(base::instructions_executed, 2);
    EXPECT_EQ(b.counted(0), 2u);
}

TEST(p55c_control, a_condition_counts_its_starts_or_its_clocks) {
    p55c_bench b;
    b.write(cesr, field(freeze, any_level));
    for (unsigned n = 0; n < 3; ++n) b.raise(base::p55c_x87_freeze);
    b.tick();
    b.raise(base::p55c_x87_freeze);
    EXPECT_EQ(b.counted(), 2u);
    b.write(cesr, field(freeze, any_level | clocks));
    for (unsigned n = 0; n < 3; ++n) b.raise(base::p55c_x87_freeze);
    EXPECT_EQ(b.counted(), 2u + 3u);

    pmu::parameters p = p55c_parameters();
    p.p55c.duration_needs_clock_code = false;
    p55c_bench plain(p);
    plain.write(cesr, field(freeze, any_level));
    for (unsigned n = 0; n < 3; ++n) plain.raise(base::p55c_x87_freeze);
    EXPECT_EQ(plain.counted(), 3u);
}

// Two stalls of one clock add 2, also under a clock code.
TEST(p55c_control, address_generation) {
    p55c_bench b;
    b.write(cesr, field(agi, any_level | clocks) | field(agi, any_level) << 16);
    b.raise(base::pipeline_agi_stalls, 2);
    b.tick();
    b.raise(base::pipeline_agi_stalls, 1);
    EXPECT_EQ(b.counted(0), 3u);
    EXPECT_EQ(b.counted(1), 2u);
}

// The processor that writes CESR is not halted, so it does not leave HLT then.
TEST(p55c_control, halts_that_were_left) {
    p55c_bench b;
    b.write(cesr, field(unhalted, any_level));
    b.raise(base::unhalted_core_cycles);
    b.raise(base::unhalted_core_cycles);
    EXPECT_EQ(b.counted(), 0u);
    b.tick(100);
    b.raise(base::unhalted_core_cycles);
    EXPECT_EQ(b.counted(), 1u);
    b.tick();
    b.raise(base::unhalted_core_cycles);
    EXPECT_EQ(b.counted(), 2u);
}

TEST(p55c_control, events_on_the_counter_that_has_them) {
    for (const pmu::p55c_event& e : pmu::p55c_events())
        for (unsigned n = 0; n < 2; ++n) {
            const bool manual = (e.counters & pmu::of_manual) != 0;
            const bool has = !manual && (e.counters >> n & 1) != 0;
            const pmu::p55c_event* const found = pmu::find_p55c_event(e.code, n, false);
            if (!has && found == nullptr) continue;
            ASSERT_NE(found, nullptr) << e.name;
            if (!has) {
                EXPECT_NE(found->name, e.name) << e.name;
                continue;
            }
            p55c_bench b;
            const bool duration = e.kind == pmu::event_kind::duration;
            b.write(cesr, field(e.code, any_level | (duration ? std::uint64_t{clocks} : 0))
                              << 16 * n);
            b.raise(e.cell);
            EXPECT_EQ(b.counted(n), 1u) << e.name;
            EXPECT_EQ(b.counted(1 - n), 0u) << e.name;
        }
}

TEST(p55c_control, events_of_the_manual) {
    for (const bool manual : {false, true}) {
        pmu::parameters q = p55c_parameters();
        q.p55c.manual_events = manual;
        p55c_bench b(q);
        b.write(cesr, field(0x1c, any_level) | field(0x1c, any_level) << 16);
        b.raise(base::p55c_locked);
        EXPECT_EQ(b.counted(0), manual ? 1u : 0u);
        EXPECT_EQ(b.counted(1), manual ? 1u : 0u);
    }
    EXPECT_EQ(pmu::find_p55c_event(0x2e, 0, true)->cell, base::p55c_bus);
    EXPECT_EQ(pmu::find_p55c_event(0x2e, 1, true)->cell, base::p55c_uncached_writes);
    EXPECT_EQ(pmu::find_p55c_event(0x30, 0, true)->cell, base::unhalted_core_cycles);
    EXPECT_EQ(pmu::find_p55c_event(0x30, 1, true)->cell, base::p55c_walk);
}

TEST(p55c_control, codes_of_no_event) {
    for (const unsigned code : {0x10u, 0x11u, 0x1cu, 0x20u, 0x21u, 0x2au, 0x2cu, 0x3cu, 0x3fu})
        for (unsigned n = 0; n < 2; ++n)
            EXPECT_EQ(pmu::find_p55c_event(code, n, false), nullptr) << code;
    EXPECT_EQ(pmu::find_p55c_event(0x2d, 0, false)->cell, base::p55c_emms);
    EXPECT_EQ(pmu::find_p55c_event(0x2d, 1, false)->cell, base::p55c_transitions);
    EXPECT_EQ(pmu::find_p55c_event(0x30, 1, false), nullptr);
}

TEST(p55c_control, the_other_counter_goes_on) {
    p55c_bench b;
    b.write(cesr, field(instructions, any_level) | field(reads, any_level) << 16);
    b.raise(base::instructions_executed, 2);
    b.write(cesr, field(instructions, any_level));
    b.raise(base::data_read);
    b.raise(base::instructions_executed);
    EXPECT_EQ(b.counted(0), 3u);
    EXPECT_EQ(b.counted(1), 0u);
    b.write(cesr, field(reads, any_level));  // keeps the count
    b.raise(base::data_read);
    EXPECT_EQ(b.counted(0), 4u);
}

TEST(p55c_control, wraps) {
    p55c_bench b;
    b.write(ctr, top - 1);
    b.write(cesr, field(instructions, any_level));
    b.raise(base::instructions_executed, 2);
    b.raise(base::instructions_executed, 1);
    EXPECT_EQ(b.counted(), 1u);
    EXPECT_EQ(b.registers.overflows(0, 0), 1u);
    EXPECT_EQ(b.heard.risen.size(), 0u);  // nobody looks at the pins
}

TEST(p55c_tsc, stops_in_sleep) {
    p55c_bench b;
    b.tick(100);
    b.registers.sleeps(true, 100);
    b.tick(50);
    EXPECT_EQ(b.read(tsc), 100u);
    b.registers.sleeps(false, 150);
    b.tick(10);
    EXPECT_EQ(b.read(tsc), 110u);
    b.write(tsc, 7);
    b.tick(3);
    EXPECT_EQ(b.read(tsc), 10u);
    // A wake in the clock of the HLT itself.
    b.registers.sleeps(true, 164);
    b.registers.sleeps(false, 163);
    b.tick(7);
    EXPECT_EQ(b.read(tsc), 17u);
}

TEST(p55c_tsc, runs_in_sleep) {
    pmu::parameters p = p55c_parameters();
    p.p55c.tsc_in_hlt = pmu::tsc_in_hlt::runs;
    p55c_bench b(p);
    b.registers.sleeps(true, 0);
    b.tick(50);
    EXPECT_EQ(b.read(tsc), 50u);
}

TEST(p55c_pins, increments) {
    p55c_bench b;
    b.registers.observe_pins();
    b.write(cesr, field(instructions, any_level));
    EXPECT_EQ(b.counters.deadline(), 1u);
    b.raise(base::instructions_executed, 2);  // clock 0: one pulse, although 2 are added
    b.tick();                                 // 1
    b.raise(base::instructions_executed, 1);  // 2
    b.raise(base::instructions_executed, 1);  // 3
    b.tick(5);
    EXPECT_EQ(b.levels(0, 12), "000001011000");
    EXPECT_EQ(b.levels(1, 12), "000000000000");
    using risen = std::vector<std::pair<std::size_t, cycle_t>>;
    EXPECT_EQ(b.heard.risen, (risen{{0, 5}, {0, 7}}));
    EXPECT_EQ(b.registers.next_pin_change(0, 0), 5u);
    EXPECT_EQ(b.registers.next_pin_change(0, 5), 6u);
    EXPECT_EQ(b.registers.next_pin_change(0, 7), 9u);
    EXPECT_EQ(b.registers.next_pin_change(0, 9), base::never);
}

TEST(p55c_pins, a_condition_is_shown_as_long_as_it_holds) {
    pmu::parameters p = p55c_parameters();
    p.p55c.pm_pin_delay = 2;
    p55c_bench b(p);
    b.registers.observe_pins();
    b.write(cesr, field(unhalted, any_level | clocks));
    b.ledger.raise(0, base::unhalted_core_cycles, 4);
    b.tick(4);
    b.tick(2);
    EXPECT_EQ(b.levels(0, 10), "0011110000");
    // Its starts: a clock each.
    b.write(cesr, field(freeze, any_level));
    b.ledger.raise(0, base::p55c_x87_freeze, 3);
    b.tick(3);
    EXPECT_EQ(b.levels(0, 12), "001111001000");
}

TEST(p55c_pins, overflows_last_a_bus_clock) {
    pmu::parameters p = p55c_parameters();
    p.p55c.bus_ratio = 4;
    p55c_bench b(p);
    b.registers.observe_pins();
    b.write(ctr + 1, top);
    b.write(cesr, field(instructions, any_level, true) << 16);
    b.tick();
    b.raise(base::instructions_executed, 1);  // clock 1 overflows: clock 6, the bus clock from 8 on
    b.write(ctr + 1, top);
    b.raise(base::instructions_executed, 1);  // in the same bus clock
    b.tick(10);
    EXPECT_EQ(b.levels(1, 16), "0000000011110000");
    EXPECT_EQ(b.heard.risen.size(), 1u);
}

// A write of CESR takes effect when it completes: its own clock is shown as CESR said before.
TEST(p55c_pins, show_the_clock_of_a_write_as_before_it) {
    p55c_bench b;
    b.registers.observe_pins();
    b.write(cesr, field(instructions, any_level, true));
    b.raise(base::instructions_executed, 3);
    b.raise(base::instructions_executed, 3);
    b.write(cesr, 0);  // the increments so far are none that the pin shows
    b.tick(10);
    EXPECT_EQ(b.levels(0, 20), std::string(20, '0'));
    // An overflow of the write itself, in clock 12: the bus clock from 18 on.
    b.write(ctr, top);
    b.write(cesr, field(instructions, any_level, true));
    b.ledger.raise(0, base::instructions_executed, 1);
    b.write(cesr, 0);
    b.tick(10);
    EXPECT_EQ(b.levels(0, 24), "000000000000000000110000");
    // And an increment, in clock 22.
    b.write(cesr, field(instructions, any_level));
    b.ledger.raise(0, base::instructions_executed, 1);
    b.write(cesr, field(reads, any_level, true));
    b.tick(10);
    EXPECT_EQ(b.levels(0, 32).substr(22), "0000010000");
}

TEST(p55c_pins, show_what_comes_after_the_first_look) {
    p55c_bench b;
    b.write(cesr, field(instructions, any_level));
    b.raise(base::instructions_executed, 3);
    b.registers.observe_pins();
    b.tick(10);
    EXPECT_TRUE(b.heard.risen.empty());
}

// Clock by clock or at once, the same.
TEST(p55c_pins, a_pin_does_not_depend_on_how_clocks_are_settled) {
    p55c_bench one, all;
    for (p55c_bench* const b : {&one, &all}) {
        b->registers.observe_pins();
        b->write(cesr, field(freeze, any_level | clocks));
    }
    one.ledger.raise(0, base::p55c_x87_freeze, 6);
    one.tick(6);
    one.tick(4);
    for (unsigned n = 0; n < 6; ++n) all.raise(base::p55c_x87_freeze);
    for (unsigned n = 0; n < 4; ++n) all.tick();
    EXPECT_EQ(one.levels(0, 20), all.levels(0, 20));
    EXPECT_EQ(one.heard.risen, all.heard.risen);
}

TEST(p55c_pins, cost_nothing_when_nobody_looks) {
    p55c_bench b;
    b.write(cesr, field(instructions, any_level));
    EXPECT_FALSE(b.counters.per_cycle());
    EXPECT_GT(b.counters.deadline(), 1000u);
}

}  // namespace
}  // namespace pmu_test
