// Sending through the ICR, arbitration, INIT and startup, reset.

#include <memory>

#include "fixture.h"

namespace apic_test {

struct ipi : apic_fixture {
    ipi() {
        enable();
        write(reg::ldr, 0x00080000);
    }
    void send(std::uint32_t low, std::uint16_t destination = 0) {
        write(reg::icr_high, std::uint32_t{destination} << 16);
        write(reg::icr_low, low);
    }
};

TEST_F(ipi, fixed_to_another) {
    now = 321;
    send(0x4041, 0x0E0);
    ASSERT_EQ(wire.sent.size(), 1u);
    interrupt_message expected = fixed(0x41, 0x0E0);
    expected.source_id = 5;
    EXPECT_EQ(wire.sent[0].first, expected);
    EXPECT_EQ(wire.sent[0].second, 321u);
    EXPECT_FALSE(apic.pending());
    EXPECT_EQ(read(reg::icr_low), 0x4041u);  // idle: it has left
}

TEST_F(ipi, sixteen_destination_bits) {
    send(0x4841, 0xABCD);
    EXPECT_EQ(wire.sent.at(0).first.destination, 0xABCD);
    EXPECT_TRUE(wire.sent[0].first.logical);
}

TEST_F(ipi, writing_icr_high_sends_nothing) {
    write(reg::icr_high, 0xFFFF0000);
    EXPECT_TRUE(wire.sent.empty());
}

// What leaves (bus) and what the sender delivers to itself, for each way to address.
struct addressing {
    const char* what;
    std::uint32_t bits;  // beyond vector and assert
    std::uint16_t destination;
    bool self, leaves;
};

TEST_F(ipi, addressing) {
    const addressing rows[] = {
        {"physical, own id", 0, 5, true, true},  // others may have the same
        {"physical, other", 0, 6, false, true},
        {"physical broadcast", 0, 0xFFFF, true, true},
        {"logical, with own bit", 0x800, 0x0018, true, true},
        {"logical, own bit alone", 0x800, 0x0008, true, true},
        {"logical, without", 0x800, 0x0010, false, true},
        {"self", 0x40000, 6, true, false},
        {"all", 0x80000, 6, true, true},
        {"all but self", 0xC0000, 5, false, true},
    };
    for (const addressing& r : rows) {
        wire.sent.clear();
        send(0x4041 | r.bits, r.destination);
        EXPECT_EQ(apic.interrupt_pending(), r.self) << r.what;
        EXPECT_EQ(wire.sent.size(), r.leaves ? 1u : 0u) << r.what;
        if (r.self) acknowledge(), eoi();
    }
}

TEST_F(ipi, delivery_modes_by_shorthand) {
    // Modes 0-7: fixed, lowest priority, SMI, -, NMI, INIT, startup, ExtINT. What is to reach the
    // bus:
    const bool group[8] = {true, true, true, false, true, true, true, false};
    const bool with_sender[8] = {true, false, false, false, true, false, false, false};
    for (std::uint32_t mode = 0; mode < 8; ++mode) {
        for (std::uint32_t shorthand = 0; shorthand < 4; ++shorthand) {
            wire.sent.clear();
            send(0x4041 | mode << 8 | shorthand << 18, 6);
            const bool expected = shorthand == 1   ? false
                                  : shorthand == 2 ? with_sender[mode]
                                                   : group[mode];
            EXPECT_EQ(wire.sent.size(), expected ? 1u : 0u) << mode << ' ' << shorthand;
            const bool to_self = (shorthand == 1 || shorthand == 2) && with_sender[mode];
            EXPECT_EQ(apic.pending(), to_self) << mode << ' ' << shorthand;
            if (apic.interrupt_pending()) acknowledge(), eoi();
            apic.take_nmi();
        }
    }
}

TEST_F(ipi, messages_leave_edge_triggered) {
    send(0xC041, 6);  // level, assert
    EXPECT_FALSE(wire.sent.at(0).first.level_triggered);
    send(0x0041, 6);  // level bit 0
    EXPECT_TRUE(wire.sent.at(1).first.assert_level);
    send(0x4C041);
    EXPECT_EQ(read(reg::tmr + 0x20), 0u);
    EXPECT_EQ(acknowledge(), 0x41);
}

TEST_F(ipi, init_deassert_is_not_sent) {
    send(0xC500, 6);  // INIT, level, assert
    ASSERT_EQ(wire.sent.size(), 1u);
    EXPECT_EQ(wire.sent[0].first.mode, delivery_mode::init);
    send(0x8500, 6);   // INIT, level, de-assert
    send(0x88500, 6);  // ... to all, which synchronised arbitration IDs on older buses
    EXPECT_EQ(wire.sent.size(), 1u);
}

TEST_F(ipi, can_be_sent_while_software_disabled) {
    write(reg::svr, 0xFF);
    send(0x4041, 6);
    EXPECT_EQ(wire.sent.size(), 1u);
    send(0x44041);
    EXPECT_FALSE(apic.pending());  // but not received
}

TEST_F(ipi, lowest_priority_is_left_to_arbitration) {
    send(0x4941, 0xFFFF);  // logical, lowest priority: the sender is a candidate
    EXPECT_FALSE(apic.pending());
    ASSERT_EQ(wire.sent.size(), 1u);
    EXPECT_TRUE(arbitrated(wire.sent[0].first));
    EXPECT_TRUE(apic.accepts(wire.sent[0].first, true));
    send(0x4141, 5);  // to one physical ID there is nothing to arbitrate
    ASSERT_EQ(wire.sent.size(), 2u);
    EXPECT_FALSE(arbitrated(wire.sent[1].first));
    EXPECT_FALSE(apic.accepts(wire.sent[1].first, true));
    EXPECT_EQ(acknowledge(), 0x41);
}

TEST_F(ipi, lowest_priority_target) {
    std::vector<std::unique_ptr<local_apic>> owned;
    std::vector<local_apic*> all;
    for (const std::uint16_t id : std::initializer_list<std::uint16_t>{8, 3, 6, 4}) {
        owned.push_back(std::make_unique<local_apic>(options, id, true, wire));
        all.push_back(owned.back().get());
    }
    EXPECT_EQ(lowest_priority_target(all), nullptr);  // all software-disabled
    for (local_apic* u : all) u->write(reg::svr, 0x1FF, now);
    EXPECT_EQ(lowest_priority_target(all)->id(), 3);  // equal: the lowest ID
    all[1]->write(reg::tpr, 0x20, now);
    EXPECT_EQ(lowest_priority_target(all)->id(), 4);
    all[3]->receive(fixed(0x33), now);  // APR 30h
    EXPECT_EQ(lowest_priority_target(all)->id(), 6);
    all[2]->write(reg::svr, 0xFF, now);
    EXPECT_EQ(lowest_priority_target(all)->id(), 8);
    EXPECT_EQ(lowest_priority_target({}), nullptr);
}

// --- INIT and startup ---

struct second_thread : apic_fixture {
    local_apic other{options, 6, false, wire};
};

TEST_F(second_thread, starts_by_init_and_startup) {
    EXPECT_TRUE(other.waiting_for_startup());
    other.receive(of_mode(delivery_mode::init), now);
    EXPECT_FALSE(other.pending());  // waits already, nothing to initialise
    other.receive(of_mode(delivery_mode::startup, 0x9A), now);
    other.receive(of_mode(delivery_mode::startup, 0x11), now);  // the customary second one
    EXPECT_TRUE(other.pending());
    std::uint8_t vector = 0;
    EXPECT_TRUE(other.take_startup(vector));
    EXPECT_EQ(vector, 0x9A);
    EXPECT_FALSE(other.waiting_for_startup());
    EXPECT_FALSE(other.take_startup(vector));
    other.receive(of_mode(delivery_mode::startup, 0x22), now);  // runs: ignored
    EXPECT_FALSE(other.pending());
}

TEST_F(second_thread, init_while_running) {
    std::uint8_t vector = 0;
    other.receive(of_mode(delivery_mode::startup, 0x9A), now);
    other.take_startup(vector);
    other.write(reg::svr, 0x1FF, now);
    other.receive(of_mode(delivery_mode::nmi), now);
    other.receive(fixed(0x41), now);
    other.receive(of_mode(delivery_mode::init), now);
    // A startup IPI right behind the INIT survives the thread's taking of the INIT.
    other.receive(of_mode(delivery_mode::startup, 0x55), now);
    EXPECT_TRUE(other.take_init());
    other.init_reset();
    EXPECT_FALSE(other.take_init());
    EXPECT_FALSE(other.take_nmi());  // dropped by INIT
    EXPECT_TRUE(other.waiting_for_startup());
    EXPECT_TRUE(other.pending());
    EXPECT_TRUE(other.take_startup(vector));
    EXPECT_EQ(vector, 0x55);
    EXPECT_FALSE(other.pending());  // the fixed interrupt is gone
}

TEST_F(second_thread, only_startup_and_init_show_while_waiting) {
    other.receive(of_mode(delivery_mode::nmi), now);
    EXPECT_FALSE(other.pending());
    std::uint8_t vector = 0;
    other.receive(of_mode(delivery_mode::startup, 1), now);
    other.take_startup(vector);
    EXPECT_TRUE(other.take_nmi());  // kept until the thread runs
}

TEST_F(second_thread, boot_processor_does_not_wait) {
    EXPECT_FALSE(apic.waiting_for_startup());
    apic.receive(of_mode(delivery_mode::startup, 0x10), now);
    EXPECT_FALSE(apic.pending());
    apic.receive(of_mode(delivery_mode::init), now);
    EXPECT_TRUE(apic.pending());
    EXPECT_TRUE(apic.take_init());
    EXPECT_FALSE(apic.pending());  // taken: nothing is there any more
    apic.init_reset();
    EXPECT_FALSE(apic.waiting_for_startup());
}

TEST_F(second_thread, init_can_be_sent_to_itself) {
    write(reg::icr_high, 5u << 16);
    write(reg::icr_low, 0x4500);
    EXPECT_TRUE(apic.take_init());
    ASSERT_EQ(wire.sent.size(), 1u);
    EXPECT_FALSE(apic.accepts(wire.sent[0].first, true));
}

TEST_F(second_thread, reset_drops_an_init_that_was_not_taken) {
    apic.receive(of_mode(delivery_mode::init), now);
    apic.reset();
    EXPECT_FALSE(apic.init_pending());
    EXPECT_FALSE(apic.pending());
}

// Every register off its reset value, then INIT or reset.
struct back_to_reset : apic_fixture {
    back_to_reset() {
        enable();
        write(reg::id, 9u << 23);
        write(reg::tpr, 0x20);
        write(reg::ldr, 0x00010000);
        write(reg::dfr, 0);
        for (std::uint32_t o = reg::lvt_timer; o <= reg::lvt_error; o += 0x10) write(o, 0x60);
        write(reg::divide, 0xB);
        write(reg::initial_count, 1000);
        interrupt_message level = fixed(0x91);
        level.level_triggered = true;
        apic.receive(level, now);
        acknowledge();
        receive(0x92);
        write(reg::icr_high, 0x00070000);
        write(reg::icr_low, 0x4041);
        apic.refuse(now);
        write(reg::esr, 0);
        apic.refuse(now);
    }
    void expect_reset_registers() {
        for (const register_row& r : registers())
            for (std::uint32_t i = 0; i < r.count; ++i) {
                if (r.address == reg::id || r.address == reg::version) continue;
                EXPECT_EQ(read(r.address + i * 0x10), r.reset()) << r.name << i;
            }
        EXPECT_EQ(read(reg::version), 0x00050014u);
        EXPECT_EQ(errors(), 0u);
        EXPECT_FALSE(apic.pending());
        EXPECT_EQ(apic.next_event(), never);
    }
};

TEST_F(back_to_reset, init_keeps_the_id) {
    apic.init_reset();
    EXPECT_EQ(apic.id(), 9);
    expect_reset_registers();
}

TEST_F(back_to_reset, reset_restores_the_id) {
    apic.receive(of_mode(delivery_mode::nmi), now);
    apic.post(fixed(0x41), now + 5);
    apic.reset();
    EXPECT_EQ(apic.id(), 5);
    expect_reset_registers();
    now += 10;
    apic.advance(now);
    EXPECT_FALSE(apic.pending());
}

TEST_F(back_to_reset, reset_enables_globally) {
    apic.write_base(0xFEE00100, now);
    apic.reset();
    EXPECT_TRUE(apic.globally_enabled());
    EXPECT_EQ(apic.base(), 0xFEE00900u);
}

}  // namespace apic_test
