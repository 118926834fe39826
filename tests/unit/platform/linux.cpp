// Linux kernels: which files are taken, what lies in memory at the entry, and where.
#include <platform/linux_boot.h>

#include <cstring>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <knc/boot/processor_tables.h>

#include <platform/input_error.h>
#include <platform/linux_image.h>
#include <platform/loader.h>

#include "elf_builder.h"

namespace platform {
namespace {

using knc::boot::kernel_needs;
using knc::boot::mp_base, knc::boot::mp_tables, knc::boot::sfi_base, knc::boot::sfi_tables;

template <typename T>
T at(const std::string& bytes, std::size_t offset) {
    T v;
    std::memcpy(&v, bytes.data() + offset, sizeof v);
    return v;
}
template <typename T>
void put(std::string& bytes, std::size_t offset, T v) {
    std::memcpy(bytes.data() + offset, &v, sizeof v);
}

// One sector of set-up code after the boot sector, then `code` bytes of kernel.
std::string bzimage(std::size_t code = 4096) {
    std::string b(1024 + code, '\0');
    put(b, 0x1f1, std::uint8_t{1});  // setup_sects
    put(b, 0x1fe, std::uint16_t{0xaa55});
    put(b, 0x200, std::uint16_t{0x66eb});  // jmp to 268H, the end of the header
    std::memcpy(b.data() + 0x202, "HdrS", 4);
    put(b, 0x206, std::uint16_t{0x020f});
    put(b, 0x211, std::uint8_t{1});             // loaded high
    put(b, 0x22c, std::uint32_t{0x7fff'ffff});  // initrd_addr_max
    put(b, 0x238, std::uint32_t{2047});         // cmdline_size
    put(b, 0x258, std::uint64_t{0x100'0000});   // pref_address
    put(b, 0x260, std::uint32_t{0x80'0000});    // init_size: 8 MB
    return b;
}
constexpr std::uint64_t memory = 256 << 20;

std::string refusal(const std::string& bytes) {
    try {
        read_bzimage(bytes, "dir/k");
    } catch (const input_error& e) {
        return e.what();
    }
    return "";
}

TEST(bzimage, is_recognised_by_its_header) {
    EXPECT_TRUE(looks_like_bzimage(bzimage()));
    EXPECT_FALSE(looks_like_bzimage(std::string(4096, '\0')));
    EXPECT_FALSE(looks_like_bzimage(bzimage().substr(0, 0x267)));
    EXPECT_FALSE(looks_like_bzimage(""));
}

TEST(bzimage, has_its_code_at_one_megabyte) {
    const image i = read_bzimage(bzimage(), "dir/k");
    EXPECT_EQ(i.name, "k");
    EXPECT_EQ(i.protocol, boot_protocol::bzimage);
    EXPECT_EQ(i.entry, 0x100000u);
    ASSERT_EQ(i.segments.size(), 1u);
    EXPECT_EQ(i.segments[0].physical, 0x100000u);
    EXPECT_EQ(i.segments[0].file_offset, 1024u);
    EXPECT_EQ(i.segments[0].file_size, 4096u);
    EXPECT_EQ(i.setup_header.size(), 0x268u - 0x1f1);
    const kernel_needs n = needs_of(i);
    EXPECT_EQ(n.end, 0x180'0000u);  // 16 MB and 8 MB
    EXPECT_EQ(n.initrd_limit, 0x8000'0000u);
    EXPECT_EQ(n.command_line_size, 2047u);
}

TEST(bzimage, that_is_old_low_cut_or_damaged_is_refused) {
    std::string b = bzimage();
    put(b, 0x206, std::uint16_t{0x0209});
    EXPECT_EQ(refusal(b), "dir/k: a kernel of boot protocol 2.09; 2.10 or later is wanted");
    b = bzimage();
    put(b, 0x211, std::uint8_t{0});
    EXPECT_EQ(refusal(b), "dir/k: a kernel that is loaded below 1 MB (zImage)");
    EXPECT_EQ(refusal(bzimage(0)), "dir/k: truncated: the protected-mode code is not in the file");
    b = bzimage();
    put(b, 0x1f1, std::uint8_t{200});
    EXPECT_EQ(refusal(b), "dir/k: truncated: the protected-mode code is not in the file");
    b = bzimage();
    put(b, 0x201, std::uint8_t{0x40});  // the header would end within its fields
    EXPECT_EQ(refusal(b), "dir/k: damaged setup header");
}

image vmlinux() {
    elf_builder b;
    b.with_multiboot = false;
    b.segments.clear();
    b.add_segment(0x100'0000, 0xffff'ffff'8100'0000, elf_builder::code_size, 0x4000, PF_R | PF_X);
    b.header.e_entry = 0x100'0000;
    return read_image(b.bytes(), "vmlinux");
}

// An ELF64 file without a Multiboot header is a kernel if its code is linked to the top 2 GB.
TEST(vmlinux, is_linked_to_the_kernels_half) {
    const image i = vmlinux();
    EXPECT_EQ(i.protocol, boot_protocol::vmlinux);
    EXPECT_EQ(i.entry, 0x100'0000u);
    EXPECT_EQ(needs_of(i).end, 0x100'4000u);
    elf_builder low;
    low.with_multiboot = false;
    EXPECT_THROW(read_image(low.bytes(), "x"), input_error);
}

linux_machine machine_of(std::uint32_t threads, std::uint32_t boot = 0) {
    linux_machine m;
    m.memory_size = memory;
    m.threads = threads;
    m.boot_apic_id = boot;
    m.signature = 0x0b12;
    return m;
}
std::map<std::uint64_t, std::string> parts_of(const image& i, const std::string& command_line,
                                              std::uint64_t initrd, const linux_machine& m) {
    std::map<std::uint64_t, std::string> parts;
    for (const memory_part& p : linux_tables(i, command_line, initrd, m))
        parts[p.physical] = p.bytes;
    return parts;
}

// Offsets as in Linux's zero-page.rst.
TEST(boot_params, describe_memory_command_line_and_initrd) {
    const image i = read_bzimage(bzimage(), "k");
    const auto parts = parts_of(i, "quiet", 5000, machine_of(4));
    const knc::isa::entry_point e = linux_entry(i);
    EXPECT_EQ(e.rip, 0x100000u);
    EXPECT_EQ(e.page_tables, 0u);
    const std::string& p = parts.at(e.rsi);
    ASSERT_EQ(p.size(), 4096u);
    EXPECT_EQ(p.substr(0x202, 4), "HdrS");
    EXPECT_EQ(at<std::uint16_t>(p, 0x206), 0x020f);
    EXPECT_EQ(at<std::uint8_t>(p, 0x210), 0xff);  // a loader without a number
    EXPECT_EQ(parts.at(at<std::uint32_t>(p, 0x228)), std::string("quiet") + '\0');
    // The last page boundary that leaves 5000 bytes below the end of memory.
    EXPECT_EQ(at<std::uint32_t>(p, 0x218), memory - 8192);
    EXPECT_EQ(at<std::uint32_t>(p, 0x21c), 5000u);
    struct entry {
        std::uint64_t base, size;
        std::uint32_t type;
    };
    const entry expected[] = {{0, 0x90000, 1},
                              {0x90000, 0x70000, 2},
                              {0x100000, memory - 0x100000, 1},
                              {0xfec00000, 0x1400000, 2}};
    ASSERT_EQ(at<std::uint8_t>(p, 0x1e8), std::size(expected));
    for (std::size_t n = 0; n < std::size(expected); ++n) {
        EXPECT_EQ(at<std::uint64_t>(p, 0x2d0 + 20 * n), expected[n].base) << n;
        EXPECT_EQ(at<std::uint64_t>(p, 0x2d8 + 20 * n), expected[n].size) << n;
        EXPECT_EQ(at<std::uint32_t>(p, 0x2e0 + 20 * n), expected[n].type) << n;
    }
}

// Each descriptor is where the entry's selector says.
TEST(linux_entry, has_descriptors_and_page_tables) {
    const image i = vmlinux();
    const knc::isa::entry_point e = linux_entry(i);
    const auto parts = parts_of(i, "", 0, machine_of(4));
    EXPECT_EQ(e.code_selector, 0x10);
    EXPECT_EQ(e.data_selector, 0x18);
    const std::string& gdt = parts.at(e.gdt.base);
    EXPECT_EQ(gdt.size(), e.gdt.limit + 1u);
    EXPECT_EQ(at<std::uint64_t>(gdt, 0x10), 0x00af'9b00'0000'ffffu);  // 64-bit code
    EXPECT_EQ(at<std::uint64_t>(gdt, 0x18), 0x00cf'9300'0000'ffffu);
    // Byte 0xC0201234, of directory 3, entry 1.
    const std::string& tables = parts.at(e.page_tables);
    const auto next = [&](std::uint64_t table, std::size_t n) {
        return at<std::uint64_t>(tables, table - e.page_tables + 8 * n);
    };
    const std::uint64_t pointers = next(e.page_tables, 0) & ~0xfffull;
    const std::uint64_t directory = next(pointers, 3) & ~0xfffull;
    EXPECT_EQ(next(directory, 1), 0xc020'0083u);  // 2 MB, writable, present
    // The block ends before the video memory of a PC.
    EXPECT_LE(e.page_tables + tables.size(), 0xa0000u);
}

std::uint8_t sum(const std::string& bytes, std::size_t from, std::size_t size) {
    std::uint8_t s = 0;
    for (std::size_t n = from; n < from + size; ++n)
        s = static_cast<std::uint8_t>(s + static_cast<std::uint8_t>(bytes[n]));
    return s;
}

// Offsets as in the Simple Firmware Interface 0.7.
TEST(sfi_tables, name_every_thread_and_the_memory) {
    const std::string t = sfi_tables(machine_of(228, 224));
    EXPECT_EQ(t.substr(0, 4), "SYST");
    EXPECT_EQ(at<std::uint32_t>(t, 4), 24u + 3 * 8);
    EXPECT_EQ(sum(t, 0, 48), 0);
    std::map<std::string, std::string> tables;
    for (std::size_t n = 0; n < 3; ++n) {
        const std::uint64_t place = at<std::uint64_t>(t, 24 + 8 * n) - sfi_base;
        EXPECT_EQ(place % 16, 0u);
        const std::size_t size = at<std::uint32_t>(t, place + 4);
        EXPECT_EQ(sum(t, place, size), 0);
        tables[t.substr(place, 4)] = t.substr(place + 24, size - 24);
    }
    ASSERT_EQ(tables["CPUS"].size(), 228u * 4);
    EXPECT_EQ(at<std::uint32_t>(tables["CPUS"], 227 * 4), 227u);
    EXPECT_EQ(at<std::uint64_t>(tables["APIC"], 0), 0x8007da800u);
    EXPECT_EQ(tables["MMAP"].size(), 3u * 36);
    EXPECT_EQ(at<std::uint32_t>(tables["MMAP"], 0), 7u);                // conventional memory
    EXPECT_EQ(at<std::uint64_t>(tables["MMAP"], 20), 0x90000u / 4096);  // pages
    EXPECT_LE(sfi_base + t.size(), mp_base);
}

// Offsets as in the MultiProcessor Specification 1.4.
TEST(mp_tables, mark_the_boot_processor) {
    const std::string t = mp_tables(machine_of(228, 224));
    EXPECT_EQ(t.substr(0, 4), "_MP_");
    EXPECT_EQ(sum(t, 0, 16), 0);
    const std::size_t table = at<std::uint32_t>(t, 4) - mp_base;
    EXPECT_EQ(t.substr(table, 4), "PCMP");
    const std::size_t size = at<std::uint16_t>(t, table + 4);
    EXPECT_EQ(table + size, t.size());
    EXPECT_EQ(sum(t, table, size), 0);
    EXPECT_EQ(at<std::uint16_t>(t, table + 34), 229u);  // processors and a bus
    EXPECT_EQ(at<std::uint32_t>(t, table + 36), 0xfee00000u);
    for (std::size_t n = 0; n < 228; ++n) {
        const std::size_t entry = table + 44 + 20 * n;
        EXPECT_EQ(at<std::uint8_t>(t, entry), 0);
        EXPECT_EQ(at<std::uint8_t>(t, entry + 1), n);
        EXPECT_EQ(at<std::uint8_t>(t, entry + 3), n == 224 ? 3 : 1) << n;
        EXPECT_EQ(at<std::uint32_t>(t, entry + 4), 0x0b12u);
    }
    EXPECT_EQ(t.substr(table + 44 + 228 * 20, 8), std::string("\1\0ISA   ", 8));
    EXPECT_LE(mp_base + t.size(), 0x100000u);
}

std::string misfit(const image& i, const std::string& command_line, std::uint64_t initrd,
                   std::uint64_t size) {
    try {
        check_placement(i, command_line, initrd, size);
    } catch (const input_error& e) {
        return e.what();
    }
    return "";
}

TEST(check_linux, says_what_has_no_room) {
    const image i = read_bzimage(bzimage(), "k");
    EXPECT_EQ(misfit(i, std::string(2047, 'x'), 100 << 20, memory), "");
    EXPECT_EQ(misfit(i, std::string(2048, 'x'), 0, memory),
              "k: the command line is longer than 2047 bytes");
    EXPECT_EQ(misfit(i, "", 0, 16 << 20),
              "k: the kernel needs memory up to 0x1800000, the card has 0x1000000");
    // 256 MB less the 24 MB of the kernel.
    EXPECT_EQ(misfit(i, "", 232 << 20, memory), "");
    EXPECT_EQ(misfit(i, "", (232 << 20) + 1, memory),
              "k: the initrd of 243269633 bytes has no room between the kernel, which ends at "
              "0x1800000, and 0x10000000");
    elf_builder firmware;
    EXPECT_EQ(misfit(read_image(firmware.bytes(), "x.elf"), "", 1, memory),
              "x.elf: an initrd is for a Linux kernel");
}

}  // namespace
}  // namespace platform
