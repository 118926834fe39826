// All instructions on memory whose every line has to be waited for: one that waits behind an access
// that has taken place must say that it makes several.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include <Zydis/Zydis.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <knc/isa/decoder.h>

#include "flat_machine.h"
#include "survey.h"

namespace knc::isa::test {
namespace {

std::uint64_t accesses(const flat_machine& m) {
    return m.events[base::data_read] + m.events[base::data_write];
}

// Registers point into memory that is filled with `word`, as is the stack, whose top is at byte
// `top` of a line; as selectors they are `low`.
struct setting {
    unsigned cpl;
    std::uint16_t low, word, top;
};

void prepare(flat_machine& m, code_mode mode, const setting& s) {
    m.enter(mode == code_mode::bits16   ? world::protected16
            : mode == code_mode::bits32 ? world::protected32
                                        : world::long64,
            mode == code_mode::bits16 ? 0 : s.cpl);
    const std::uint64_t stack = (m.c.s.r[rsp] & ~std::uint64_t{63}) - 0x100;
    m.c.s.r[rsp] = stack + s.top;
    for (const std::uint64_t first : {flat_machine::data_at, stack})
        for (std::uint64_t at = first; at < first + 0x1000; at += 2) m.put(at, s.word);
    for (const gpr n : {rax, rcx, rdx, rbx, rbp, rsi})
        m.c.s.r[n] = (mode == code_mode::bits16 ? 0x3000 : flat_machine::data_at) + s.low;
    m.c.s.r[rdi] = m.c.s.r[rsi] + 0x400;
    m.c.s.r[rcx] = 3;                            // of REP
    m.c.s.set_rflags(m.c.s.rflags() | flag_of);  // of INTO
    m.lines_come_late = true;
    // Gathers and scatters of several lines.
    m.c.s.vector.k.fill(0xffff);
    for (vector_register& z : m.c.s.vector.zmm)
        for (unsigned n = 0; n < 16; ++n) z.set<std::uint32_t>(n, 64 * n);
}

// Whether an attempt at the sample was blocked behind an access of the same attempt.
bool waits_behind_an_access(flat_machine& m, const insn& i) {
    bool behind = false;
    status end = status::blocked;
    for (unsigned n = 0; n < 200 && (end == status::blocked || end == status::repeat); ++n) {
        const std::uint64_t before = accesses(m);
        m.c.s.r[rip] = flat_machine::code_at + i.length;
        end = i.execute(m.c, i);
        behind = behind || (end == status::blocked && accesses(m) != before);
    }
    EXPECT_NE(end, status::blocked);
    return behind;
}

// Forms the survey takes for others: RET far, ENTER of three levels with a frame of 100h bytes.
const sample more[] = {{code_mode::bits32, {0xCB}},
                       {code_mode::bits64, {0xCB}},
                       {code_mode::bits32, {0xC8, 0x00, 0x01, 0x03}},
                       {code_mode::bits64, {0xC8, 0x00, 0x01, 0x03}}};

struct mnemonics {
    std::set<std::string> flagged, waiting;
};

void look(flat_machine& m, const sample& s, mnemonics& found) {
    constexpr setting settings[] = {{0, 0, 0, 0x08},
                                    {0, 0x3c, 0, 0x38},
                                    {0, flat_machine::data0, flat_machine::data0, 0x38},
                                    {0, flat_machine::local, flat_machine::local, 0x38},
                                    {3, flat_machine::data3 | 3, flat_machine::user32 | 3, 0x38}};
    insn i;
    ASSERT_EQ(decode(m.c.instruction_set, s.mode, s.bytes.data(),
                     static_cast<unsigned>(s.bytes.size()), i),
              decode_result::ok);
    const std::string name = ZydisMnemonicGetString(static_cast<ZydisMnemonic>(i.mnemonic));
    const bool flagged = (i.flags & insn_several_accesses) != 0;
    if (flagged) found.flagged.insert(name);
    for (const setting& with : settings) {
        prepare(m, s.mode, with);
        if (!waits_behind_an_access(m, i)) continue;
        found.waiting.insert(name);
        EXPECT_TRUE(flagged) << name << ' ' << fmt::format("{:02x}", fmt::join(s.bytes, " "))
                             << " in mode " << static_cast<int>(s.mode);
    }
}

TEST(several_accesses, are_flagged_where_one_waits_behind_another) {
    flat_machine m(profile::compat);
    mnemonics found;
    for (const entry& e : survey()) {
        if (e.compat != verdict::executed) continue;
        for (const sample& s : e.samples) look(m, s, found);
    }
    for (const sample& s : more) look(m, s, found);
    std::vector<std::string> disagreement;
    std::set_symmetric_difference(found.waiting.begin(), found.waiting.end(), found.flagged.begin(),
                                  found.flagged.end(), std::back_inserter(disagreement));
    EXPECT_EQ(disagreement, std::vector<std::string>());
    // BOUND, CALL, 4 CMPS, ENTER, IN, 3 INS, INT, INT1, INT3, INTO, 3 IRET, JMP, LAR, LLDT, LSL,
    // LTR, 5 far pointers, MOV, 4 MOVS, OUT, 3 OUTS, 2 POPA, POP, 2 PUSHA, PUSH, RET, VERR, VERW.
    EXPECT_EQ(found.flagged.size(), 46u);
}

// An MMX instruction makes one access; what of it waits changes nothing.
TEST(several_accesses, mmx_makes_none) {
    flat_machine m(profile::p55c);
    mnemonics found;
    unsigned samples = 0;
    for (const entry& e : survey()) {
        if (e.family != "MMX" || e.p55c != verdict::executed) continue;
        for (const sample& s : e.samples) {
            if (s.mode == code_mode::bits64) continue;
            look(m, s, found);
            ++samples;
        }
    }
    EXPECT_EQ(found.waiting, std::set<std::string>());
    EXPECT_EQ(found.flagged, std::set<std::string>());
    EXPECT_GT(samples, 180u);  // 57 instructions, most with registers and memory, in two modes
}

}  // namespace
}  // namespace knc::isa::test
