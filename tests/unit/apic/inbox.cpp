// Messages that take effect at a later clock, alone and together with the timer; the waveform
// values.

#include <iterator>
#include <string>

#include <knc/apic/inbox.h>
#include <knc/apic/probe.h>

#include "fixture.h"

namespace apic_test {

interrupt_message from(std::uint16_t source, std::uint8_t vector) {
    interrupt_message m = fixed(vector);
    m.source_id = source;
    return m;
}

TEST(inbox, order_by_clock_then_sender_then_as_sent) {
    inbox box;
    EXPECT_EQ(box.next(), never);
    box.push(from(2, 0x40), 20);
    box.push(from(7, 0x41), 10);
    box.push(from(3, 0x42), 10);
    box.push(from(7, 0x43), 10);
    box.push(from(interrupt_message::external, 0x44), 10);
    EXPECT_EQ(box.next(), 10u);
    for (int v : {0x42, 0x41, 0x43, 0x44}) EXPECT_EQ(box.pop().vector, v);
    EXPECT_EQ(box.next(), 20u);
    EXPECT_EQ(box.pop().vector, 0x40);
    EXPECT_EQ(box.next(), never);
}

struct posted : apic_fixture {
    posted() { enable(); }
};

TEST_F(posted, takes_effect_at_its_clock) {
    apic.post(fixed(0x41), 250);
    EXPECT_EQ(apic.next_event(), 250u);
    EXPECT_FALSE(apic.pending());
    apic.advance(249);
    EXPECT_FALSE(apic.pending());
    apic.advance(250);
    EXPECT_TRUE(apic.pending());
    EXPECT_EQ(apic.next_event(), never);
}

TEST_F(posted, every_call_first_catches_up) {
    apic.post(fixed(0x41), 250);
    now = 250;
    EXPECT_EQ(read(reg::irr + 0x20), 2u);
    apic.post(fixed(0x51), 260);
    now = 300;
    EXPECT_EQ(acknowledge(), 0x51);
}

TEST_F(posted, software_state_at_the_clock_of_effect_counts) {
    apic.post(fixed(0x41), 250);
    apic.post(fixed(0x42), 350);
    now = 300;
    write(reg::svr, 0xFF);  // after the first, before the second
    now = 400;
    apic.advance(now);
    EXPECT_EQ(read(reg::irr + 0x20), 2u);
}

TEST_F(posted, interleaves_with_the_timer) {
    write(reg::divide, 0xB);
    write(reg::lvt_timer, lvt::periodic | 0x31);
    write(reg::initial_count, 100);  // zero at 200, 300, 400 ...
    apic.post(of_mode(delivery_mode::nmi), 250);
    EXPECT_EQ(apic.next_event(), 200u);
    apic.advance(200);
    EXPECT_EQ(apic.next_event(), 250u);
    apic.advance(250);
    EXPECT_TRUE(apic.take_nmi());
    EXPECT_EQ(apic.next_event(), 300u);
}

// The trigger mode of a vector is that of its latest acceptance, which makes the order visible.
TEST_F(posted, timer_and_messages_keep_their_order) {
    write(reg::divide, 0xB);
    write(reg::lvt_timer, lvt::periodic | 0x31);
    write(reg::initial_count, 100);  // edge-triggered, at 200, 300, 400 ...
    const auto level_at_31 = [this] { return read(reg::tmr + 0x10) == 1u << 17; };
    interrupt_message level = fixed(0x31);
    level.level_triggered = true;
    apic.post(level, 250);
    now = 260;
    EXPECT_TRUE(level_at_31());
    apic.post(level, 350);
    now = 450;
    EXPECT_FALSE(level_at_31());
    apic.post(level, 500);
    now = 500;
    EXPECT_TRUE(level_at_31());  // in one clock the timer comes first
}

// The same calls with steps of 1 clock and with one long step leave the same state.
TEST_F(posted, result_does_not_depend_on_the_step) {
    recording_bus wires[2];
    local_apic fine(options, 5, true, wires[0]), coarse(options, 5, true, wires[1]);
    for (local_apic* u : {&fine, &coarse}) {
        u->write(reg::svr, 0x1FF, 0);
        u->write(reg::divide, 0xB, 0);
        u->write(reg::lvt_timer, lvt::periodic | 0x31, 0);
        u->write(reg::initial_count, 37, 0);
    }
    // The same messages, put in in opposite orders.
    const std::vector<interrupt_message> mail = {from(1, 0x61), from(2, 0x62), from(3, 0x0A)};
    for (const interrupt_message& m : mail) fine.post(m, 90);
    for (auto m = mail.rbegin(); m != mail.rend(); ++m) coarse.post(*m, 90);
    for (cycle_t t = 0; t <= 500; ++t) fine.advance(t);
    coarse.advance(500);
    for (std::uint32_t o = 0; o < 0x400; o += 0x10)
        EXPECT_EQ(fine.peek(o, 500), coarse.peek(o, 500)) << std::hex << o;
    EXPECT_EQ(fine.next_event(), coarse.next_event());
    EXPECT_EQ(fine.next_event(), 518u);  // 14 * 37
}

TEST_F(posted, probe_shows_the_state) {
    probe p;
    write(reg::lvt_pmc, 0xFE);
    receive(0x41);
    receive(0xC2);
    acknowledge();
    write(reg::initial_count, 50);
    p.sample(apic, now + 20);
    EXPECT_EQ(p.irr[1], 2u);  // 41h: bit 1 of vectors 40h-7Fh
    EXPECT_EQ(p.isr[3], 4u);  // C2h: bit 2 of vectors C0h-FFh
    EXPECT_EQ(p.irr_highest, 0x41u);
    EXPECT_EQ(p.isr_highest, 0xC2u);
    EXPECT_EQ(p.ppr, 0xC0u);
    EXPECT_EQ(p.lvt[2], 0xFEu);
    EXPECT_EQ(p.lvt_masked, 0x3Bu);  // all but entry 2
    EXPECT_EQ(p.timer_count, 40u);   // 20 clocks at divide by 2
    EXPECT_EQ(p.pending, 0u);
    EXPECT_EQ(p.svr, 0x1FFu);
    EXPECT_EQ(p.tpr, 0u);
    // An interrupt that may come: its class 5 is above that of the TPR, which is the PPR now.
    write(reg::eoi, 0);
    write(reg::tpr, 0x4A);
    receive(0x52);
    p.sample(apic, now);
    EXPECT_EQ(p.tpr, 0x4Au);
    EXPECT_EQ(p.ppr, 0x4Au);
    EXPECT_EQ(p.interrupt, 1u);
    EXPECT_EQ(p.pending, 1u);
}

TEST_F(posted, probe_names_every_signal) {
    const probe p;
    // As wide as what the register can hold: vectors have 8 bits, the LVT 18, the SVR 9.
    const struct {
        const char* name;
        unsigned width;
        const std::uint64_t* value;
    } expected[] = {
        {"irr0", 64, &p.irr[0]},
        {"irr1", 64, &p.irr[1]},
        {"irr2", 64, &p.irr[2]},
        {"irr3", 64, &p.irr[3]},
        {"isr0", 64, &p.isr[0]},
        {"isr1", 64, &p.isr[1]},
        {"isr2", 64, &p.isr[2]},
        {"isr3", 64, &p.isr[3]},
        {"irr_highest", 8, &p.irr_highest},
        {"isr_highest", 8, &p.isr_highest},
        {"lvt_timer", 18, &p.lvt[0]},
        {"lvt_thermal", 18, &p.lvt[1]},
        {"lvt_pmc", 18, &p.lvt[2]},
        {"lvt_lint0", 18, &p.lvt[3]},
        {"lvt_lint1", 18, &p.lvt[4]},
        {"lvt_error", 18, &p.lvt[5]},
        {"lvt_masked", 6, &p.lvt_masked},
        {"icr", 64, &p.icr},
        {"tpr", 8, &p.tpr},
        {"ppr", 8, &p.ppr},
        {"svr", 9, &p.svr},
        {"esr", 8, &p.esr},
        {"timer_initial", 32, &p.timer_initial},
        {"timer_count", 32, &p.timer_count},
        {"interrupt", 1, &p.interrupt},
        {"pending", 1, &p.pending},
    };
    const auto list = p.signals("t0.apic.");
    ASSERT_EQ(list.size(), std::size(expected));
    for (std::size_t i = 0; i < list.size(); ++i) {
        EXPECT_EQ(list[i].name, std::string("t0.apic.") + expected[i].name);
        EXPECT_EQ(list[i].width, expected[i].width) << expected[i].name;
        EXPECT_EQ(list[i].value, expected[i].value) << expected[i].name;
    }
}

}  // namespace apic_test
