// ELF images: what is accepted, and that no damaged file gets through or does harm.
#include <platform/image.h>

#include <random>
#include <string>

#include <gtest/gtest.h>

#include <platform/input_error.h>
#include <platform/loader.h>

#include "elf_builder.h"

namespace platform {
namespace {

// What read_image says against `bytes`; empty if nothing.
std::string refusal(const std::string& bytes) {
    try {
        read_image(bytes, "dir/x.elf");
    } catch (const input_error& e) {
        EXPECT_EQ(std::string{e.what()}.find('\n'), std::string::npos) << "one line";
        return e.what();
    }
    return "";
}

bool refused(const elf_builder& b, const std::string& why) {
    const std::string text = refusal(b.bytes());
    EXPECT_NE(text.find("x.elf: "), std::string::npos) << text;
    EXPECT_NE(text.find(why), std::string::npos) << text;
    return !text.empty();
}

TEST(image, takes_segments_entry_and_symbols) {
    elf_builder b;
    b.add_segment(0x200000, 0xFFFF800000200000, 0, 0x1000, PF_R | PF_W);
    b.add_symbol("later", 0x100080, 16, STT_FUNC);
    b.add_symbol("start", 0x100010, 32, STT_FUNC);
    b.add_symbol("knc_samples", 0xFFFF800000200100, 64, STT_OBJECT);
    const image i = read_image(b.bytes(), "dir/x.elf");
    EXPECT_EQ(i.name, "x.elf");
    EXPECT_EQ(i.entry, 0x100010u);
    ASSERT_EQ(i.segments.size(), 2u);
    EXPECT_EQ(i.content(i.segments[0]).size(), elf_builder::code_size);
    EXPECT_EQ(i.segments[0].memory_size, 0x200u);
    ASSERT_EQ(i.symbols.size(), 3u);
    EXPECT_EQ(i.symbols[0].name, "start");  // by address
    ASSERT_NE(i.find("knc_samples"), nullptr);
    EXPECT_EQ(i.physical(0xFFFF800000200100, 64), 0x200100u);
    EXPECT_FALSE(i.physical(0xFFFF800000200FFF, 2));  // runs out of its segment
    EXPECT_EQ(i.find("nothing"), nullptr);
}

TEST(image, refuses_what_is_no_firmware) {
    elf_builder b;
    b.header.e_machine = EM_AARCH64;
    EXPECT_TRUE(refused(b, "machine 183"));
    b = {};
    b.header.e_type = ET_DYN;
    EXPECT_TRUE(refused(b, "ET_EXEC"));
    b = {};
    b.with_multiboot = false;
    EXPECT_TRUE(refused(b, "no Multiboot header"));
    b = {};
    b.multiboot_flags = 4;  // wants a video mode
    EXPECT_TRUE(refused(b, "asks for"));
    b = {};
    b.segments.clear();
    EXPECT_TRUE(refused(b, "nothing to load"));
    b = {};
    b.header.e_entry = 0x300000;
    EXPECT_TRUE(refused(b, "entry 0x300000"));
    b = {};
    b.header.e_entry = 0x1'0010'0010;
    EXPECT_TRUE(refused(b, "entry"));
    EXPECT_NE(refusal(""), "");
    EXPECT_NE(refusal("hello"), "");
    EXPECT_NE(refusal("\x7f"
                      "ELF"),
              "");
}

TEST(image, refuses_sizes_and_offsets_that_lie) {
    elf_builder b;
    b.segments[0].p_filesz = 0x300;  // more than in memory
    EXPECT_TRUE(refused(b, "larger in the file"));
    b = {};
    b.segments[0].p_offset = ~0ull - 4;
    EXPECT_TRUE(refused(b, "not in the file"));
    b = {};
    b.segments[0].p_offset = elf_builder::code_offset + 1;
    EXPECT_TRUE(refused(b, "truncated"));
    b = {};
    b.segments[0].p_paddr = ~0ull - 4;
    EXPECT_TRUE(refused(b, "wraps"));
    b = {};
    b.add_segment(0x1001FF, 0x500000, 0, 1, PF_R);  // the last byte of the first one
    EXPECT_TRUE(refused(b, "overlaps"));
    b = {};
    b.header.e_phoff = 1 << 20;
    EXPECT_NE(refusal(b.bytes().substr(0, 0x1100)), "");
}

TEST(image, every_truncation_is_refused_or_harmless) {
    elf_builder b;
    b.add_symbol("f", 0x100010, 32, STT_FUNC);
    const std::string whole = b.bytes();
    ASSERT_EQ(refusal(whole), "");
    for (std::size_t n = 0; n < elf_builder::code_offset + elf_builder::code_size; ++n)
        ASSERT_NE(refusal(whole.substr(0, n)), "") << n << " bytes";
    // Behind the loaded part only symbols can be lost.
    for (std::size_t n = elf_builder::code_offset + elf_builder::code_size; n < whole.size(); ++n)
        refusal(whole.substr(0, n));
}

// Whatever a damaged file gives, its segments lie in the file and it does no harm.
TEST(image, random_damage_does_no_harm) {
    elf_builder b;
    b.add_segment(0x200000, 0x200000, 0x10, 0x1000, PF_R | PF_W);
    b.add_symbol("f", 0x100010, 32, STT_FUNC);
    const std::string whole = b.bytes();
    std::mt19937 random{20260101};
    unsigned accepted = 0;
    for (int n = 0; n < 20'000; ++n) {
        std::string bytes = whole;
        for (int k = 0; k < 3; ++k) {
            // The headers in front and the tables behind are what is interpreted.
            std::size_t at = random() % 0x200;
            if (k == 2) at = bytes.size() - 1 - random() % 0x140;
            bytes[at] = static_cast<char>(random());
        }
        try {
            const image i = read_image(bytes, "x.elf");
            ++accepted;
            for (const segment& s : i.segments)
                ASSERT_LE(s.file_offset + s.file_size, i.file.size());
        } catch (const input_error&) {
        }
    }
    EXPECT_GT(accepted, 0u);  // else the damage never left anything to check
}

TEST(check_placement, keeps_images_off_devices_and_the_loaders_block) {
    const std::uint64_t memory = 64 << 20;
    const auto refusal_at = [&](std::uint64_t physical, std::uint64_t size) -> std::string {
        elf_builder b;
        b.add_segment(physical, 0x40000000, 0, size, PF_R);
        try {
            check_placement(read_image(b.bytes(), "x.elf"), "", 0, memory);
        } catch (const input_error& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(refusal_at(0x1000, 0x8F000), "");
    EXPECT_NE(refusal_at(0x1000, 0x8F001), "");  // into the loader's block
    EXPECT_NE(refusal_at(0xA0000, 1), "");
    EXPECT_EQ(refusal_at(memory - 0x1000, 0x1000), "");
    EXPECT_NE(refusal_at(memory - 0x1000, 0x1001), "");
    EXPECT_NE(refusal_at(0xFEF00000, 0x1000), "");
    EXPECT_NE(refusal_at(~0ull - 0x1000, 0x1000), "");
}

}  // namespace
}  // namespace platform
