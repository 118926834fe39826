// Multiboot header search, memory map and information block.
#include <platform/multiboot.h>

#include <cstring>
#include <string>

#include <gtest/gtest.h>

namespace platform::multiboot {
namespace {

std::string header_bytes(std::uint32_t flags, std::uint32_t error = 0) {
    const std::uint32_t words[] = {0x1BADB002, flags, 0u - 0x1BADB002 - flags + error};
    return std::string(reinterpret_cast<const char*>(words), sizeof words);
}

std::uint32_t word(const std::string& block, std::size_t at) {
    std::uint32_t v;
    std::memcpy(&v, block.data() + at, sizeof v);
    return v;
}

TEST(find_header, wants_alignment_checksum_and_the_first_8192_bytes) {
    EXPECT_TRUE(find_header(header_bytes(3)));
    EXPECT_EQ(find_header(std::string(8180, '\0') + header_bytes(3))->offset, 8180u);
    EXPECT_FALSE(find_header(std::string(8184, '\0') + header_bytes(3)));  // ends at 8196
    EXPECT_FALSE(find_header(std::string(2, '\0') + header_bytes(3)));     // not 4-aligned
    EXPECT_FALSE(find_header(header_bytes(3, 1)));
    EXPECT_FALSE(find_header(""));
    // A wrong one does not hide a right one.
    EXPECT_EQ(find_header(header_bytes(3, 1) + header_bytes(7))->flags, 7u);
}

TEST(memory_map, small_memory_ends_below_the_devices) {
    const auto map = memory_map(256 << 20);
    ASSERT_EQ(map.size(), 3u);
    EXPECT_EQ(map[0].length, 0x90000u);
    EXPECT_FALSE(map[1].available);
    EXPECT_EQ(map[2].base, 0x100000u);
    EXPECT_EQ(map[2].base + map[2].length, 256u << 20);
}

TEST(memory_map, large_memory_goes_on_at_4_gigabytes) {
    const auto map = memory_map(6ull << 30);
    ASSERT_EQ(map.size(), 4u);
    EXPECT_EQ(map[2].base + map[2].length, 0xFEC00000u);
    EXPECT_EQ(map[3].base, 4ull << 30);
    EXPECT_EQ(map[3].length, 2ull << 30);
}

// Offsets as in the specification's picture of the structure.
TEST(information, holds_what_its_flags_promise) {
    const std::string block = information("x.elf a=1", memory_map(256 << 20));
    EXPECT_EQ(word(block, 0), 0x245u);       // memory, command line, map, loader name
    EXPECT_EQ(word(block, 4), 576u);         // 0x90000 / 1024
    EXPECT_EQ(word(block, 8), 255u * 1024);  // 255 MB above the first
    EXPECT_EQ(word(block, 44), 3u * 24);     // three regions
    EXPECT_STREQ(block.data() + (word(block, 16) - block_base), "x.elf a=1");
    EXPECT_STREQ(block.data() + (word(block, 64) - block_base), "knc-vp");
    const std::size_t map = word(block, 48) - block_base;
    EXPECT_EQ(word(block, map), 20u);
    EXPECT_EQ(word(block, map + 20), 1u);       // available
    EXPECT_EQ(word(block, map + 24 + 20), 2u);  // reserved
    EXPECT_LE(block.size(), block_size);
}

}  // namespace
}  // namespace platform::multiboot
