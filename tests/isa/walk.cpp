// The table of instructions against the committed page, and against execution.
#include <algorithm>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <knc/isa/decoder.h>
#include <knc/isa/zydis_decoder.h>

#include "document.h"
#include "flat_machine.h"

namespace knc::isa::test {
namespace {

const std::vector<entry>& instructions() {
    static const std::vector<entry> all = survey();
    return all;
}

// Operands of the samples lie in memory; their immediates are 0.
void prepare(flat_machine& m, code_mode mode) {
    m.enter(mode == code_mode::bits16   ? world::protected16
            : mode == code_mode::bits32 ? world::protected32
                                        : world::long64);
    for (const gpr n : {rax, rcx, rdx, rbx, rbp, rsi, rdi})
        m.c.s.r[n] = mode == code_mode::bits16 ? 0x3000 : flat_machine::data_at;
    m.c.s.r[rcx] = 3;  // of REP
}

status run(flat_machine& m, const sample& s) {
    insn i;
    EXPECT_EQ(decode(m.c.instruction_set, s.mode, s.bytes.data(),
                     static_cast<unsigned>(s.bytes.size()), i),
              decode_result::ok);
    EXPECT_EQ(i.length, s.bytes.size());
    status end = status::repeat;
    for (unsigned n = 0; end == status::repeat && n < 10; ++n) {
        m.c.s.r[rip] = flat_machine::code_at + i.length;
        end = i.execute(m.c, i);
    }
    return end;
}

// What the execution of a sample must look like; empty, or what is wrong.
std::string wrong(const flat_machine& m, status end, verdict v, const entry& e) {
    const fault& f = m.c.fault;
    const bool undefined = end == status::fault && !f.unsupported && f.vector == vector_ud;
    const bool stopped = end == status::fault && f.unsupported;
    switch (v) {
        case verdict::executed:
            if (end == status::repeat || end == status::blocked) return "does not end";
            if (undefined || stopped) return "is not executed";
            return m.refusals.empty() ? "" : "is refused";
        case verdict::refused:
            if (!undefined) return "is no #UD";
            if (m.refusals.size() != 1) return "has no line for the log";
            if (m.refusals[0].find(e.hint_of(m.c.instruction_set)) == std::string::npos)
                return "has another hint";
            return "";
        case verdict::undefined:
            return undefined && m.refusals.empty() ? "" : "is no plain #UD";
        default:
            return stopped ? "" : "is executed";
    }
}

void walk(profile p) {
    flat_machine m(p);
    std::size_t samples = 0;
    for (const entry& e : instructions()) {
        const verdict v = e.of(p);
        for (const sample& s : e.samples) {
            if (p == profile::p55c && s.mode == code_mode::bits64) continue;  // it has none
            prepare(m, s.mode);
            const std::string what = wrong(m, run(m, s), v, e);
            EXPECT_EQ(what, "") << e.family << ' ' << e.mnemonic << ' '
                                << fmt::format("{:02x}", fmt::join(s.bytes, " ")) << " in mode "
                                << static_cast<int>(s.mode);
            ++samples;
        }
    }
    // About one hundred forms of MOV alone: a survey that lost its forms must not pass.
    EXPECT_GT(samples, p == profile::p55c ? 5000u : 10000u);
}

TEST(walk, profile_knc) {
    walk(profile::knc);
}
TEST(walk, profile_compat) {
    walk(profile::compat);
}

TEST(walk, profile_p55c) {
    walk(profile::p55c);
}

TEST(survey, all_instructions_are_executed) {
    for (const entry& e : instructions()) {
        EXPECT_NE(e.knc, verdict::not_executed) << e.mnemonic;
        EXPECT_NE(e.compat, verdict::not_executed) << e.mnemonic;
        EXPECT_NE(e.p55c, verdict::not_executed) << e.mnemonic;
    }
}

// MMX has 57 instructions: 47 mnemonics, of which the 8 shifts have two forms by their count, and
// MOVD and MOVQ two by their direction.
TEST(survey, profile_p55c_has_mmx) {
    std::set<std::string> of_mmx;
    for (const entry& e : instructions())
        if (e.family == "MMX" && e.p55c == verdict::executed) of_mmx.insert(e.mnemonic);
    EXPECT_EQ(of_mmx.size(), 47u);
    for (const entry& e : instructions()) {
        if (e.family != "MMX") continue;
        EXPECT_EQ(e.knc, verdict::refused) << e.mnemonic;
        EXPECT_EQ(e.compat, verdict::refused) << e.mnemonic;
    }
}

// Whatever random bytes decode to is in the table, and is treated as it says.
TEST(survey, has_all_that_random_bytes_decode_to) {
    std::set<std::pair<std::string, verdict>> known;
    for (const entry& e : instructions()) known.emplace(e.mnemonic, e.knc);
    std::mt19937_64 random(1);
    for (unsigned n = 0; n < 3'000'000; ++n) {
        std::uint64_t words[2] = {random(), random()};
        std::uint8_t bytes[sizeof words];
        std::memcpy(bytes, words, sizeof words);
        constexpr std::uint8_t starts[] = {0x0F, 0xC4, 0xC5, 0x62, 0x66, 0xF2, 0xF3, 0x8F};
        if (n % 2 != 0) bytes[0] = starts[n / 2 % std::size(starts)];
        const auto mode = static_cast<code_mode>(n % 3);
        ZydisDecodedInstruction i;
        ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&zydis_decoder(mode), bytes, 15, &i, ops)))
            continue;
        std::string name = ZydisMnemonicGetString(i.mnemonic);
        std::transform(name.begin(), name.end(), name.begin(), ::toupper);
        const verdict v = verdict_of(profile::knc, {mode, {bytes, bytes + i.length}});
        EXPECT_EQ(known.count({name, v}), 1u)
            << name << ' ' << fmt::format("{:02x}", fmt::join(bytes, bytes + i.length, " "))
            << " in mode " << static_cast<int>(mode);
    }
}

TEST(document, is_current) {
    std::ifstream file(KNC_SOURCE "/docs/isa.md", std::ios::binary);
    std::stringstream committed;
    committed << file.rdbuf();
    // Not compared by EXPECT_EQ, which would print both.
    EXPECT_TRUE(committed.str() == document(instructions()))
        << "docs/isa.md is not what the decoder says: run isa_table docs/isa.md";
}

}  // namespace
}  // namespace knc::isa::test
