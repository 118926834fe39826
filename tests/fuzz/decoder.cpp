// The decoder on random bytes that end at the end of mapped memory.
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include <knc/isa/decoder.h>
#include <support/guarded_memory.h>

#include "source.h"

namespace knc::isa::test {
namespace {

TEST(decoder, random_bytes) {
    knc::test::guarded_memory memory(0x1000);
    each_case(400'000, [&](source& s) {
        const auto mode = static_cast<code_mode>(s.below(3));
        const auto p = static_cast<profile>(s.below(2));
        std::vector<std::uint8_t> bytes = s.instruction(mode);
        const std::size_t filler = s.below(3);
        for (std::size_t n = 0; n < filler; ++n) bytes.push_back(0);
        const auto available =
            static_cast<unsigned>(1 + s.below(static_cast<unsigned>(bytes.size())));
        std::uint8_t* at = memory.end() - available;
        std::memcpy(at, bytes.data(), available);

        insn i, again;
        const decode_result r = decode(p, mode, at, available, i);
        ASSERT_EQ(decode(p, mode, at, available, again), r);
        if (r == decode_result::more) {
            // 15 bytes that are still no instruction are one too long.
            EXPECT_LE(i.length, available);
        } else {
            ASSERT_NE(i.execute, nullptr);
            EXPECT_GE(i.length, 1);
            EXPECT_LE(i.length, std::min(available, 15u));
            EXPECT_EQ(i.execute, again.execute);
            EXPECT_EQ(i.length, again.length);
            EXPECT_LE(i.base, rip);
            EXPECT_LE(i.index, no_register);
            EXPECT_LE(i.scale, 3);
            EXPECT_LE(i.seg, gs);
            // The bytes behind an instruction are no part of it. Bytes that are none have no end.
            if (i.mnemonic == ZYDIS_MNEMONIC_INVALID) return;
            insn alone;
            ASSERT_EQ(decode(p, mode, at, i.length, alone), decode_result::ok);
            EXPECT_EQ(alone.execute, i.execute);
            EXPECT_EQ(alone.imm, i.imm);
        }
        EXPECT_FALSE(disassemble(mode, at, available, s.any()).empty());
    });
}

}  // namespace
}  // namespace knc::isa::test
