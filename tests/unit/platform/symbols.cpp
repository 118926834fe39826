// Whose code is at an address: by the address, and by the content of its page.
#include <platform/function_profile.h>
#include <platform/symbols.h>

#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include <platform/input_error.h>

#include "elf_builder.h"
#include "no_machine.h"

namespace platform {
namespace {

using knc::base::supervisor;
using knc::base::user;

constexpr std::uint64_t base = 0x400000, page = 0x1000;

// A program of two pages of code at `base`, each filled with one byte, with a function in each.
image program_of(const std::string& name, char first, char second) {
    image i;
    i.name = name;
    i.file = std::string(page, first) + std::string(page, second);
    i.segments = {{base, base, 2 * page, 0, 2 * page, true}};
    i.symbols = {{base, page, "one", true}, {base + page, page, "two", true}};
    return i;
}

image kernel() {
    image i;
    i.name = "kernel";
    i.file = std::string(page, 'k');
    i.segments = {{0x1000000, 0xffffffff81000000, page, 0, page, true}};
    i.symbols = {{0xffffffff81000010, 0x10, "start", true}};
    return i;
}

// Physical memory of whole pages, each filled with one byte; and a thread without paging, so that
// the other pages of its address space are at the physical address that is their linear one.
struct rig {
    std::map<std::uint64_t, char> pages;
    unsigned reads = 0;
    no_machine machine;

