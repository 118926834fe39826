// Registers that have no value yet.
#include <knc/core/scoreboard.h>

#include <knc/core/issue_rules.h>

#include <gtest/gtest.h>

#include "code.h"

namespace knc::core::test {
namespace {

constexpr std::uint32_t bit(unsigned n) {
    return 1u << n;
}

TEST(scoreboard, an_address_waits_for_what_the_last_issue_wrote) {
    scoreboard s;
    const isa::insn u = decode({0x48, 0x89, 0xd8});  // mov rax, rbx
    const isa::insn v = decode({0x48, 0x89, 0xda});  // mov rdx, rbx
    s.wrote(1, u);
    s.wrote_in_v(1, v);
    EXPECT_TRUE(s.address_waits(1, bit(0)));   // rax
    EXPECT_TRUE(s.address_waits(1, bit(2)));   // rdx
    EXPECT_FALSE(s.address_waits(1, bit(3)));  // rbx was read only
    EXPECT_FALSE(s.address_waits(0, bit(0)));  // another thread's
    s.wrote(1, v);                             // the next issue
    EXPECT_FALSE(s.address_waits(1, bit(0)));
    s.forget_written(1);
    EXPECT_FALSE(s.address_waits(1, bit(2)));
}

// FADD ST(0), ST(1) reads both and writes ST(0); FXCH waits for none and moves the result along.
TEST(scoreboard, x87_results_follow_their_registers) {
    scoreboard s;
    const isa::insn fadd = decode({0xd8, 0xc1});
    const isa::insn fxch = decode({0xd9, 0xca});  // ST(2)
    const isa::insn fld = decode({0xd9, 0xc2});   // of ST(2)
    s.x87_issued(0, fadd, 0, 30);
    EXPECT_EQ(s.x87_start(0, fadd, 0), 30u);
    EXPECT_EQ(s.x87_start(0, fld, 0), 0u);
    EXPECT_EQ(s.x87_start(0, fxch, 0), 0u);
    EXPECT_EQ(s.x87_start(1, fadd, 0), 0u);  // each thread has its own registers
    s.x87_issued(0, fxch, 0, 0);
    EXPECT_EQ(s.x87_start(0, fld, 0), 30u);
    EXPECT_EQ(s.x87_start(0, fadd, 0), 0u);
}

// The unit is one for all threads; INIT of one of them leaves it as it is.
TEST(scoreboard, a_held_unit_keeps_all_threads) {
    scoreboard s;
    const isa::insn fadd = decode({0xd8, 0xc1});
    isa::insn holds = decode({0xd8, 0xf1});  // FDIV ST(0), ST(1)
    holds.x87_held = true;                   // as its issue rule may say
    s.x87_issued(0, holds, 0, 40);
    EXPECT_EQ(s.x87_start(2, fadd, 0), 40u);
    s.reset(0);
    EXPECT_EQ(s.x87_start(0, fadd, 0), 40u);
    s.reset();
    EXPECT_EQ(s.x87_start(2, fadd, 0), 0u);
}

isa::insn mmx(std::initializer_list<std::uint8_t> bytes) {
    isa::insn i = decode(bytes, isa::code_mode::bits32, isa::profile::p55c);
    set_issue_properties(i);
    return i;
}

// A sum is there in the next clock, a product in the third; a store needs it a clock earlier.
TEST(scoreboard, mmx_results_have_fixed_registers) {
    scoreboard s;
    const isa::insn pmullw = mmx({0x0f, 0xd5, 0xca});  // mm1, mm2
    const isa::insn paddb = mmx({0x0f, 0xfc, 0xd9});   // mm3, mm1
    const isa::insn store = mmx({0x0f, 0x7f, 0x0b});   // [ebx], mm1
    const isa::insn movd = mmx({0x0f, 0x7e, 0xc8});    // eax, mm1
    const isa::insn other = mmx({0x0f, 0xfc, 0xe5});   // mm4, mm5
    s.mmx_issued(0, pmullw, 13, 0);                    // in cycle 10
    EXPECT_EQ(s.mmx_start(0, paddb), 13u);
    EXPECT_EQ(s.mmx_start(0, store), 14u);
    EXPECT_EQ(s.mmx_start(0, movd), 14u);
    EXPECT_EQ(s.mmx_start(0, pmullw), 13u);  // reads MM1 too
    EXPECT_LE(s.mmx_start(0, other), 1u);
    EXPECT_EQ(s.mmx_start(1, paddb), 0u);  // another thread's registers
    // FLD of ST(2) with TOP = 7 reads physical register 1, which is MM1.
    EXPECT_EQ(s.x87_start(0, decode({0xd9, 0xc2}), 7), 13u);
    EXPECT_EQ(s.x87_start(0, decode({0xd9, 0xc2}), 0), 0u);
    EXPECT_EQ(s.mmx_start(0, decode({0x90})), 0u);
}

// A later move to MM1 does not finish before the product that is under way to it.
TEST(scoreboard, mmx_results_come_in_order) {
    scoreboard s;
    s.mmx_issued(0, mmx({0x0f, 0xd5, 0xca}), 13, 0);          // pmullw mm1, mm2
    EXPECT_EQ(s.mmx_start(0, mmx({0x0f, 0x6f, 0xcb})), 12u);  // movq mm1, mm3: there in 13
}

TEST(scoreboard, x87_waits_after_mmx) {
    scoreboard s;
    const isa::insn fadd = decode({0xd8, 0xc1}), fxch = decode({0xd9, 0xca});
    s.mmx_issued(0, mmx({0x0f, 0x77}), 11, 61);  // EMMS in cycle 10, 50 clocks
    EXPECT_EQ(s.x87_start(0, fadd, 0), 61u);
    EXPECT_EQ(s.x87_start(0, fxch, 0), 61u);
    EXPECT_EQ(s.x87_start(1, fadd, 0), 0u);
    EXPECT_LE(s.mmx_start(0, mmx({0x0f, 0xfc, 0xe5})), 11u);  // MMX does not
    s.mmx_issued(0, decode({0x90}), 100, 150);                // no MMX: nothing changes
    EXPECT_EQ(s.x87_start(0, fadd, 0), 61u);
    s.reset(0);
    EXPECT_EQ(s.x87_start(0, fadd, 0), 0u);
}

// Vector and mask registers have places of their own beside all others.
TEST(scoreboard, sets_have_room_for_vectors_and_masks) {
    const isa::register_set all[] = {isa::general_registers, isa::flags_register,
                                     isa::stack_register, isa::mask_registers,
                                     isa::vector_registers};
    isa::register_set seen = 0;
    for (const isa::register_set s : all) {
        EXPECT_EQ(seen & s, 0u);
        seen |= s;
    }
    EXPECT_EQ(__builtin_popcountll(isa::vector_registers), 32);
    EXPECT_EQ(__builtin_popcountll(isa::mask_registers), 8);
}

}  // namespace
}  // namespace knc::core::test
