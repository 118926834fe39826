// A local APIC that is loaded goes on as the one that was saved.
#include <knc/base/memory_archive.h>

#include "fixture.h"

namespace apic_test {

struct restored : apic_fixture {
    recording_bus other_wire;
    local_apic other{options, 9, false, other_wire};

    void move_on() {
        knc::base::memory_writer w;
        w(apic);
        knc::base::memory_reader r(w.content());
        r(other);
        EXPECT_TRUE(r.left().empty());
    }
    // Every register of the page.
    void expect_same(cycle_t at) {
        for (std::uint32_t offset = 0; offset < page_size; offset += register_spacing)
            EXPECT_EQ(other.peek(offset, at), apic.peek(offset, at)) << std::hex << offset;
        EXPECT_EQ(other.next_event(), apic.next_event());
        EXPECT_EQ(other.pending(), apic.pending());
    }
};

// Divide by 2 and a ratio of 1 or more: the timer expires at the same clock, again and again.
TEST_F(restored, timer) {
    enable();
    write(reg::lvt_timer, lvt::periodic | 0x50);
    write(reg::initial_count, 1000);
    now = apic.next_event() - 1;
    move_on();
    expect_same(now);
    for (int n = 0; n < 3; ++n) {
        now = apic.next_event();
        EXPECT_NE(now, never);
        apic.advance(now);
        other.advance(now);
        expect_same(now);
        EXPECT_EQ(apic.acknowledge(now), 0x50);
        EXPECT_EQ(other.acknowledge(now), 0x50);
        apic.write(reg::eoi, 0, now);
        other.write(reg::eoi, 0, now);
    }
    EXPECT_EQ(other.eoi_count(), 3u);
}

TEST_F(restored, requests_in_service_and_on_their_way) {
    enable();
    receive(0x61);
    receive(0x41);
    EXPECT_EQ(acknowledge(), 0x61);
    apic.post(fixed(0x71), 500);
    apic.receive(of_mode(delivery_mode::nmi), now);
    move_on();
    expect_same(now);
    EXPECT_TRUE(other.nmi_pending());
    EXPECT_FALSE(other.interrupt_pending());
    other.advance(500);
    EXPECT_EQ(other.acknowledge(500), 0x71);
    other.write(reg::eoi, 0, 500);
    other.write(reg::eoi, 0, 500);
    EXPECT_EQ(other.acknowledge(500), 0x41);
}

TEST_F(restored, waits_for_startup) {
    apic.receive(of_mode(delivery_mode::init), now);
    move_on();
    EXPECT_TRUE(other.init_pending());
    EXPECT_EQ(other.id(), 5);
}

}  // namespace apic_test
