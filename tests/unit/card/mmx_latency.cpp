// MMX on a core that may issue in every clock: when each instruction issues.

#include "rig.h"

namespace knc::card::test {
namespace {

using base::cycle_t;

using clocks = std::vector<cycle_t>;

parameters pentium() {
    parameters p;
    p.profile = isa::profile::p55c;
    p.stepping = 3;
    p.core.issue_interval = 1;
    return p;
}

// The clocks in which `n` instructions of `p` issue, counted from the first of them; `skip`
// instructions stand before them.
clocks issued(const program& p, std::size_t n, std::size_t skip = 1,
              const parameters& with = pentium()) {
    rig r(with);
    r.start(0, 0x1000, p);
    clocks all;
    while (all.size() < skip + n && r.unit.cpu().now() < 5000) {
        const cycle_t now = r.unit.cpu().now();
        const std::uint64_t before = r.unit.cpu().instructions(0);
        r.run(now + 1);
        all.insert(all.end(), r.unit.cpu().instructions(0) - before, now);
    }
    all.resize(skip + n, base::never);
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(skip));
    const cycle_t start = all.front();
    for (cycle_t& c : all) c -= start;
    return all;
}

// ADC is for the U pipe only, and CLD pairs with nothing.
KNC_PROGRAM(mmx_sums, "cld\npaddb %mm1, %mm0\npaddb %mm0, %mm2\npaddb %mm2, %mm3\nhlt");
TEST(mmx_latency, sums_take_one_clock) {
    EXPECT_EQ(issued(mmx_sums, 3), (clocks{0, 1, 2}));
}

KNC_PROGRAM(mmx_product, "cld\npmullw %mm1, %mm0\npaddb %mm0, %mm2\nadcl %eax, %eax\nhlt");
TEST(mmx_latency, products_take_three) {
    EXPECT_EQ(issued(mmx_product, 3), (clocks{0, 3, 4}));
}

KNC_PROGRAM(mmx_products, "cld\npmullw %mm1, %mm0\npmullw %mm1, %mm2\npmullw %mm1, %mm3\nhlt");
TEST(mmx_latency, a_product_begins_in_every_clock) {
    EXPECT_EQ(issued(mmx_products, 3), (clocks{0, 1, 2}));
}

KNC_PROGRAM(mmx_store, "cld\npaddb %mm1, %mm0\nmovq %mm0, 0x3000\nadcl %eax, %eax\nhlt");
KNC_PROGRAM(mmx_movd, "cld\npmullw %mm1, %mm0\nmovd %mm0, %eax\nadcl %eax, %eax\nhlt");
TEST(mmx_latency, a_store_needs_its_register_a_clock_earlier) {
    EXPECT_EQ(issued(mmx_store, 3), (clocks{0, 2, 3}));
}
TEST(mmx_latency, movd_to_a_general_register_too) {
    EXPECT_EQ(issued(mmx_movd, 3), (clocks{0, 4, 5}));
}

// The second instruction of a pair is waited for, and its result is.
KNC_PROGRAM(mmx_in_v, "cld\npmullw %mm1, %mm0\nadcl %eax, %eax\npaddb %mm0, %mm4\nhlt");
TEST(mmx_latency, a_pair_waits_together) {
    EXPECT_EQ(issued(mmx_in_v, 3), (clocks{0, 3, 3}));
}
KNC_PROGRAM(mmx_from_v, "cld\nadcl %eax, %eax\npmullw %mm1, %mm0\npaddb %mm0, %mm4\nhlt");
TEST(mmx_latency, results_of_v) {
    EXPECT_EQ(issued(mmx_from_v, 3), (clocks{0, 0, 3}));
}

// 50 clocks more than the one of EMMS; ADC goes on in between.
KNC_PROGRAM(mmx_then_x87, "cld\nfninit\nemms\nfld1\nhlt");
TEST(mmx_latency, x87_waits_after_mmx) {
    EXPECT_EQ(issued(mmx_then_x87, 2, 2), (clocks{0, 51}));
}
KNC_PROGRAM(mmx_integer_x87, "cld\nfninit\nemms\nadcl %eax, %eax\nadcl %eax, %eax\nfld1\nhlt");
TEST(mmx_latency, integer_instructions_hide_a_part_of_it) {
    EXPECT_EQ(issued(mmx_integer_x87, 4, 2), (clocks{0, 1, 2, 51}));
}
TEST(mmx_latency, the_wait_is_a_parameter) {
    parameters p = pentium();
    p.core.mmx_to_x87_clocks = 0;
    EXPECT_EQ(issued(mmx_then_x87, 2, 2, p), (clocks{0, 1}));
}

// ST(0) is physical register 7, which is MM7: its sum takes 3 clocks. MM0 waits for nothing.
KNC_PROGRAM(x87_then_mmx,
            "cld\nfninit\nfld1\nfadd %st, %st\npxor %mm0, %mm0\nadcl %eax, %eax\nhlt");
TEST(mmx_latency, mmx_after_x87_waits_for_nothing) {
    EXPECT_EQ(issued(x87_then_mmx, 3, 3), (clocks{0, 1, 2}));
}
KNC_PROGRAM(x87_sum_in_mmx,
            "cld\nfninit\nfld1\nfadd %st, %st\npaddb %mm7, %mm1\nadcl %eax, %eax\nhlt");
TEST(mmx_latency, but_for_its_registers) {
    EXPECT_EQ(issued(x87_sum_in_mmx, 3, 3), (clocks{0, 3, 4}));
}

KNC_PROGRAM(identify_p55c, "movl %edx, %esi\nmovl $1, %eax\ncpuid\nhlt");
TEST(mmx_latency, signature_of_the_profile) {
    rig r(pentium());
    r.start(0, 0x1000, identify_p55c);
    r.run(200);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rsi], 0x543u);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rax], 0x543u);
    EXPECT_EQ(r.unit.cpu().state(0).r[isa::rdx], 0x0080'03bfu);
}

KNC_PROGRAM(mmx_results,
            "movl $0x01020304, %eax\nmovd %eax, %mm0\npunpckldq %mm0, %mm0\n"
            "paddb %mm0, %mm0\nmovq %mm0, 0x3000\nemms\nhlt");
TEST(mmx_latency, results) {
    rig r(pentium());
    r.start(0, 0x1000, mmx_results);
    r.run(200);
    EXPECT_EQ(r.unit.cpu().state(0).x87.used, 0);
    EXPECT_EQ(r.unit.cpu().instructions(0), 7u);
    EXPECT_EQ(r.unit.cpu().state(0).x87.physical[0].significand, 0x0204'0608'0204'0608u);
}

}  // namespace
}  // namespace knc::card::test
