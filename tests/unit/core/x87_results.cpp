// The clocks from which stack registers can be read.
#include <knc/core/x87_results.h>

#include <gtest/gtest.h>

#include <knc/isa/insn.h>

namespace knc::core::test {
namespace {

// A set of ST(n), bit n.
isa::register_set st(unsigned bits) {
    return isa::register_set{bits} << isa::x87_registers_shift;
}

TEST(x87_results, belong_to_physical_registers) {
    x87_results r;
    EXPECT_EQ(r.ready(st(0xff), 0), 0u);
    r.write(st(0b0001), 6, 10);  // ST(0) is register 6
    EXPECT_EQ(r.ready(st(0b0001), 6), 10u);
    EXPECT_EQ(r.ready(st(0b0010), 5), 10u);  // a push later it is ST(1)
    EXPECT_EQ(r.ready(st(0x80), 7), 10u);    // a pop later ST(7)
    EXPECT_EQ(r.ready(st(0xfe), 6), 0u);
}

TEST(x87_results, all_of_a_set_are_waited_for) {
    x87_results r;
    r.write(st(0b0110), 7, 5);  // registers 0 and 1
    r.write(st(0b0100), 7, 9);  // register 1
    EXPECT_EQ(r.ready(st(0b0010), 7), 5u);
    EXPECT_EQ(r.ready(st(0b0011), 0), 9u);
    EXPECT_EQ(r.ready(st(0xff), 3), 9u);
}

TEST(x87_results, the_last_writer_decides) {
    x87_results r;
    r.write(st(0b0001), 0, 41);
    r.write(st(0xff), 2, 20);
    EXPECT_EQ(r.ready(st(0xff), 0), 20u);
}

TEST(x87_results, exchange_with_their_values) {
    x87_results r;
    r.write(st(0b0001), 6, 3);   // register 6
    r.write(st(0b1000), 6, 41);  // register 1
    r.exchange(3, 6);
    EXPECT_EQ(r.ready(st(0b0001), 6), 41u);
    EXPECT_EQ(r.ready(st(0b1000), 6), 3u);
    r.exchange(0, 6);
    EXPECT_EQ(r.ready(st(0b0001), 6), 41u);
}

TEST(x87_results, reset_forgets_what_is_under_way) {
    x87_results r;
    r.write(st(0b0001), 0, 41);
    r.reset();
    EXPECT_EQ(r.ready(st(0xff), 0), 0u);
}

}  // namespace
}  // namespace knc::core::test
