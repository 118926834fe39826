// The registers of SBOX and DBOX, by their offsets.
#include <knc/sbox/registers.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace knc::sbox::test {
namespace {

constexpr std::uint32_t spad = 0x1'ab20, smpt = 0x1'3100, icr = 0x1'a9d0, rdmasr = 0x1'b180,
                        redirection = 0x1'a840, sicr0 = 0x1'9004, sice0 = 0x1'900c,
                        sicc0 = 0x1'9010, sdbic = 0x1'cc90, etc_low = 0x1'1074, etc_high = 0x1'1078,
                        etc_control = 0x1'107c;

struct bench : sbox::registers::outputs {
    std::vector<std::pair<interrupt, base::cycle_t>> sent;
    unsigned resets = 0;
    sbox::registers registers;

    explicit bench(const identity& card = {}) : registers(card, *this) {}
    void send(const interrupt& i, base::cycle_t now) override { sent.emplace_back(i, now); }
    void request_reset() override { ++resets; }
    std::uint32_t read(std::uint32_t offset, base::cycle_t now = 0) const {
        std::uint32_t value = 0;
        EXPECT_TRUE(registers.read(offset, value, now)) << std::hex << offset;
        return value;
    }
    void write(std::uint32_t offset, std::uint32_t value, base::cycle_t now = 0) {
        EXPECT_TRUE(registers.write(offset, value, now)) << std::hex << offset;
    }
};

TEST(sbox_unit, registers_do_not_overlap) {
    std::vector<bool> taken(block_size / 4);
    for (const register_row& r : register_table()) {
        EXPECT_EQ(r.address % 4, 0u) << r.name;
        for (unsigned n = 0; n < r.count; ++n) {
            const std::uint32_t offset = r.address + n * r.stride;
            ASSERT_LT(offset, block_size) << r.name;
            EXPECT_FALSE(taken[offset / 4]) << r.name << n;
            taken[offset / 4] = true;
            const register_row::place p = register_table().find(offset);
            EXPECT_EQ(p.row, &r);
            EXPECT_EQ(p.index, n);
        }
    }
    for (std::uint32_t offset = 0; offset < block_size; offset += 4) {
        if (taken[offset / 4]) continue;
        EXPECT_EQ(register_table().find(offset).row, nullptr) << std::hex << offset;
    }
}

TEST(sbox_unit, starts_with_the_reset_values_of_the_table) {
    identity card;
    card.cores = 61;
    const bench b(card);
    for (const register_row& r : register_table())
        for (unsigned n = 0; n < r.count; ++n)
            EXPECT_EQ(b.read(r.address + n * r.stride), r.reset(card, n)) << r.name << n;
    EXPECT_EQ(b.read(0x242c), 0x3231u);  // "12"
}

// Whatever is written, bits outside the table's mask do not change, but for the counter, which
// nothing changes, and the I/O APIC's entries, which their own tests cover.
TEST(sbox_unit, keeps_reserved_bits) {
    for (const register_row& r : register_table()) {
        bench b;
        const std::uint32_t before = b.read(r.address);
        b.write(r.address, all_bits);
        const std::string name = r.name;
        if (name == "SICC0") continue;  // reads as another register
        EXPECT_EQ(b.read(r.address) & ~r.writable, before & ~r.writable) << name;
        // Those that do more, or something else, than keep what is written.
        const std::set<std::string> others{"THERMAL_STATUS_INTERRUPT",
                                           "RGCR",
                                           "SICR0",
                                           "APICRT",
                                           "APICRT_HIGH",
                                           "APICICR",
                                           "MCA_INT_STAT"};
        if (others.count(name) != 0) continue;
        EXPECT_EQ(b.read(r.address), r.writable | (before & ~r.writable)) << name;
        if (name == "SICE0") continue;  // zeros written to it do nothing
        b.write(r.address, 0);
        EXPECT_EQ(b.read(r.address), before & ~r.writable) << name;
    }
}

TEST(sbox_unit, has_no_register_elsewhere) {
    bench b;
    std::uint32_t value = 7;
    for (const std::uint32_t offset : {0x0u, 0x2430u, 0x1'a000u, 0x1'a280u, 0x1'cc28u, 0x1'fffcu}) {
        EXPECT_FALSE(b.registers.read(offset, value, 0));
        EXPECT_FALSE(b.registers.write(offset, 1, 0));
    }
    EXPECT_EQ(value, 7u);
}

// 1.1 GHz / 15.625 MHz = 70.4 clocks a step, each of which adds 32.
TEST(sbox_unit, elapsed_time_counter_is_exact) {
    bench b;
    EXPECT_EQ(b.read(etc_low, 70), 0u);
    EXPECT_EQ(b.read(etc_low, 71), 32u);   // 70.4 are over
    EXPECT_EQ(b.read(etc_low, 140), 32u);  // 140.8 not yet
    EXPECT_EQ(b.read(etc_low, 141), 64u);
    EXPECT_EQ(b.read(etc_low, 352), 160u);  // 5 steps to the clock
    // 2^27 steps carry into the upper half: 2^27 * 70.4 clocks = 9'448'928'051.2.
    EXPECT_EQ(b.read(etc_high, 9'448'928'051), 0u);
    EXPECT_EQ(b.read(etc_low, 9'448'928'051), 0xffff'ffe0u);
    EXPECT_EQ(b.read(etc_high, 9'448'928'052), 1u);
    EXPECT_EQ(b.read(etc_low, 9'448'928'052), 0u);
    // No rounding gathers: one hour of 1.1 GHz is 56'250'000'000 steps.
    const std::uint64_t hour = std::uint64_t{b.read(etc_high, 3'960'000'000'000)} << 32 |
                               b.read(etc_low, 3'960'000'000'000);
    EXPECT_EQ(hour, 56'250'000'000u * 32);
    b.write(etc_low, 5, 3'960'000'000'000);  // read-only
    EXPECT_EQ(b.read(etc_low, 3'960'000'000'000), static_cast<std::uint32_t>(hour));
}

TEST(sbox_unit, a_frozen_counter_goes_on_where_it_stopped) {
    bench b;
    b.write(etc_control, 1u << 31, 704);  // 10 steps
    EXPECT_EQ(b.read(etc_control, 704), 1u << 31);
    EXPECT_EQ(b.read(etc_low, 70'400), 320u);
    b.write(etc_control, 0, 70'400);
    EXPECT_EQ(b.read(etc_low, 70'400), 320u);
    EXPECT_EQ(b.read(etc_low, 70'400 + 704), 640u);
}

TEST(sbox_unit, windows_to_the_host) {
    bench b;
    constexpr std::uint64_t window = 16ull << 30;
    // Identity after reset.
    EXPECT_EQ(b.registers.host_address(0), 0u);
    EXPECT_EQ(b.registers.host_address(31 * window + 5), 31 * window + 5);
    // Window 3 to the host's 18th 16 GB, without snoop.
    b.write(smpt + 4 * 3, 18u << 2 | 3);
    EXPECT_EQ(b.read(smpt + 4 * 3), 18u << 2 | 1);  // bit 1 is reserved
    EXPECT_EQ(b.registers.host_address(3 * window + 0x1234), 18 * window + 0x1234);
    EXPECT_EQ(b.registers.host_address(4 * window - 1), 19 * window - 1);
    EXPECT_EQ(b.registers.host_address(4 * window), 4 * window);
    // The highest host address there is.
    b.write(smpt, 0xffff'fffc);
    EXPECT_EQ(b.registers.host_address(window - 1), ~std::uint64_t{0});
}

TEST(sbox_unit, interrupt_commands) {
    bench b;
    // What a host driver does to start the card's operating system: vector 229 to thread 224.
    b.write(icr + 7 * 8 + 4, 224, 1);
    b.write(icr + 7 * 8, 229 | 1u << 13, 2);
    ASSERT_EQ(b.sent.size(), 1u);
    EXPECT_EQ(b.sent[0].first.vector, 229);
    EXPECT_EQ(b.sent[0].first.destination, 224);
    EXPECT_EQ(b.sent[0].first.mode, mode::fixed);
    EXPECT_FALSE(b.sent[0].first.level);
    EXPECT_EQ(b.sent[0].second, 2u);
    // Bit 13 reads 0, so that a register that is saved and restored sends nothing; or-ing it in
    // sends again.
    EXPECT_EQ(b.read(icr + 7 * 8), 229u);
    b.write(icr + 7 * 8, b.read(icr + 7 * 8));
    EXPECT_EQ(b.sent.size(), 1u);
    b.write(icr + 7 * 8, b.read(icr + 7 * 8) | 1u << 13);
    EXPECT_EQ(b.sent.size(), 2u);
    // Mode, logical destination; modes 3 and 7 send nothing.
    for (std::uint32_t m = 0; m < 8; ++m) b.write(icr, 1u << 13 | 1u << 11 | m << 8 | 0x40);
    ASSERT_EQ(b.sent.size(), 8u);
    EXPECT_EQ(b.sent[7].first.mode, mode::startup);
    EXPECT_TRUE(b.sent[7].first.logical);
    EXPECT_EQ(b.sent[7].first.destination, 0);  // of this register
}

TEST(sbox_unit, remote_dma_status_raises_its_pin) {
    bench b;
    for (std::uint32_t n = 0; n < 8; ++n) {
        b.write(redirection + 8 * (17 + n) + 4, 4 * n);
        b.write(redirection + 8 * (17 + n), 0x50 + n);
    }
    for (std::uint32_t n = 0; n < 8; ++n) b.write(rdmasr + 4 * n, 0, 100 + n);
    ASSERT_EQ(b.sent.size(), 8u);
    for (std::uint32_t n = 0; n < 8; ++n) {
        EXPECT_EQ(b.sent[n].first.vector, 0x50 + n);
        EXPECT_EQ(b.sent[n].first.destination, 4 * n);
        EXPECT_EQ(b.sent[n].second, 100 + n);
    }
}

// A pulse on a level-triggered entry: one interrupt, none after its EOI, for the line is down.
TEST(sbox_unit, level_entries_wait_for_their_eoi) {
    bench b;
    b.write(redirection + 8 * 17, entry::level | 0x50);
    b.write(rdmasr, 1, 10);
    b.write(rdmasr, 1, 11);
    ASSERT_EQ(b.sent.size(), 1u);
    EXPECT_TRUE(b.sent[0].first.level);
    b.registers.end_of_interrupt(0x50, 20);
    EXPECT_EQ(b.sent.size(), 1u);
    b.write(rdmasr, 1, 21);
    EXPECT_EQ(b.sent.size(), 2u);
    // Active low, the idle line asks: at once, and after each EOI.
    b.write(redirection + 8 * 18, entry::level | entry::active_low | 0x51, 30);
    EXPECT_EQ(b.sent.size(), 3u);
    b.registers.end_of_interrupt(0x51, 40);
    ASSERT_EQ(b.sent.size(), 4u);
    EXPECT_EQ(b.sent[3].second, 40u);
}

// As the host driver of Linux enables, acknowledges and disables.
TEST(sbox_unit, doorbells_interrupt_the_host) {
    bench b;
    b.write(sdbic + 4, 1u << 31 | 0xdead);
    EXPECT_EQ(b.read(sicr0), 2u);
    EXPECT_FALSE(b.registers.host_interrupt());  // not enabled
    EXPECT_EQ(b.read(sdbic + 4), 1u << 31 | 0xdead);
    b.write(sice0, b.read(sice0) | 0xff0f);
    EXPECT_EQ(b.read(sice0), 0xff0fu);
    EXPECT_TRUE(b.registers.host_interrupt());
    b.write(sdbic, 1u << 31);
    b.write(sdbic + 8, 5);  // without the request bit
    const std::uint32_t causes = b.read(sicr0);
    EXPECT_EQ(causes, 3u);
    b.write(sdbic + 12, 1u << 31);  // comes between
    b.write(sicr0, causes);
    EXPECT_EQ(b.read(sicr0), 8u);
    EXPECT_TRUE(b.registers.host_interrupt());
    b.write(sicc0, b.read(sice0));
    EXPECT_EQ(b.read(sice0), 0u);
    EXPECT_FALSE(b.registers.host_interrupt());
    EXPECT_EQ(b.read(sicr0), 8u);
    // The same doorbell rings again although its bit is still set.
    b.write(sicr0, 8);
    b.write(sdbic + 12, 1u << 31);
    EXPECT_EQ(b.read(sicr0), 8u);
}

TEST(sbox_unit, reset_request) {
    bench b;
    b.write(0x1'4010, 2);
    EXPECT_EQ(b.resets, 0u);
    b.write(0x1'4010, b.read(0x1'4010) | 1);
    EXPECT_EQ(b.resets, 1u);
}

TEST(sbox_unit, scratchpads_are_the_softwares) {
    bench b;
    for (std::uint32_t n = 0; n < 16; ++n) b.write(spad + 4 * n, 0x1234'5600 + n);
    for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(b.read(spad + 4 * n), 0x1234'5600 + n);
}

}  // namespace
}  // namespace knc::sbox::test
