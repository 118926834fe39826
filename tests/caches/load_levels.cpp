// Retired loads by the level that gave the data (docs/perfmon.md): one count for each instruction.
#include "harness.h"

namespace knc::caches {
namespace {

card::parameters with_perfmon(unsigned tiles = 1) {
    card::parameters p = standard_parameters(tiles);
    p.profile = isa::profile::compat;
    p.pmu.front_end = pmu::front_end_kind::perfmon;
    return p;
}

struct levels {
    std::uint64_t l1, under_way, l2, far;
};

void expect_levels(const machine& m, unsigned tile, unsigned thread, const levels& want) {
    const auto count = [&](base::event e) { return m.count(tile, thread, e); };
    EXPECT_EQ(count(base::loads_l1_hit), want.l1);
    EXPECT_EQ(count(base::loads_fb_hit), want.under_way);
    EXPECT_EQ(count(base::loads_l2_hit), want.l2);
    EXPECT_EQ(count(base::loads_l2_miss), want.far);
    // There is no L3.
    EXPECT_EQ(count(base::loads_l3_hit), 0u);
    EXPECT_EQ(count(base::loads_l3_miss), want.far);
    EXPECT_EQ(count(base::loads_l1_miss), want.l2 + want.far);
}

KNC_PROGRAM64(near_and_far, "movl $0x400000, %esi\nmovl (%rsi), %eax\nmovl (%rsi), %eax\nhlt");
TEST(load_levels, memory_then_l1) {
    machine m("near_and_far", with_perfmon(), {{0, 0, near_and_far}}, {});
    m.run();
    expect_levels(m, 0, 0, {1, 0, 0, 1});
}

// Nine lines of one set of eight ways; the first one has left the L1 for the L2.
KNC_PROGRAM64(
    out_of_the_l1,
    "movl $0x400000, %esi\nmovl $9, %ecx\n1: movl (%rsi), %eax\naddl $4096, %esi\nloop 1b\n"
    "movl $0x400000, %esi\nmovl (%rsi), %eax\nhlt");
TEST(load_levels, l2) {
    machine m("out_of_the_l1", with_perfmon(), {{0, 0, out_of_the_l1}}, {});
    m.run();
    expect_levels(m, 0, 0, {0, 0, 1, 9});
}

// The second thread finds the request of the first one.
TEST(load_levels, under_way) {
    machine m("two_threads", with_perfmon(), {{0, 0, near_and_far}, {0, 1, near_and_far}}, {});
    m.run();
    const auto both = [&](base::event e) { return m.count(0, 0, e) + m.count(0, 1, e); };
    EXPECT_EQ(both(base::loads_l1_hit), 2u);
    EXPECT_EQ(both(base::loads_fb_hit), 1u);
    EXPECT_EQ(both(base::loads_l1_miss), 1u);
    EXPECT_EQ(both(base::loads_l2_miss), 1u);
    EXPECT_EQ(both(base::loads_l2_hit), 0u);
}

// Over two lines: once, by the slower one. Then both are there.
KNC_PROGRAM64(
    over_two_lines,
    "movl $0x400000, %esi\nmovl (%rsi), %eax\nmovq 60(%rsi), %rax\nmovq 60(%rsi), %rax\nhlt");
TEST(load_levels, two_lines_are_one_load) {
    machine m("over_two_lines", with_perfmon(), {{0, 0, over_two_lines}}, {});
    m.run();
    expect_levels(m, 0, 0, {1, 0, 0, 2});
}

// Read and write at once loads; a store, a push and a prefetch do not; POP and CMPS do, the latter
// once. A repeated one counts once, by its last element.
KNC_PROGRAM64(kinds,
              "movl $0x400000, %esi\nmovl $0x401000, %esp\nmovl $0x400000, %edi\n"
              "addl $1, (%rsi)\nmovl %eax, 4(%rsi)\npushq %rax\npopq %rax\ncmpsl\n"
              "prefetcht0 0x2000(%rsi)\nmovl $4, %ecx\nrep lodsb\nxorl %ecx, %ecx\nrep lodsb\nhlt");
TEST(load_levels, kinds_of_instructions) {
    machine m("kinds", with_perfmon(), {{0, 0, kinds}}, {});
    m.run();
    // ADD from memory; POP, of which PUSH has brought the line or has it under way, CMPS and LODS.
    const auto count = [&](base::event e) { return m.count(0, 0, e); };
    EXPECT_EQ(count(base::loads_l2_miss), 1u);
    EXPECT_EQ(count(base::loads_l1_hit) + count(base::loads_fb_hit), 3u);
    EXPECT_EQ(count(base::loads_l2_hit), 0u);
}

// With the stream prefetcher, loads meet its requests; the sums hold.
KNC_PROGRAM64(stream,
              "movl $0x400000, %esi\nmovl $1000, %ecx\n1: movl (%rsi), %eax\naddl $64, %esi\nnop\n"
              "loop 1b\nhlt");
TEST(load_levels, the_prefetchers_requests_are_hits_of_the_l2) {
    card::parameters p = with_perfmon();
    p.cache.prefetch = {};
    machine m("stream", p, {{0, 0, stream}}, {});
    m.run();
    const auto count = [&](base::event e) { return m.count(0, 0, e); };
    EXPECT_EQ(count(base::loads_l1_hit) + count(base::loads_l1_miss) + count(base::loads_fb_hit),
              1000u);
    EXPECT_EQ(count(base::loads_l1_miss), count(base::loads_l2_hit) + count(base::loads_l2_miss));
    EXPECT_EQ(count(base::loads_fb_hit), 0u);
    EXPECT_GT(count(base::loads_l2_hit), 500u);
    EXPECT_GT(count(base::loads_l2_miss), 0u);
    // Misses of code lines are among these.
    EXPECT_LE(count(base::loads_l2_miss), count(base::llc_misses));
}

// The second tile waits for a time that the first one is sure to be done by.
KNC_PROGRAM64(later,
              "1: rdtsc\ncmpl $20000, %eax\njb 1b\nmovl $0x400000, %esi\nmovl (%rsi), %eax\nhlt");
TEST(load_levels, another_tile_is_far) {
    machine m("two_tiles", with_perfmon(2), {{0, 0, near_and_far}, {1, 0, later}}, {});
    m.run();
    expect_levels(m, 1, 0, {0, 0, 0, 1});
}

// Knights Corner counts none of it.
TEST(load_levels, knights_corner) {
    machine m("knights_corner", standard_parameters(1), {{0, 0, near_and_far}}, {});
    m.run();
    for (const base::event e : {base::loads_l1_hit, base::loads_l1_miss, base::loads_l2_miss})
        EXPECT_EQ(m.count(0, 0, e), 0u);
}

}  // namespace
}  // namespace knc::caches
