// The register page: reset values, writable bits, access rules, the error status register.

#include <set>

#include "fixture.h"

namespace apic_test {

struct expectation {
    std::uint32_t offset;
    std::uint32_t reset;
    std::uint32_t after_ones;   // read back after 0xFFFFFFFF is written, APIC enabled
    std::uint32_t after_zeros;  // read back after 0 is written
};

// Independent of the model's own table: SDM vol. 3 with the widths of Knights Corner.
const expectation plain[] = {
    {0x020, 0x02800000, 0xFF800000, 0x00000000},  // ID 5 at 31:23
    {0x030, 0x00050014, 0x00050014, 0x00050014},  // 6 LVT entries, version 14h
    {0x080, 0x00000000, 0x000000FF, 0x00000000}, {0x0D0, 0x00000000, 0xFFFF0000, 0x00000000},
    {0x0E0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0FFFFFFF},  // model at 31:28, the rest reads as ones
    {0x0F0, 0x000000FF, 0x000001FF, 0x00000000}, {0x310, 0x00000000, 0xFFFF0000, 0x00000000},
    {0x320, 0x00010000, 0x000300FF, 0x00000000}, {0x330, 0x00010000, 0x000107FF, 0x00000000},
    {0x340, 0x00010000, 0x000107FF, 0x00000000}, {0x350, 0x00010000, 0x0001A7FF, 0x00000000},
    {0x360, 0x00010000, 0x0001A7FF, 0x00000000}, {0x370, 0x00010000, 0x000100FF, 0x00000000},
    {0x380, 0x00000000, 0xFFFFFFFF, 0x00000000}, {0x3E0, 0x00000000, 0x0000000B, 0x00000000},
};

using page = apic_fixture;

TEST_F(page, reset_values) {
    for (const expectation& e : plain) EXPECT_EQ(read(e.offset), e.reset) << std::hex << e.offset;
    for (std::uint32_t o = 0x090; o <= 0x0B0; o += 0x10) EXPECT_EQ(read(o), 0u) << std::hex << o;
    for (std::uint32_t o = 0x100; o <= 0x280; o += 0x10) EXPECT_EQ(read(o), 0u) << std::hex << o;
    EXPECT_EQ(read(0x300), 0u);
    EXPECT_EQ(read(0x390), 0u);
    EXPECT_EQ(errors(), 0u);
}

TEST_F(page, writable_bits) {
    enable();  // disabled, the LVT mask bits cannot be cleared
    for (const expectation& e : plain) {
        EXPECT_TRUE(write(e.offset, 0xFFFFFFFF));
        EXPECT_EQ(read(e.offset), e.after_ones) << std::hex << e.offset;
        EXPECT_TRUE(write(e.offset, 0));
        EXPECT_EQ(read(e.offset), e.after_zeros) << std::hex << e.offset;
        enable();
    }
}

TEST_F(page, icr_low_keeps_all_but_status_and_reserved_bits) {
    // Delivery mode 7 cannot be sent, so nothing but the register changes.
    write(reg::icr_low, 0xFFFFFFFF);
    EXPECT_EQ(read(reg::icr_low), 0x000CCFFFu);
    EXPECT_TRUE(wire.sent.empty());
}

TEST_F(page, read_only_registers_drop_writes) {
    enable();
    receive(0x41);
    for (std::uint32_t o : {0x030u, 0x090u, 0x0A0u, 0x100u, 0x180u, 0x220u, 0x390u}) {
        const std::uint32_t before = read(o);
        EXPECT_TRUE(write(o, 0xFFFFFFFF)) << std::hex << o;
        EXPECT_EQ(read(o), before) << std::hex << o;
    }
    EXPECT_EQ(errors(), 0u);
    EXPECT_EQ(read(reg::eoi), 0u);
}

TEST_F(page, reserved_offsets_are_illegal_registers) {
    std::set<std::uint32_t> known;
    for (const expectation& e : plain) known.insert(e.offset);
    for (std::uint32_t o = 0x090; o <= 0x0B0; o += 0x10) known.insert(o);
    for (std::uint32_t o = 0x100; o <= 0x280; o += 0x10) known.insert(o);
    known.insert(0x300);
    known.insert(0x390);
    for (std::uint32_t o = 0; o < 0x1000; o += 4) {
        std::uint32_t value = 1;
        const bool exists = known.count(o) != 0;
        EXPECT_EQ(apic.read(o, value, now), exists) << std::hex << o;
        EXPECT_EQ(errors(), exists ? 0u : 0x80u) << std::hex << o;
        if (exists) continue;
        EXPECT_EQ(value, 0u) << std::hex << o;
        EXPECT_FALSE(apic.write(o, 0xFFFFFFFF, now)) << std::hex << o;
        EXPECT_EQ(errors(), 0x80u) << std::hex << o;
    }
}

TEST_F(page, other_widths_are_refused) {
    apic.refuse(now);
    EXPECT_EQ(errors(), 0x80u);
}

TEST_F(page, peek_has_no_side_effects) {
    EXPECT_EQ(apic.peek(0x040, now), 0u);
    EXPECT_EQ(apic.peek(reg::lvt_pmc, now), 0x10000u);
    EXPECT_EQ(errors(), 0u);
}

TEST_F(page, id_is_nine_bits_wide) {
    EXPECT_EQ(apic.id(), 5);
    write(reg::id, 0xE0u << 23);
    EXPECT_EQ(apic.id(), 0xE0);
    write(reg::id, 0xFFFFFFFF);
    EXPECT_EQ(apic.id(), 0x1FF);
    EXPECT_EQ(local_apic(options, 0x3F7, false, wire).id(), 0x1F7);
}

TEST_F(page, cr8_is_the_priority_class_of_the_tpr) {
    apic.set_cr8(0xA, now);
    EXPECT_EQ(read(reg::tpr), 0xA0u);
    write(reg::tpr, 0x5F);
    EXPECT_EQ(apic.cr8(), 5);
    apic.set_cr8(0xF3, now);
    EXPECT_EQ(read(reg::tpr), 0x30u);
}

// --- error status register ---

TEST_F(page, esr_shows_errors_only_after_a_write) {
    apic.refuse(now);
    EXPECT_EQ(read(reg::esr), 0u);
    write(reg::esr, 0x55);
    EXPECT_EQ(read(reg::esr), 0x80u);
    EXPECT_EQ(read(reg::esr), 0x80u);  // reading does not clear
    write(reg::esr, 0);
    EXPECT_EQ(read(reg::esr), 0u);  // back-to-back writes do
}

TEST_F(page, esr_bits) {
    enable();
    receive(15);  // vectors 0-15 are illegal
    EXPECT_EQ(errors(), 0x40u);
    receive(16);
    EXPECT_EQ(errors(), 0u);
    EXPECT_EQ(read(reg::irr), 1u << 16);  // and 15 is not requested
    write(reg::icr_low, 0x400F);
    EXPECT_EQ(errors(), 0x20u);
    write(reg::icr_low, 0x4400F);  // to itself: sent and received
    EXPECT_EQ(errors(), 0x60u);
    EXPECT_TRUE(wire.sent.empty());
    write(reg::icr_low, 0x4400);  // NMI has no vector
    EXPECT_EQ(errors(), 0u);
}

TEST_F(page, illegal_local_vector_is_found_at_delivery) {
    enable();
    write(reg::lvt_pmc, 0x00);
    EXPECT_EQ(errors(), 0u);
    apic.pmi(now);
    EXPECT_EQ(errors(), 0x40u);
    EXPECT_EQ(apic.pmi_count(), 0u);
    EXPECT_EQ(apic.pmi_lost_count(), 1u);
    EXPECT_EQ(read(reg::lvt_pmc), 0u);  // nothing was delivered, so not masked either
}

TEST_F(page, first_error_raises_the_error_interrupt) {
    enable();
    write(reg::lvt_error, 0xFE);
    apic.refuse(now);
    EXPECT_EQ(acknowledge(), 0xFE);
    eoi();
    apic.refuse(now);  // not armed until the ESR is written
    EXPECT_FALSE(apic.interrupt_pending());
    write(reg::esr, 0);
    apic.refuse(now);
    EXPECT_EQ(acknowledge(), 0xFE);
}

TEST_F(page, masked_error_interrupt_still_records) {
    enable();
    apic.refuse(now);
    EXPECT_FALSE(apic.pending());
    EXPECT_EQ(errors(), 0x80u);
}

TEST_F(page, error_interrupt_with_illegal_vector_is_an_error_itself) {
    enable();
    write(reg::lvt_error, 3);
    apic.refuse(now);
    EXPECT_FALSE(apic.pending());
    EXPECT_EQ(errors(), 0xC0u);
}

// --- IA32_APIC_BASE ---

TEST_F(page, base_msr) {
    EXPECT_EQ(apic.base(), 0xFEE00900u);  // enabled, boot processor
    EXPECT_EQ(local_apic(options, 6, false, wire).base(), 0xFEE00800u);
    EXPECT_FALSE(apic.write_base(0xFEE00D00, now));  // no x2APIC
    EXPECT_FALSE(apic.write_base(0xFEE00901, now));  // reserved bit
    EXPECT_FALSE(apic.write_base(0xFEE01900, now));  // the page is fixed
    EXPECT_FALSE(apic.write_base(0x1'FEE00900, now));
    EXPECT_TRUE(apic.write_base(0xFEE00800, now));
    EXPECT_EQ(apic.base(), 0xFEE00900u);  // the boot processor flag does not change
}

TEST_F(page, global_disable) {
    enable();
    receive(0x41);
    EXPECT_TRUE(apic.write_base(0xFEE00100, now));
    EXPECT_FALSE(apic.pending());
    std::uint32_t value = 1;
    EXPECT_FALSE(apic.read(reg::id, value, now));
    EXPECT_EQ(value, 0u);
    EXPECT_FALSE(apic.write(reg::svr, 0x1FF, now));
    EXPECT_FALSE(apic.accepts(fixed(0x41, 5), false));
    apic.receive(of_mode(delivery_mode::nmi), now);
    EXPECT_FALSE(apic.pending());
    apic.pmi(now);
    EXPECT_EQ(apic.pmi_lost_count(), 1u);
    // The pins are INTR and NMI now.
    wire.external = 0x77;
    apic.lint(0, true, now);
    EXPECT_EQ(acknowledge(), 0x77);
    apic.lint(0, false, now);
    EXPECT_FALSE(apic.interrupt_pending());
    EXPECT_FALSE(apic.nmi_pending());  // that was INTR
    apic.lint(1, true, now);
    EXPECT_FALSE(apic.interrupt_pending());
    EXPECT_TRUE(apic.take_nmi());
    EXPECT_FALSE(apic.take_nmi());
    // Enabled again: as after reset, the ID kept.
    EXPECT_TRUE(apic.write_base(0xFEE00900, now));
    EXPECT_EQ(read(reg::id), 5u << 23);
    EXPECT_EQ(read(reg::svr), 0xFFu);
    EXPECT_EQ(read(reg::irr + 0x20), 0u);
}

}  // namespace apic_test
