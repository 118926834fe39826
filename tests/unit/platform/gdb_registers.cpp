// The registers as gdb gets them: numbers, sizes, values; which can be written.
#include <platform/gdb_registers.h>

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "no_machine.h"

namespace platform {
namespace {

namespace isa = knc::isa;

const gdb_register_set& all = gdb_register_set::of(gdb_code::x86_64);
const gdb_register_set& narrow = gdb_register_set::of(gdb_code::i386);
constexpr std::size_t rip = 16, eip = 8;  // in gdb/features/i386/64bit-core.xml and 32bit-core.xml

// A register of up to 8 bytes, as a number.
std::uint64_t value(const isa::state& s, std::size_t number, const gdb_register_set& set = all) {
    const std::string bytes = set.read(s, number);
    std::uint64_t v = 0;
    std::memcpy(&v, bytes.data(), std::min(bytes.size(), sizeof v));
    return v;
}

std::string bytes_of(std::uint64_t v, std::size_t size) {
    return {reinterpret_cast<const char*>(&v), size};
}

// gdb counts the registers as they come in the description.
void expect_each_with_its_size(const gdb_register_set& set) {
    const std::string& text = set.description();
    std::size_t at = 0;
    for (std::size_t n = 0; n < set.count(); ++n) {
        at = text.find("<reg name=", at);
        ASSERT_NE(at, std::string::npos) << n;
        const std::size_t size = text.find("bitsize=\"", at) + 9;
        EXPECT_EQ(std::stoul(text.substr(size)), set.bytes(n) * 8) << n;
        at = size;
    }
    EXPECT_EQ(text.find("<reg name=", at), std::string::npos);
}

TEST(gdb_registers, the_description_has_each_with_its_size) {
    expect_each_with_its_size(all);
    expect_each_with_its_size(narrow);
    expect_each_with_its_size(gdb_register_set::of(gdb_code::i8086));
    // 24 of the processor, 16 of the x87 unit, 2 bases, 5 of the system, 32 vectors, 8 masks.
    EXPECT_EQ(all.count(), 87u);
    // 8 general registers and 2 bases less.
    EXPECT_EQ(narrow.count(), 77u);
}

// The numbers are those of gdb/features/i386/64bit-core.xml.
TEST(gdb_registers, values_in_the_order_of_gdb) {
    isa::state s;
    const isa::gpr order[] = {isa::rax, isa::rbx, isa::rcx, isa::rdx,
                              isa::rsi, isa::rdi, isa::rbp, isa::rsp};
    for (unsigned n = 0; n < 8; ++n) s.r[order[n]] = 0x1000 + n;
    for (unsigned n = 8; n < 16; ++n) s.r[isa::r8 + n - 8] = 0x1000 + n;
    for (unsigned n = 0; n < 16; ++n) EXPECT_EQ(value(s, n), 0x1000 + n) << n;
    // Real mode: the linear address is what gdb knows code by.
    s.seg[isa::cs] = {0x0800, 0x9b, 0xffff, 0x8000};
    s.r[isa::rip] = 0x12;
    EXPECT_EQ(value(s, rip), 0x8012u);
    s.set_rflags(isa::flag_cf | isa::flag_zf | isa::flag_if);
    EXPECT_EQ(value(s, 17), 0x243u);  // bit 1 is always set
    EXPECT_EQ(value(s, 18), 0x0800u);
    // ST(0) is physical register 7, which holds -2: sign, exponent 1 + 16383, significand 1.0.
    s.x87.initialize();
    s.x87.set_top(7);
    s.x87.set(0, {0x8000'0000'0000'0000, 0xc000});
    EXPECT_EQ(all.read(s, 24), std::string("\0\0\0\0\0\0\0\x80\x00\xc0", 10));
    EXPECT_EQ(value(s, 32), 0x37fu);
    EXPECT_EQ(value(s, 34), 0x3fffu);  // two bits each: only register 7 is in use
    s.cr2 = 0x77;
    EXPECT_EQ(value(s, 43), 0x77u);
    s.vector.zmm[31].set<std::uint32_t>(15, 0xabcd);
    EXPECT_EQ(all.read(s, 47 + 31).substr(60), bytes_of(0xabcd, 4));
    s.vector.k[7] = 0x1234;
    EXPECT_EQ(value(s, 86), 0x1234u);
}

// The numbers are those of gdb/features/i386/32bit-core.xml: the order of the encoding.
TEST(gdb_registers, i386_has_the_lower_halves) {
    no_machine machine;
    isa::state& s = machine.c.s;
    for (unsigned n = 0; n < 8; ++n) s.r[n] = 0x1'0000'1000 + n;
    for (unsigned n = 0; n < 8; ++n) EXPECT_EQ(value(s, n, narrow), 0x1000 + n) << n;
    s.seg[isa::cs] = {0x0800, 0x9b, 0xffff, 0x8000};
    s.r[isa::rip] = 0x12;
    EXPECT_EQ(narrow.ip(), eip);
    EXPECT_EQ(narrow.read(s, eip), bytes_of(0x8012, 4));
    EXPECT_EQ(narrow.ip_bytes(0x1234), bytes_of(0x1234, 4));
    EXPECT_EQ(narrow.ip_of(bytes_of(0x1234, 4)), 0x1234u);
    EXPECT_FALSE(narrow.ip_of(bytes_of(0x1234, 8)));
    EXPECT_EQ(value(s, 10, narrow), 0x0800u);
    s.cr2 = 0x77;
    EXPECT_EQ(value(s, 33, narrow), 0x77u);
    s.vector.k[7] = 0x1234;
    EXPECT_EQ(value(s, 76, narrow), 0x1234u);
    // As an instruction with a 32-bit operand does.
    EXPECT_TRUE(narrow.write(machine.c, 1, bytes_of(5, 4)));
    EXPECT_EQ(s.r[isa::rcx], 5u);
    EXPECT_FALSE(narrow.write(machine.c, 1, bytes_of(5, 8)));
}

TEST(gdb_registers, writes) {
    no_machine machine;
    isa::context* const c = &machine.c;
    EXPECT_TRUE(all.write(*c, 1, bytes_of(5, 8)));
    EXPECT_EQ(c->s.r[isa::rbx], 5u);
    EXPECT_FALSE(all.write(*c, 1, bytes_of(5, 4)));
    EXPECT_TRUE(all.write(*c, 17, bytes_of(0x241, 4)));
    EXPECT_EQ(c->s.rflags(), 0x243u);
    EXPECT_FALSE(all.write(*c, 17, bytes_of(isa::flag_vm, 4)));
    EXPECT_EQ(c->s.rflags(), 0x243u);
    EXPECT_TRUE(all.write(*c, 41, bytes_of(0x1234567890, 8)));
    EXPECT_EQ(c->s.seg[isa::gs].base, 0x1234567890u);
    EXPECT_TRUE(all.write(*c, 79 + 3, bytes_of(0xffee, 2)));
    EXPECT_EQ(c->s.vector.k[3], 0xffee);
    std::string vector(64, 'v');
    EXPECT_TRUE(all.write(*c, 47 + 2, vector));
    EXPECT_EQ(all.read(c->s, 47 + 2), vector);
    // RIP needs the core; selectors, x87 and control registers cannot be written.
    for (const std::size_t n : {rip, std::size_t{18}, std::size_t{24}, std::size_t{42}}) {
        const std::string before = all.read(c->s, n);
        EXPECT_FALSE(all.write(*c, n, std::string(all.bytes(n), '\1'))) << n;
        EXPECT_EQ(all.read(c->s, n), before);
    }
}

}  // namespace
}  // namespace platform