    memory_reader reader() {
        return [this](std::uint64_t at, void* to, std::size_t size) {
            ++reads;
            const auto found = pages.find(at);
            if (found == pages.end() || size != page) return false;
            std::memset(to, found->second, size);
            return true;
        };
    }
    std::string name(symbols& s, knc::base::privilege p, std::uint64_t ip, std::uint64_t paddr) {
        return s.name({machine.c, p, ip, paddr});
    }
};

TEST(symbols, a_kernel_is_known_by_its_address_also_before_paging) {
    rig r;
    const image k = kernel();
    symbols s{k, {}, r.reader()};
    EXPECT_EQ(r.name(s, supervisor, 0xffffffff81000014, 0x1000014), "kernel: start+0x4");
    EXPECT_EQ(r.name(s, supervisor, 0x1000014, 0x1000014), "kernel: start+0x4");
    EXPECT_EQ(r.name(s, supervisor, 0x1000800, 0x1000800), "kernel: [unknown]");
    EXPECT_EQ(r.name(s, supervisor, 0x90000, 0x90000), "[unknown]");
    // A program at these addresses is not the kernel.
    EXPECT_EQ(r.name(s, user, 0x1000014, 0x5000014), "[unknown]");
    EXPECT_EQ(r.reads, 0u);
}

TEST(symbols, of_an_image_without_symbols_nothing_is_said) {
    rig r;
    image i = kernel();
    i.symbols.clear();
    symbols s{i, {}, r.reader()};
    EXPECT_EQ(r.name(s, supervisor, 0x90000, 0x90000), "");
}

TEST(symbols, programs_of_the_same_address_are_known_by_their_pages) {
    rig r;
    const image k = kernel();
    const std::vector<image> more = {program_of("a", 'a', 'A'), program_of("b", 'b', 'B')};
    symbols s{k, more, r.reader()};
    r.pages = {{0x10000, 'b'}, {0x11000, 'A'}, {0x12000, 'x'}};
    EXPECT_EQ(r.name(s, user, base + 4, 0x10004), "b: one+0x4");
    EXPECT_EQ(r.name(s, user, base + page + 5, 0x11005), "a: two+0x5");
    EXPECT_EQ(r.name(s, user, base, 0x12000), "[unknown]");
    EXPECT_EQ(r.name(s, user, base + 2 * page, 0x10000), "[unknown]");  // behind both
    // Each page was read once. The first is read again after it was asked for at another address.
    EXPECT_EQ(r.reads, 3u);
    EXPECT_EQ(r.name(s, user, base + 4, 0x10004), "b: one+0x4");
    EXPECT_EQ(r.name(s, user, base + 8, 0x10008), "b: one+0x8");
    EXPECT_EQ(r.reads, 4u);
}

TEST(symbols, a_page_that_changed_is_compared_again) {
    rig r;
    const image k = kernel();
    const std::vector<image> more = {program_of("a", 'a', 'A'), program_of("b", 'b', 'B')};
    symbols s{k, more, r.reader()};
    r.pages = {{0x10000, 'a'}};
    EXPECT_EQ(r.name(s, user, base, 0x10000), "a: one+0x0");
    r.pages[0x10000] = 'b';
    EXPECT_FALSE(s.page_changed(0x11));
    EXPECT_TRUE(s.page_changed(0x10));
    EXPECT_FALSE(s.page_changed(0x10));
    EXPECT_EQ(r.name(s, user, base, 0x10000), "b: one+0x0");
    EXPECT_EQ(r.reads, 2u);
}

// Two programs whose first pages are alike: the other pages of the address space decide. While they
// are not there, the first program stands for both, until more is known.
TEST(symbols, pages_that_are_alike_belong_to_the_program_of_the_address_space) {
    rig r;
    const image k = kernel();
    const std::vector<image> more = {program_of("a", 's', 'A'), program_of("b", 's', 'B')};
    symbols s{k, more, r.reader()};
    r.pages = {{0x10000, 's'}, {base, 's'}, {base + page, 'B'}};
    EXPECT_EQ(r.name(s, user, base, 0x10000), "b: one+0x0");

    r.pages.erase(base + page);
    s.forget();
    EXPECT_EQ(r.name(s, user, base, 0x10000), "a: one+0x0");
    r.pages[base + page] = 'B';
    EXPECT_EQ(r.name(s, user, base, 0x10000), "a: one+0x0");  // nothing new is known
    r.pages[0x11000] = 'B';
    EXPECT_EQ(r.name(s, user, base + page, 0x11000), "b: two+0x0");
    EXPECT_EQ(r.name(s, user, base, 0x10000), "b: one+0x0");
}

// Firmware without an operating system: one image at both levels.
TEST(symbols, an_image_has_its_addresses_at_both_levels) {
    rig r;
    const image i = program_of("x.elf", 'x', 'X');
    const std::vector<image> more = {program_of("a", 'a', 'A')};
    symbols s{i, more, r.reader()};
    r.pages = {{0x10000, 'a'}, {0x11000, 'z'}};
    EXPECT_EQ(r.name(s, supervisor, base, 0x10000), "x.elf: one+0x0");
    EXPECT_EQ(r.name(s, user, base, 0x10000), "a: one+0x0");
    EXPECT_EQ(r.name(s, user, base, 0x11000), "x.elf: one+0x0");
}

// At CPL 3 the addresses of a kernel are those of its programs: a bzImage lies where they may.
TEST(symbols, a_kernel_has_no_addresses_of_its_programs) {
    rig r;
    image i = program_of("bzImage", 'x', 'X');
    symbols s{i, {}, r.reader()};
    EXPECT_EQ(r.name(s, user, base, 0x10000), "bzImage: one+0x0");
    i.protocol = boot_protocol::bzimage;
    EXPECT_EQ(r.name(s, supervisor, base, base), "bzImage: one+0x0");
    EXPECT_EQ(r.name(s, user, base, 0x10000), "[unknown]");
}

TEST(symbols, places_end_with_the_page_and_the_function) {
    rig r;
    const image k = kernel();
    std::vector<image> more = {program_of("a", 'a', 'A')};
    more[0].symbols = {{base + 0x10, page, "f", true}};
    symbols s{k, more, r.reader()};
    r.pages = {{0x10000, 'a'}, {0x20000, 'A'}};
    const auto place = [&](std::uint64_t ip, std::uint64_t paddr) {
        return s.locate({r.machine.c, user, ip, paddr});
    };
    const symbols::place before = place(base, 0x10000);
    EXPECT_EQ(before.low, base);
    EXPECT_EQ(before.high, base + 0x10);
    EXPECT_EQ(before.function, function_table::none);
    ASSERT_NE(before.in, nullptr);
    const symbols::place first = place(base + 0x20, 0x10020);
    EXPECT_EQ(first.low, base + 0x10);
    EXPECT_EQ(first.high, base + page);
    const symbols::place second = place(base + page, 0x20000);
    EXPECT_EQ(second.low, base + page);
    EXPECT_EQ(second.high, base + page + 0x10);
    const symbols::place none = place(0x7000123, 0x30123);
    EXPECT_EQ(none.low, 0x7000000u);
    EXPECT_EQ(none.high, 0x7001000u);
    EXPECT_EQ(none.in, nullptr);
}

// The stretches that a core keeps are void when a page that the profile has seen was written.
TEST(function_profile, tells_when_known_code_has_changed) {
    rig r;
    const image k = kernel();
    const std::vector<image> more = {program_of("a", 'a', 'A'), program_of("b", 'b', 'B')};
    symbols s{k, more, r.reader()};
    function_profile p{s};
    knc::isa::code_map::observer& written = p;
    r.pages = {{0x10000, 'a'}};
    const auto cell = [&] { return p.find({r.machine.c, user, base, 0x10000}).cell; };
    ++cell()->instructions;
    const std::uint64_t version = p.version();
    written.code_dropped(0x11);
    EXPECT_EQ(p.version(), version);
    r.pages[0x10000] = 'b';
    written.code_dropped(0x10);
    EXPECT_NE(p.version(), version);
    cell()->instructions += 2;
    EXPECT_EQ(p.count(1, 0, user).instructions, 1u);
    EXPECT_EQ(p.count(2, 0, user).instructions, 2u);
    EXPECT_EQ(p.count(2, 0, supervisor).instructions, 0u);
    EXPECT_EQ(p.count(2, function_table::none, user).instructions, 0u);
}

// What read_program() throws; empty: nothing.
std::string refusal(const std::string& bytes) {
    try {
        read_program(bytes, "dir/p");
        return "";
    } catch (const input_error& e) {
        return e.what();
    }
}

TEST(read_program, takes_what_cannot_be_loaded_and_keeps_its_code) {
    elf_builder b;
    b.with_multiboot = false;
    b.header.e_entry = 0;
    b.add_segment(0x400000, 0x400000, elf_builder::code_size, 0x1000, PF_R | PF_W);
    b.add_symbol("f", 0x100010, 4, STT_FUNC);
    const image i = read_program(b.bytes(), "dir/p");
    EXPECT_EQ(i.name, "p");
    ASSERT_EQ(i.segments.size(), 2u);
    EXPECT_EQ(i.content(i.segments[0]), b.bytes().substr(elf_builder::code_offset, 0x100));
    EXPECT_EQ(i.file.size(), elf_builder::code_size);
    EXPECT_EQ(i.content(i.segments[1]), "");
}

TEST(read_program, says_what_is_wrong) {
    EXPECT_EQ(refusal("text"), "dir/p: not an ELF file");
    EXPECT_EQ(refusal(elf_builder{}.bytes()), "dir/p: no symbols of functions");
    elf_builder data;
    data.add_symbol("d", 0x100010, 4, STT_OBJECT);
    EXPECT_EQ(refusal(data.bytes()), "dir/p: no symbols of functions");
    elf_builder moved;
    moved.add_symbol("f", 0x100010, 4, STT_FUNC);
    moved.header.e_type = ET_DYN;
    EXPECT_EQ(refusal(moved.bytes()), "dir/p: not an executable with fixed addresses (ET_EXEC)");
    elf_builder cut;
    cut.add_symbol("f", 0x100010, 4, STT_FUNC);
    EXPECT_EQ(refusal(cut.bytes().substr(0, 70)).substr(0, 7), "dir/p: ");
}

}  // namespace
}  // namespace platform
