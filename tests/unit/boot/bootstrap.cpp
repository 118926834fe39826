// The bootstrap: what it enters, and with which POST code it gives up.
#include <knc/boot/bootstrap.h>

#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace knc::boot {
namespace {

using namespace std::string_literals;

// 256 MB of which only the written pages exist.
struct sparse_memory final : memory_if {
    static constexpr std::uint64_t size = 256 << 20, page = 4096;
    std::map<std::uint64_t, std::string> pages;
    std::uint64_t writes = 0;

    bool each(std::uint64_t at, std::size_t n, const std::function<void(char&, std::size_t)>& f) {
        if (at > size || n > size - at) return false;
        for (std::size_t i = 0; i < n; ++i) {
            std::string& p = pages[(at + i) / page];
            p.resize(page);
            f(p[(at + i) % page], i);
        }
        return true;
    }
    bool read(std::uint64_t at, void* to, std::size_t n) override {
        return each(at, n, [&](char& c, std::size_t i) { static_cast<char*>(to)[i] = c; });
    }
    bool write(std::uint64_t at, const void* from, std::size_t n) override {
        ++writes;
        return each(at, n, [&](char& c, std::size_t i) { c = static_cast<const char*>(from)[i]; });
    }
    template <typename T>
    T get(std::uint64_t at) {
        T v{};
        EXPECT_TRUE(read(at, &v, sizeof v));
        return v;
    }
    template <typename T>
    void put(std::uint64_t at, T v) {
        EXPECT_TRUE(write(at, &v, sizeof v));
    }
    std::string text(std::uint64_t at, std::size_t n) {
        std::string s(n, '\0');
        EXPECT_TRUE(read(at, s.data(), n));
        return s;
    }
};

// As a host leaves the card's memory: a bzImage at 64 MB with 1 KB of setup code and the text
// "kernel" as its code, a command line behind it, an initrd at 128 MB.
struct bootstrap : testing::Test {
    static constexpr std::uint32_t base = 64 << 20, initrd = 128 << 20, code = 1024,
                                   size = code + 6;
    sparse_memory memory;
    machine card;

