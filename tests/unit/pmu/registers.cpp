// Registers: which exist, who may do what with them, their width, reset values and reserved bits.
#include <set>

#include <gtest/gtest.h>

#include "fixture.h"

namespace {

using namespace pmu_test;

enum class direction { rw, ro, wo };
struct row {
    std::uint32_t address;
    direction access;
    std::uint64_t writable;
    bool threaded;
};
// Tables 1-2 to 1-10 of the guide, written out.
constexpr row rows[] = {
    {0x10, direction::rw, 0xFFFF'FFFF'FFFF'FFFF, false},
    {0x20, direction::rw, 0xFF'FFFF'FFFF, true},
    {0x21, direction::rw, 0xFF'FFFF'FFFF, true},
    {0x28, direction::rw, 0xFFF7'FFFF, true},
    {0x29, direction::rw, 0xFFF7'FFFF, true},
    {0x2C, direction::rw, 0x8000'0000'0000'0003, true},
    {0x2D, direction::ro, 0x3, true},
    {0x2E, direction::wo, 0x3, true},
    {0x2F, direction::rw, 0x3, true},
};

const row* find(std::uint32_t address) {
    for (const row& r : rows) {
        if (r.address == address) return &r;
    }
    return nullptr;
}

TEST(registers, which_exist_and_in_which_direction) {
    bench b;
    for (std::uint32_t address = 0; address < 0x2000; ++address) {
        const row* r = find(address);
        std::uint64_t value = 0;
        EXPECT_EQ(b.registers.read(0, address, value), r != nullptr && r->access != direction::wo)
            << address;
        EXPECT_EQ(b.registers.write(0, address, 0), r != nullptr && r->access != direction::ro)
            << address;
    }
    std::uint64_t value = 0;
    // No alias where only low address bits match.
    EXPECT_FALSE(b.registers.read(0, 0x1'0020, value));
    EXPECT_FALSE(b.registers.read(0, 0xC000'0028, value));
}

TEST(registers, reset_to_zero) {
    bench b;
    for (std::size_t thread = 0; thread < 4; ++thread) {
        for (const row& r : rows) {
            if (r.access == direction::wo) continue;
            EXPECT_EQ(b.read(r.address, thread), 0u) << r.address;
        }
    }
}

TEST(registers, hold_all_their_bits) {
    for (const row& r : rows) {
        if (r.access != direction::rw) continue;
        bench b;
        ASSERT_TRUE(b.write(r.address, r.writable)) << r.address;
        EXPECT_EQ(b.read(r.address), r.writable) << r.address;
        const std::uint64_t pattern = 0x5555'5555'5555'5555 & r.writable;
        ASSERT_TRUE(b.write(r.address, pattern)) << r.address;
        EXPECT_EQ(b.read(r.address), pattern) << r.address;
    }
}

TEST(registers, each_reserved_bit_refused) {
    for (const row& r : rows) {
        if (r.access == direction::ro) continue;
        for (unsigned n = 0; n < 64; ++n) {
            bench b;
            const bool reserved = (r.writable >> n & 1) == 0;
            EXPECT_EQ(b.write(r.address, base::bit(n)), !reserved) << r.address << " bit " << n;
            if (r.access != direction::rw) continue;
            EXPECT_EQ(b.read(r.address), reserved ? 0 : base::bit(n)) << r.address << " bit " << n;
        }
    }
}

TEST(registers, a_refused_write_changes_nothing) {
    bench b;
    b.write(msr::evtsel0, instructions | os | en);
    EXPECT_FALSE(b.write(msr::evtsel0, base::bit(19)));
    EXPECT_EQ(b.read(msr::evtsel0), instructions | os | en);
    b.write(msr::cntr1, 5);
    EXPECT_FALSE(b.write(msr::cntr1, base::bit(40) | 7));
    EXPECT_EQ(b.read(msr::cntr1), 5u);
}

TEST(registers, each_reserved_bit_ignored) {
    pmu::parameters p;
    p.reserved_bits = pmu::reserved_bits::ignore;
    for (const row& r : rows) {
        bench b(p);
        EXPECT_EQ(b.write(r.address, ~std::uint64_t{0}), r.access != direction::ro) << r.address;
        if (r.access != direction::rw) continue;
        EXPECT_EQ(b.read(r.address), r.writable) << r.address;
    }
}

TEST(registers, ignored_bits_do_not_lift_the_direction_rule) {
    pmu::parameters p;
    p.reserved_bits = pmu::reserved_bits::ignore;
    bench b(p);
    std::uint64_t value = 0;
    EXPECT_FALSE(b.write(msr::status, 0));
    EXPECT_FALSE(b.registers.read(0, msr::ovf, value));
}

TEST(registers, banked_per_thread_but_for_the_time_stamp_counter) {
    for (const row& r : rows) {
        if (r.access != direction::rw) continue;
        bench b;
        for (std::size_t thread = 0; thread < 4; ++thread)
            b.write(r.address, thread & r.writable, thread);
        for (std::size_t thread = 0; thread < 4; ++thread) {
            // The last write, by thread 3, is the one a shared register keeps.
            EXPECT_EQ(b.read(r.address, thread), r.threaded ? thread & r.writable : 3u)
                << r.address;
        }
    }
}

TEST(registers, table_agrees) {
    ASSERT_EQ(pmu::knc_registers().size(), std::size(rows));
    const pmu::knc_register* info = pmu::knc_registers().begin();
    for (const row& r : rows) {
        EXPECT_EQ(pmu::knc_registers().find(r.address).row, info);
        EXPECT_EQ(info->address, r.address);
        EXPECT_EQ(info->writable, r.writable);
        EXPECT_EQ(info->threaded, r.threaded);
        EXPECT_EQ(info->reset(), 0u);
        const unsigned width = r.address == 0x10 || r.address == 0x2C   ? 64
                               : r.address == 0x20 || r.address == 0x21 ? 40
                                                                        : 32;
        EXPECT_EQ(info->width, width) << r.address;
        ++info;
    }
}

TEST(registers, a_counter_write_sets_all_40_bits) {
    bench b;
    // No sign extension from bit 31, unlike P6.
    b.write(msr::cntr0, 0x8000'0000);
    EXPECT_EQ(b.read(msr::cntr0), 0x8000'0000u);
    b.write(msr::cntr0, 0xFF'0000'0000);
    EXPECT_EQ(b.read(msr::cntr0), 0xFF'0000'0000u);
}

TEST(registers, rdpmc) {
    bench b;
    b.write(msr::cntr0, top, 2);
    b.write(msr::cntr1, 7, 2);
    std::uint64_t value = 0;
    EXPECT_TRUE(b.registers.rdpmc(2, 0, value));
    EXPECT_EQ(value, top);  // zero-extended: bits 63:40 are 0
    EXPECT_TRUE(b.registers.rdpmc(2, 1, value));
    EXPECT_EQ(value, 7u);
    EXPECT_TRUE(b.registers.rdpmc(1, 1, value));
    EXPECT_EQ(value, 0u);  // thread 1 has its own counters
    for (std::uint32_t index : {2u, 3u, 0x8000'0000u, 0x4000'0000u, 0xFFFF'FFFFu}) {
        EXPECT_FALSE(b.registers.rdpmc(0, index, value)) << index;
    }
}

TEST(registers, time_stamp_counter) {
    bench b;
    b.tick(100);
    EXPECT_EQ(b.registers.tsc(100), 100u);
    EXPECT_EQ(b.registers.tsc(105), 105u);  // between two settlings
    EXPECT_EQ(b.read(msr::tsc, 3), 100u);
    b.write(msr::tsc, 1'000'000, 1);  // at clock 100, seen by all threads
    EXPECT_EQ(b.registers.tsc(100), 1'000'000u);
    b.tick(50);
    EXPECT_EQ(b.read(msr::tsc, 2), 1'000'050u);
    b.write(msr::tsc, ~std::uint64_t{0});
    EXPECT_EQ(b.registers.tsc(152), 1u);  // 2^64 - 1, then 0, then 1
}

TEST(registers, time_stamp_counter_runs_whatever_global_ctrl) {
    bench b;
    b.write(msr::ctrl, 3);
    b.tick(10);
    EXPECT_EQ(b.read(msr::tsc), 10u);
    b.write(msr::ctrl, 0);
    b.tick(10);
    EXPECT_EQ(b.read(msr::tsc), 20u);
}

TEST(registers, reset_clears_everything) {
    bench b(unaudited());
    for (std::size_t thread = 0; thread < 4; ++thread) {
        for (const row& r : rows) b.write(r.address, r.writable, thread);
        b.arm(instructions | os | intr, top, thread, 0);
        b.arm(instructions | os | intr | cmask(1), top, thread, 1);
        b.registers.spflt(thread, true);
        b.ledger.raise(thread, base::instructions_executed);
    }
    b.tick();
    b.tick(100);
    ASSERT_TRUE(b.registers.pmi_line(0));
    ASSERT_TRUE(b.counters.per_cycle());
    b.registers.reset();
    for (std::size_t thread = 0; thread < 4; ++thread) {
        for (const row& r : rows) {
            if (r.access == direction::wo) continue;
            EXPECT_EQ(b.read(r.address, thread), 0u) << r.address;
        }
        EXPECT_FALSE(b.registers.pmi_line(thread));
        EXPECT_EQ(b.registers.state(thread).overflows[0], 0u);
    }
    EXPECT_FALSE(b.counters.per_cycle());
    EXPECT_EQ(b.counters.deadline(), base::never);
    b.record.seen.clear();
    b.raise(0, base::instructions_executed);
    EXPECT_EQ(b.read(msr::cntr0), 0u);
    EXPECT_EQ(b.read(msr::tsc), 1u);  // clocks since this reset
    EXPECT_TRUE(b.record.seen.empty());
}

}  // namespace
