// Layouts of the saved x87 state, MXCSR, reset and INIT.
#include <gtest/gtest.h>

#include <knc/isa/x87_image.h>

#include "x87_machine.h"

namespace knc::isa::test {
namespace {

constexpr std::uint64_t at = x87_machine::operand;

// TOP = 6: ST(0) = physical 6 holds 1, ST(1) = physical 7 holds 0, physical 0 a denormal, physical
// 1 a NaN, the others are empty.
void prepare(x87_machine& t) {
    x87_state& x = t.x();
    x.set_top(6);
    x.set(0, x87_one);
    x.set(1, x87_zero(false));
    x.set(2, x87_make(false, 0, 5));
    x.set(3, x87_indefinite);
    x.set_control(0x0b7b);  // ZE unmasked
    x.set_status(0, x87_ze | x87_c3 | x87_c0);
    x.update_summary();
    x.opcode = 0x5a3;
    x.instruction_selector = 0x1230;
    x.instruction_pointer = 0x9876'5432;
    x.data_selector = 0x4560;
    x.data_pointer = 0x89ab'cdef;
}
// From physical 7 down: 01, 00, 11 11 11 11, 10, 10.
constexpr std::uint16_t tags = 0x4ffa;
// TOP 6, C3, C0, ES, B, ZE.
constexpr std::uint16_t status_word = 0xf184;

TEST(x87_image, environment_of_32_bits) {
    x87_machine t(code_mode::bits32);
    prepare(t);
    ASSERT_EQ(t.run({0xD9, 0x33}), status::ok);  // fnstenv [ebx]
    const std::uint32_t expected[] = {0xffff0b7b,         0xffff0000u | status_word,
                                      0xffff0000u | tags, 0x98765432,
                                      0x05a31230,         0x89abcdef,
                                      0xffff4560};
    for (unsigned n = 0; n < 7; ++n) EXPECT_EQ(t.get<std::uint32_t>(at + 4 * n), expected[n]) << n;
    // All exceptions are masked now.
    EXPECT_EQ(t.x().control, 0x0b7f);
    EXPECT_EQ(t.x().status & (x87_es | x87_busy), 0u);

    x87_machine other(code_mode::bits32);
    std::memcpy(other.at(at), t.at(at), 28);
    ASSERT_EQ(other.run({0xD9, 0x23}), status::ok);  // fldenv [ebx]
    EXPECT_EQ(other.x().control, 0x0b7b);
    EXPECT_EQ(other.x().status, status_word);
    EXPECT_EQ(other.x().used, 0xc3);
    EXPECT_EQ(other.x().opcode, 0x5a3);
    EXPECT_EQ(other.x().instruction_selector, 0x1230);
    EXPECT_EQ(other.x().instruction_pointer, 0x98765432u);
    EXPECT_EQ(other.x().data_selector, 0x4560);
    EXPECT_EQ(other.x().data_pointer, 0x89abcdefu);
}

TEST(x87_image, environment_of_16_bits) {
    x87_machine t(code_mode::bits32);
    prepare(t);
    ASSERT_EQ(t.run({0x66, 0xD9, 0x33}), status::ok);
    const std::uint16_t expected[] = {0x0b7b, status_word, tags, 0x5432, 0x1230, 0xcdef, 0x4560};
    for (unsigned n = 0; n < 7; ++n) EXPECT_EQ(t.get<std::uint16_t>(at + 2 * n), expected[n]) << n;
    EXPECT_EQ(t.get<std::uint16_t>(at + 14), 0);
}

// Linear addresses: 12300 + 98765432 = 98777732, 45600 + 89ABCDEF = 89B023EF.
TEST(x87_image, environment_of_real_mode) {
    x87_machine t(code_mode::bits16);
    prepare(t);
    ASSERT_EQ(t.run({0xD9, 0x37}), status::ok);  // fnstenv [bx]
    const std::uint16_t narrow[] = {0x0b7b, status_word, tags, 0x7732, 0x75a3, 0x23ef, 0x0000};
    for (unsigned n = 0; n < 7; ++n) EXPECT_EQ(t.get<std::uint16_t>(at + 2 * n), narrow[n]) << n;

    prepare(t);
    ASSERT_EQ(t.run({0x66, 0xD9, 0x37}), status::ok);
    const std::uint32_t wide[] = {0xffff0b7b,         0xffff0000u | status_word,
                                  0xffff0000u | tags, 0xffff7732,
                                  0x098775a3,         0xffff23ef,
                                  0x089b0000};
    for (unsigned n = 0; n < 7; ++n) EXPECT_EQ(t.get<std::uint32_t>(at + 4 * n), wide[n]) << n;

    t.x().initialize();
    ASSERT_EQ(t.run({0x66, 0xD9, 0x27}), status::ok);  // fldenv
    EXPECT_EQ(t.x().instruction_pointer, 0x98777732u);
    EXPECT_EQ(t.x().instruction_selector, 0);
    EXPECT_EQ(t.x().data_pointer, 0x89b023efu);
    EXPECT_EQ(t.x().opcode, 0x5a3);
}

TEST(x87_image, save_and_restore) {
    for (const bool wide : {true, false}) {
        x87_machine t;
        prepare(t);
        const x87_state before = t.x();
        const unsigned environment = wide ? 28 : 14;
        ASSERT_EQ(wide ? t.run({0xDD, 0x33}) : t.run({0x66, 0xDD, 0x33}), status::ok);  // fnsave
        // ST(0) first: 1 is 3FFF:8000000000000000.
        EXPECT_EQ(t.get<std::uint64_t>(at + environment), one_bits);
        EXPECT_EQ(t.get<std::uint16_t>(at + environment + 8), 0x3fff);
        EXPECT_EQ(t.get<std::uint64_t>(at + environment + 20), 5u);  // ST(2)
        EXPECT_EQ(t.get<std::uint16_t>(at + environment + 80), 0);   // nothing behind ST(7)
        EXPECT_EQ(t.x().control, x87_control_initial);
        EXPECT_EQ(t.x().status, 0);
        EXPECT_EQ(t.x().used, 0);
        ASSERT_EQ(wide ? t.run({0xDD, 0x23}) : t.run({0x66, 0xDD, 0x23}), status::ok);  // frstor
        EXPECT_EQ(t.x().control, before.control);
        EXPECT_EQ(t.x().status, before.status);
        EXPECT_EQ(t.x().used, before.used);
        for (unsigned n = 0; n < 8; ++n) EXPECT_EQ(t.x().physical[n], before.physical[n]) << n;
    }
}

TEST(x87_image, fxsave) {
    x87_machine t;
    prepare(t);
    t.c.s.mxcsr = 0x206001;
    std::memset(t.at(at), 0xaa, fxsave_size);
    ASSERT_EQ(t.run({0x0F, 0xAE, 0x03}), status::ok);
    EXPECT_EQ(t.get<std::uint16_t>(at), 0x0b7b);
    EXPECT_EQ(t.get<std::uint16_t>(at + 2), status_word);
    EXPECT_EQ(t.get<std::uint16_t>(at + 4), 0x00c3);  // physical 0, 1, 6, 7 in use
    EXPECT_EQ(t.get<std::uint16_t>(at + 6), 0x5a3);
    EXPECT_EQ(t.get<std::uint64_t>(at + 8), 0x1230'98765432u);
    EXPECT_EQ(t.get<std::uint64_t>(at + 16), 0x4560'89abcdefu);
    EXPECT_EQ(t.get<std::uint32_t>(at + 24), 0x206001u);
    EXPECT_EQ(t.get<std::uint32_t>(at + 28), 0x30e07fu);
    EXPECT_EQ(t.get<std::uint64_t>(at + 32), one_bits);  // ST(0)
    EXPECT_EQ(t.get<std::uint64_t>(at + 40), 0x3fffu);
    EXPECT_EQ(t.get<std::uint64_t>(at + 144), 0u);  // ST(7) is physical 5
    for (unsigned n = 160; n < 512; ++n) ASSERT_EQ(*t.at(at + n), 0xaa) << n;  // no vectors
    // The unit goes on as it was.
    EXPECT_EQ(t.x().control, 0x0b7b);
    EXPECT_EQ(t.x().status, status_word);

    t.x().instruction_pointer = 0x8000'1234'5678'9abc;
    ASSERT_EQ(t.run({0x48, 0x0F, 0xAE, 0x03}), status::ok);  // fxsave64
    EXPECT_EQ(t.get<std::uint64_t>(at + 8), 0x8000'1234'5678'9abcu);
    EXPECT_EQ(t.get<std::uint64_t>(at + 16), 0x89abcdefu);
}

TEST(x87_image, fxrstor) {
    x87_machine t;
    prepare(t);
    const x87_state before = t.x();
    ASSERT_EQ(t.run({0x0F, 0xAE, 0x03}), status::ok);
    t.put<std::uint32_t>(at + 24, 0x20607f);
    t.x().initialize();
    t.x().physical = {};
    ASSERT_EQ(t.run({0x0F, 0xAE, 0x0B}), status::ok);
    EXPECT_EQ(t.c.s.mxcsr, 0x20607fu);
    EXPECT_EQ(t.x().status, before.status);
    EXPECT_EQ(t.x().used, before.used);
    EXPECT_EQ(t.x().opcode, before.opcode);
    EXPECT_EQ(t.x().instruction_selector, before.instruction_selector);
    EXPECT_EQ(t.x().instruction_pointer, before.instruction_pointer);
    for (unsigned n = 0; n < 8; ++n) EXPECT_EQ(t.x().physical[n], before.physical[n]) << n;
    ASSERT_EQ(t.run({0x48, 0x0F, 0xAE, 0x0B}),
              status::ok);  // fxrstor64: selectors are address bits
    EXPECT_EQ(t.x().instruction_pointer, 0x1230'98765432u);
    EXPECT_EQ(t.x().instruction_selector, 0);
}

TEST(x87_image, mxcsr_keeps_its_rules) {
    struct {
        std::uint32_t value;
        bool valid;
    } const cases[] = {{0x200000, true},  {0x30e07f, true},  {0x000000, false}, {0x001f80, false},
                       {0x100000, false}, {0x200080, false}, {0x600000, false}, {0x200040, true}};
    for (const auto& k : cases) {
        x87_machine t;
        t.put<std::uint32_t>(at, k.value);
        EXPECT_EQ(t.run({0x0F, 0xAE, 0x13}), k.valid ? status::ok : status::fault);  // ldmxcsr
        EXPECT_EQ(t.c.s.mxcsr, k.valid ? k.value : mxcsr_initial) << std::hex << k.value;

        x87_machine f;
        f.push(x87_one);
        ASSERT_EQ(f.run({0x0F, 0xAE, 0x03}), status::ok);
        f.put<std::uint32_t>(at + 24, k.value);
        f.x().initialize();
        EXPECT_EQ(f.run({0x0F, 0xAE, 0x0B}), k.valid ? status::ok : status::fault);  // fxrstor
        EXPECT_EQ(f.x().top(), k.valid ? 7u : 0u) << std::hex << k.value;
        if (!k.valid) {
            EXPECT_EQ(f.c.fault.vector, vector_gp);
        }
    }
    x87_machine t;
    ASSERT_EQ(t.run({0x0F, 0xAE, 0x1B}), status::ok);  // stmxcsr
    EXPECT_EQ(t.get<std::uint32_t>(at), 0x200000u);
}

TEST(x87_image, fxsave_area_is_aligned_to_16_bytes) {
    x87_machine t;
    t.c.s.r[rbx] += 8;
    EXPECT_EQ(t.run({0x0F, 0xAE, 0x03}), status::fault);
    EXPECT_EQ(t.c.fault.vector, vector_gp);
    EXPECT_EQ(t.run({0x0F, 0xAE, 0x0B}), status::fault);
    EXPECT_EQ(t.c.fault.vector, vector_gp);
}

TEST(x87_image, reset_and_init) {
    state s;
    reset(s);
    EXPECT_EQ(s.x87.control, 0x0040);
    EXPECT_EQ(s.x87.status, 0);
    EXPECT_EQ(x87_tag_word(s.x87), 0x5555);  // every register holds zero
    EXPECT_EQ(s.mxcsr, 0x200000u);
    s.x87.initialize();
    EXPECT_EQ(x87_tag_word(s.x87), 0xffff);
    s.x87.set(3, x87_one);
    s.mxcsr = 0x20607f;
    init(s);
    EXPECT_EQ(s.x87.control, x87_control_initial);
    EXPECT_EQ(s.x87.st(3), x87_one);
    EXPECT_EQ(s.mxcsr, 0x20607fu);
}

}  // namespace
}  // namespace knc::isa::test
