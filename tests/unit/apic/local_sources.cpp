// The local vector table: performance-counter interrupt, thermal, LINT pins.

#include "fixture.h"

namespace apic_test {

struct local_sources : apic_fixture {
    local_sources() { enable(); }
};

// --- performance-counter interrupt (PMU specification 5) ---

TEST_F(local_sources, pmi_fixed_masks_itself) {
    write(reg::lvt_pmc, 0xFE);
    apic.pmi(now);
    EXPECT_EQ(read(reg::lvt_pmc), 0x100FEu);
    EXPECT_EQ(acknowledge(), 0xFE);
    EXPECT_EQ(apic.pmi_count(), 1u);
    EXPECT_EQ(apic.pmi_lost_count(), 0u);
}

TEST_F(local_sources, pmi_is_lost_while_masked) {
    write(reg::lvt_pmc, 0xFE);
    apic.pmi(now);
    acknowledge();
    apic.pmi(now);  // masked by the first
    eoi();
    EXPECT_FALSE(apic.pending());
    EXPECT_EQ(apic.pmi_lost_count(), 1u);
    write(reg::lvt_pmc, 0xFE);
    EXPECT_FALSE(apic.pending());  // unmasking brings nothing back
    apic.pmi(now);
    EXPECT_EQ(acknowledge(), 0xFE);
    EXPECT_EQ(apic.pmi_count(), 2u);
}

TEST_F(local_sources, pmi_without_automask) {
    options.lvtpc_automask = false;
    local_apic a(options, 5, true, wire);
    a.write(reg::svr, 0x1FF, now);
    a.write(reg::lvt_pmc, 0xFE, now);
    for (int i = 0; i < 3; ++i) {
        a.pmi(now);
        EXPECT_EQ(a.peek(reg::lvt_pmc, now), 0xFEu);
        EXPECT_EQ(a.acknowledge(now), 0xFE);
        a.write(reg::eoi, 0, now);
    }
    EXPECT_EQ(a.pmi_count(), 3u);
    EXPECT_EQ(a.pmi_lost_count(), 0u);
}

TEST_F(local_sources, pmi_as_nmi) {
    write(reg::lvt_pmc, 0x400);  // as the Linux driver programs it: NMI, vector 0
    apic.pmi(now);
    EXPECT_TRUE(apic.pending());
    EXPECT_FALSE(apic.interrupt_pending());
    EXPECT_EQ(read(reg::lvt_pmc), 0x10400u);
    EXPECT_TRUE(apic.take_nmi());
    EXPECT_FALSE(apic.take_nmi());
    EXPECT_FALSE(apic.pending());
    EXPECT_EQ(errors(), 0u);
    EXPECT_EQ(apic.pmi_count(), 1u);
}

TEST_F(local_sources, pmi_by_delivery_mode) {
    // Fixed and NMI are delivered; an SMI has no effect; INIT, ExtINT and the reserved modes are
    // not supported by this entry.
    const bool delivered[8] = {true, false, false, false, true, false, false, false};
    std::uint64_t lost = 0;
    for (std::uint32_t mode = 0; mode < 8; ++mode) {
        write(reg::lvt_pmc, mode << 8 | 0x50);
        apic.pmi(now);
        EXPECT_EQ(apic.pending(), delivered[mode]) << mode;
        EXPECT_EQ(apic.pmi_lost_count(), lost += delivered[mode] ? 0 : 1) << mode;
        EXPECT_EQ((read(reg::lvt_pmc) & lvt::masked) != 0, delivered[mode]) << mode;
        if (apic.interrupt_pending()) acknowledge(), eoi();
        apic.take_nmi();
    }
    EXPECT_EQ(apic.smi_count(), 1u);
}

TEST_F(local_sources, pmi_when_software_disabled) {
    write(reg::lvt_pmc, 0xFE);
    write(reg::svr, 0xFF);
    EXPECT_EQ(read(reg::lvt_pmc), 0x100FEu);
    apic.pmi(now);
    EXPECT_FALSE(apic.pending());
    EXPECT_EQ(apic.pmi_lost_count(), 1u);
}

// --- software disable ---

TEST_F(local_sources, software_disable_masks_every_entry) {
    for (std::uint32_t o = reg::lvt_timer; o <= reg::lvt_error; o += 0x10) write(o, 0x60);
    write(reg::svr, 0xFF);
    for (std::uint32_t o = reg::lvt_timer; o <= reg::lvt_error; o += 0x10) {
        EXPECT_EQ(read(o), 0x10060u) << std::hex << o;
        write(o, 0x61);  // the mask bit cannot be cleared, the rest can be written
        EXPECT_EQ(read(o), 0x10061u) << std::hex << o;
    }
    enable();
    for (std::uint32_t o = reg::lvt_timer; o <= reg::lvt_error; o += 0x10)
        EXPECT_EQ(read(o), 0x10061u) << std::hex << o;  // stays until software clears it
}

// --- thermal ---

TEST_F(local_sources, thermal) {
    apic.thermal(now);  // masked after reset
    EXPECT_FALSE(apic.pending());
    write(reg::lvt_thermal, 0xFA);
    apic.thermal(now);
    EXPECT_EQ(acknowledge(), 0xFA);
    EXPECT_EQ(read(reg::lvt_thermal), 0xFAu);  // only the performance counter entry masks itself
    write(reg::lvt_thermal, 0x400);
    apic.thermal(now);
    EXPECT_TRUE(apic.take_nmi());
}

// --- LINT pins ---

TEST_F(local_sources, lint_edge) {
    for (unsigned pin : {0u, 1u}) {
        const std::uint32_t entry = pin == 0 ? reg::lvt_lint0 : reg::lvt_lint1;
        write(entry, 0x71);
        apic.lint(pin, true, now);
        EXPECT_EQ(acknowledge(), 0x71);
        eoi();
        apic.lint(pin, true, now);  // no new edge
        apic.lint(pin, false, now);
        EXPECT_FALSE(apic.pending());
        write(entry, lvt::masked | 0x71);
        apic.lint(pin, true, now);
        write(entry, 0x71);  // an edge while masked is lost
        EXPECT_FALSE(apic.pending());
        apic.lint(pin, false, now);
    }
}

TEST_F(local_sources, lint_active_low) {
    apic.lint(1, true, now);
    write(reg::lvt_lint1, lvt::active_low | 0x71);
    EXPECT_FALSE(apic.pending());
    apic.lint(1, false, now);
    EXPECT_EQ(acknowledge(), 0x71);
}

TEST_F(local_sources, lint0_level) {
    write(reg::lvt_lint0, lvt::level | 0x71);
    apic.lint(0, true, now);
    EXPECT_EQ(read(reg::lvt_lint0), lvt::level | lvt::remote_irr | 0x71u);
    EXPECT_EQ(read(reg::tmr + 0x30), 1u << 17);  // 71h = 3 * 32 + 17
    EXPECT_EQ(acknowledge(), 0x71);
    EXPECT_FALSE(apic.pending());  // once until EOI
    eoi();
    EXPECT_EQ(acknowledge(), 0x71);  // the pin is still active
    apic.lint(0, false, now);
    eoi();
    EXPECT_FALSE(apic.pending());
    EXPECT_EQ(read(reg::lvt_lint0), lvt::level | 0x71u);
}

TEST_F(local_sources, lint0_level_is_ended_by_its_own_eoi) {
    write(reg::lvt_lint0, lvt::level | 0x71);
    apic.lint(0, true, now);
    interrupt_message other = fixed(0x91);
    other.level_triggered = true;
    apic.receive(other, now);
    apic.lint(0, false, now);
    EXPECT_EQ(acknowledge(), 0x91);
    eoi();
    EXPECT_NE(read(reg::lvt_lint0) & lvt::remote_irr, 0u);  // 71h is still requested
    EXPECT_EQ(acknowledge(), 0x71);
    eoi();
    EXPECT_EQ(read(reg::lvt_lint0) & lvt::remote_irr, 0u);
}

TEST_F(local_sources, lint0_level_waits_for_the_mask) {
    write(reg::lvt_lint0, lvt::level | lvt::masked | 0x71);
    apic.lint(0, true, now);
    EXPECT_FALSE(apic.pending());
    write(reg::lvt_lint0, lvt::level | 0x71);
    EXPECT_EQ(acknowledge(), 0x71);
}

TEST_F(local_sources, lint1_is_edge_triggered_only) {
    write(reg::lvt_lint1, lvt::level | 0x71);
    apic.lint(1, true, now);
    EXPECT_EQ(acknowledge(), 0x71);
    eoi();
    EXPECT_FALSE(apic.pending());
    EXPECT_TRUE(wire.eois.empty());
}

TEST_F(local_sources, lint_as_nmi_and_init) {
    write(reg::lvt_lint1, 0x400);
    apic.lint(1, true, now);
    EXPECT_TRUE(apic.take_nmi());
    write(reg::lvt_lint0, 0x500);
    apic.lint(0, true, now);
    EXPECT_TRUE(apic.take_init());
}

TEST_F(local_sources, lint_as_extint_is_level_sensitive) {
    wire.external = 0x22;
    write(reg::lvt_lint0, 0x700);
    apic.lint(0, true, now);
    EXPECT_EQ(acknowledge(), 0x22);
    EXPECT_TRUE(apic.interrupt_pending());  // the controller still asks
    apic.lint(0, false, now);
    EXPECT_FALSE(apic.pending());
    apic.lint(0, true, now);
    write(reg::lvt_lint0, lvt::masked | 0x700);
    EXPECT_FALSE(apic.pending());
}

TEST_F(local_sources, there_are_two_pins) {
    write(reg::lvt_lint0, 0x71);
    write(reg::lvt_lint1, 0x71);
    apic.lint(2, true, now);
    EXPECT_FALSE(apic.pending());
}

}  // namespace apic_test
