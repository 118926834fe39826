// Listings of code: what is printed, and for which addresses.
#include <platform/disassembly.h>

#include <sstream>

#include <gtest/gtest.h>

#include <platform/input_error.h>

namespace platform {
namespace {

// 64-bit code at 0x1000, 16-bit code at 0x2000.
image sample() {
    image i;
    i.name = "x.elf";
    i.file =
        std::string{
            "\x62\xF1\x68\x19\x58\xCB"                  // 1000 start: vaddps
            "\xE8\x02\x00\x00\x00"                      // 1006 call 100d
            "\x06"                                      // 100b no instruction in 64-bit mode
            "\x90"                                      // 100c nop
            "\x62\xF1\x78\x08\x28\x0D\xF3\xFF\x0F\x00"  // 100d inner: vmovaps, 101017 - 0xd
            "\xC5\xF8\x84\xE2\xFF\xFF\xFF"              // 1017 jkzd 101e - 1e
            "\xC3",                                     // 101e
            31} +
        std::string{"\xB8\x34\x12\x06\xEB\xFA", 6};  // 2000: mov, push %es, jmp 2000
    i.code = {{0x1000, 0, 31, 64}, {0x2000, 31, 6, 16}};
    i.symbols = {{0x1000, 13, "start", true},
                 {0x100D, 18, "inner", true},
                 {0x2000, 0, "real", false},
                 {0x10'1000, 64, "table", false}};
    return i;
}

std::string listing(const code_range& r, syntax s = syntax::att) {
    std::ostringstream out;
    disassemble(sample(), r, s, out);
    return out.str();
}

TEST(disassembly, of_everything) {
    EXPECT_EQ(
        listing({}),
        "1000 <start>:\n"
        "      1000:  62 f1 68 19 58 cb              vaddps %zmm3 {cdab}, %zmm2, %zmm1 {%k1}\n"
        "      1006:  e8 02 00 00 00                 call 0x100D  <inner>\n"
        "      100b:  06                             (bad)\n"
        "      100c:  90                             nop\n"
        "100d <inner>:\n"
        "      100d:  62 f1 78 08 28 0d f3 ff 0f 00  vmovaps 0x10100A, %zmm1  <table+0xa>\n"
        "      1017:  c5 f8 84 e2 ff ff ff           jkzd 0x1000, %k0  <start>\n"
        "      101e:  c3                             ret\n"
        "2000 <real>:\n"
        "      2000:  b8 34 12                       mov $0x1234, %ax\n"
        "      2003:  06                             push %es\n"
        "      2004:  eb fa                          jmp 0x2000  <real>\n");
}

TEST(disassembly, of_a_range_and_in_intel_syntax) {
    EXPECT_EQ(listing({0x100C, 0x1017}, syntax::intel),
              "      100c:  90                             nop\n"
              "100d <inner>:\n"
              "      100d:  62 f1 78 08 28 0d f3 ff 0f 00  vmovaps zmm1, zmmword ptr [0x10100A]  "
              "<table+0xa>\n");
    // What begins before the range is left out.
    EXPECT_EQ(listing({0x1001, 0x100B}),
              "      1006:  e8 02 00 00 00                 call 0x100D  <inner>\n");
    EXPECT_EQ(listing({0x3000, 0x4000}), "");
}

TEST(disassembly, ranges) {
    const auto check = [](const char* text, std::uint64_t low, std::uint64_t high) {
        const code_range r = parse_code_range(sample(), text);
        EXPECT_EQ(r.low, low) << text;
        EXPECT_EQ(r.high, high) << text;
    };
    check("0x1000-0x1010", 0x1000, 0x1010);
    check("4096-inner", 0x1000, 0x100D);
    check("inner", 0x100D, 0x101F);
    for (const char* text : {"", "-", "1-", "-1", "real", "nothing", "4096", "1x-2", "0x1-0x2-0x3",
                             "0-0x10000000000000000"})
        EXPECT_THROW(parse_code_range(sample(), text), input_error) << text;
}

TEST(disassembly, needs_code) {
    image i = sample();
    i.code.clear();
    std::ostringstream out;
    EXPECT_THROW(disassemble(i, {}, syntax::att, out), input_error);
}

}  // namespace
}  // namespace platform