    bootstrap() {
        card.memory_size = sparse_memory::size;
        card.threads = 8;
        memory.put(base + 0x1f1, std::uint8_t{1});
        memory.put(base + 0x1fe, std::uint16_t{0xaa55});
        memory.put(base + 0x200, std::uint16_t{0x66eb});
        memory.write(base + 0x202, "HdrS", 4);
        memory.put(base + 0x206, std::uint16_t{0x020f});
        memory.put(base + 0x211, std::uint8_t{1});
        memory.put(base + 0x218, initrd);
        memory.put(base + 0x21c, std::uint32_t{5000});
        memory.put(base + 0x22c, std::uint32_t{0x7fff'ffff});
        memory.put(base + 0x238, std::uint32_t{2047});
        memory.put(base + 0x258, std::uint64_t{16 << 20});
        memory.put(base + 0x260, std::uint32_t{8 << 20});
        memory.write(base + code, "kernel", 6);
        memory.write(base + size, "quiet", 6);
    }
    // The POST code; the image is entered, or nothing is written.
    std::uint32_t starts(std::uint32_t image_size = size) {
        memory.writes = 0;
        const start s = start_image(memory, base, image_size, card);
        EXPECT_EQ(s.entry.has_value(), s.post == post_finished);
        EXPECT_EQ(memory.writes == 0, s.post != post_finished);
        return s.post;
    }
};

TEST_F(bootstrap, enters_the_image) {
    const start s = start_image(memory, base, size, card);
    EXPECT_EQ(s.post, 'F' | 'F' << 8);
    ASSERT_TRUE(s.entry);
    EXPECT_EQ(s.entry->rip, 0x100000u);
    EXPECT_EQ(s.entry->page_tables, 0u);
    EXPECT_EQ(memory.text(0x100000, 6), "kernel");
    const std::uint64_t params = s.entry->rsi;
    EXPECT_EQ(memory.text(params + 0x202, 4), "HdrS");
    EXPECT_EQ(memory.get<std::uint8_t>(params + 0x210), 0xff);
    EXPECT_EQ(memory.text(memory.get<std::uint32_t>(params + 0x228), 6), "quiet\0"s);
    EXPECT_EQ(memory.get<std::uint32_t>(params + 0x218), initrd);
    EXPECT_EQ(memory.get<std::uint32_t>(params + 0x21c), 5000u);
    EXPECT_EQ(memory.get<std::uint8_t>(params + 0x1e8), 4);  // entries of the memory map
    EXPECT_EQ(memory.text(0xe0000, 4), "SYST");
    EXPECT_EQ(memory.text(0xf0000, 4), "_MP_");
    EXPECT_EQ(memory.text(0xf8000, 4), std::string(4, '\0'));  // no ACPI
    EXPECT_EQ(memory.text(s.entry->gdt.base + 0x10, 8), "\xff\xff\0\0\0\x9b\xcf\0"s);
}

TEST_F(bootstrap, tells_a_kernel_of_a_pc_where_the_acpi_tables_are) {
    card.acpi = true;
    const start s = start_image(memory, base, size, card);
    ASSERT_TRUE(s.entry);
    const auto rsdp = memory.get<std::uint64_t>(s.entry->rsi + 0x70);
    EXPECT_EQ(memory.text(rsdp, 8), "RSD PTR ");
}

TEST_F(bootstrap, gives_up_with_40_if_there_is_no_image) {
    constexpr std::uint32_t refused = '4' | '0' << 8;
    EXPECT_EQ(starts(0), refused);
    EXPECT_EQ(starts(code), refused);   // the code is missing
    EXPECT_EQ(starts(0x267), refused);  // part of the header
    EXPECT_EQ(starts((192u << 20) + 1), refused);
    EXPECT_EQ(starts(~0u), refused);
    memory.put(base + 0x202, std::uint32_t{0});
    EXPECT_EQ(starts(), refused);
}

TEST_F(bootstrap, gives_up_with_50_if_the_kernel_has_no_room) {
    constexpr std::uint32_t refused = '5' | '0' << 8;
    memory.put(base + 0x260, std::uint32_t{240 << 20});  // from 16 MB to the end of memory
    EXPECT_NE(starts(), refused);
    memory.put(base + 0x260, std::uint32_t{(240 << 20) + 1});
    EXPECT_EQ(starts(), refused);
    memory.put(base + 0x260, std::uint32_t{8 << 20});
    memory.put(base + 0x258, ~std::uint64_t{0});
    EXPECT_EQ(starts(), refused);
}

TEST_F(bootstrap, gives_up_with_51_if_the_command_line_does_not_end) {
    constexpr std::uint32_t refused = '5' | '1' << 8;
    const std::string longest(2047, 'x');
    memory.write(base + size, longest.data(), longest.size());
    EXPECT_EQ(starts(), post_finished);
    memory.put(base + size + 2047, 'x');
    EXPECT_EQ(starts(), refused);
}

TEST_F(bootstrap, gives_up_with_52_if_the_initrd_is_not_in_free_memory) {
    constexpr std::uint32_t refused = '5' | '2' << 8;
    const auto with = [&](std::uint32_t at, std::uint32_t n) {
        memory.put(base + 0x218, at);
        memory.put(base + 0x21c, n);
        return starts();
    };
    EXPECT_EQ(with(0, 0), post_finished);         // none
    EXPECT_EQ(with(24 << 20, 1), post_finished);  // right behind the kernel
    EXPECT_EQ(with((24 << 20) - 1, 1), refused);
    EXPECT_EQ(with(initrd, 128 << 20), post_finished);  // to the end of memory
    EXPECT_EQ(with(initrd, (128 << 20) + 1), refused);
    EXPECT_EQ(with(~0u, ~0u), refused);
    memory.put(base + 0x22c, std::uint32_t{initrd + 4998});  // the last byte allowed
    EXPECT_EQ(with(initrd, 4999), post_finished);
    EXPECT_EQ(with(initrd, 5000), refused);
}

}  // namespace
}  // namespace knc::boot
