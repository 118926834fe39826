// What the memory of the card costs on the host.
#include <knc/memory/ram.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace knc::memory::test {
namespace {

constexpr std::uint64_t mb = 1024 * 1024, gb = 1024 * mb;

// Resident KB of the host mapping that begins at `start` (Rss in /proc/self/smaps).
std::uint64_t resident_kb(const void* start) {
    std::ostringstream first;
    first << std::hex << reinterpret_cast<std::uintptr_t>(start) << '-';
    std::ifstream smaps{"/proc/self/smaps"};
    bool found = false;
    for (std::string line; std::getline(smaps, line);) {
        if (line.compare(0, first.str().size(), first.str()) == 0) found = true;
        if (found && line.compare(0, 4, "Rss:") == 0) return std::stoull(line.substr(4));
    }
    ADD_FAILURE() << "no mapping begins there";
    return 0;
}

// The largest card. One byte in each of its 16384 MB: as many pages of 4 KB, 64 MB in all.
TEST(ram, sixteen_gigabytes_cost_what_is_written) {
    ram m{"ram", 16 * gb};
    EXPECT_EQ(resident_kb(m.data()), 0u);
    for (std::uint64_t n = 0; n < 16 * 1024; ++n) m.data()[n * mb] = static_cast<std::uint8_t>(n);
    EXPECT_EQ(resident_kb(m.data()), 16u * 1024 * 4);
    EXPECT_EQ(m.data()[12'345 * mb], static_cast<std::uint8_t>(12'345));
    m.data()[16 * gb - 1] = 0x5A;  // the last byte: one page more
    EXPECT_EQ(resident_kb(m.data()), 16u * 1024 * 4 + 4);
}

// Where the host's kernel has one page of zeros for all that was never written.
TEST(ram, reading_costs_nothing) {
    ram m{"ram", 16 * gb};
    EXPECT_EQ(m.data()[0], 0u);
    if (resident_kb(m.data()) != 0) GTEST_SKIP() << "this host has no page of zeros";
    unsigned sum = 0;
    for (std::uint64_t n = 0; n < 16 * 1024; ++n) sum += m.data()[n * mb];
    EXPECT_EQ(sum, 0u);
    EXPECT_EQ(resident_kb(m.data()), 0u);
}

}  // namespace
}  // namespace knc::memory::test
