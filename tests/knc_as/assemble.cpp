#include "assemble.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>

#include <knc/isa/mvex_displacement.h>
#include <knc_as/rewriter.h>

namespace knc_as::test {
namespace {

void append_long(bytes& b, std::int64_t value) {
    for (unsigned n = 0; n < 4; ++n) b.push_back(static_cast<std::uint8_t>(value >> 8 * n));
}

// .byte 1,2 or .long (TARGET) - . - N with a number as target.
void add_directive(bytes& b, const std::string& text) {
    const auto at = text.find_first_not_of(" \t");
    if (text.compare(at, 6, ".byte ") == 0) {
        std::istringstream in(text.substr(at + 6));
        for (std::string one; std::getline(in, one, ',');)
            b.push_back(static_cast<std::uint8_t>(std::strtoul(one.c_str(), nullptr, 0)));
        return;
    }
    // Numbers of Zydis have 16 digits, some as unsigned as 2^64 - 8.
    unsigned long long target = 0;
    int behind = 0;
    ASSERT_EQ(std::sscanf(text.c_str() + at, ".long (%lli) - . - %d",
                          reinterpret_cast<long long*>(&target), &behind),
              2)
        << text;
    append_long(b,
                static_cast<std::int64_t>(target) - static_cast<std::int64_t>(b.size()) - behind);
}

const ZydisFormatter& formatter(language l) {
    static const auto make = [](ZydisFormatterStyle style) {
        ZydisFormatter f;
        ZydisFormatterInit(&f, style);
        ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE);
        return f;
    };
    static const ZydisFormatter att = make(ZYDIS_FORMATTER_STYLE_ATT);
    static const ZydisFormatter intel = make(ZYDIS_FORMATTER_STYLE_INTEL);
    return l == language::att ? att : intel;
}

}  // namespace

bytes assembled(const std::string& line, language l) {
    rewriter r("line");
    r.rewrite(l == language::intel ? ".intel_syntax noprefix" : ".att_syntax");
    std::string out = r.rewrite(line);
    EXPECT_TRUE(r.errors().empty()) << r.errors()[0];
    if (!r.errors().empty()) return {};
    EXPECT_NE(out, line) << "is left to the assembler";
    if (out == line) return {};
    bytes b;
    std::istringstream in(out.substr(0, out.find("/*")));
    for (std::string directive; std::getline(in, directive, ';');) add_directive(b, directive);
    return b;
}

std::string message_about(const std::string& line) {
    rewriter r("file.s");
    r.rewrite(line);
    return r.errors().empty() ? "" : r.errors()[0];
}

bool decode(const bytes& b, decoded& d) {
    static const ZydisDecoder decoder = [] {
        ZydisDecoder x;
        ZydisDecoderInit(&x, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        ZydisDecoderEnableMode(&x, ZYDIS_DECODER_MODE_KNC, ZYAN_TRUE);
        return x;
    }();
    return ZYAN_SUCCESS(knc::isa::zydis_decode(decoder, b.data(), b.size(), d.insn, d.operands));
}

std::string text_of(const decoded& d, language l) {
    char text[256];
    ZydisFormatterFormatInstruction(&formatter(l), &d.insn, d.operands,
                                    d.insn.operand_count_visible, text, sizeof text, 0, nullptr);
    const std::string all = text;
    if (l == language::intel) return all;
    return ZydisMnemonicGetString(d.insn.mnemonic) +
           all.substr(std::min(all.find(' '), all.size()));
}

std::string hex(const bytes& b) {
    std::string text;
    for (const std::uint8_t one : b) {
        char digits[4];
        std::snprintf(digits, sizeof digits, "%02X ", static_cast<unsigned>(one));
        text += digits;
    }
    if (!text.empty()) text.pop_back();
    return text;
}

bytes from_hex(const std::string& text) {
    bytes b;
    std::istringstream in(text);
    for (std::string one; in >> one;)
        b.push_back(static_cast<std::uint8_t>(std::strtoul(one.c_str(), nullptr, 16)));
    return b;
}

}  // namespace knc_as::test
