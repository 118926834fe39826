// Samples of functions, sampled shares beside exact ones, and the files for other programs.
#include <platform/profile.h>

#include <sstream>

#include <gtest/gtest.h>

#include <platform/sample_text.h>

#include "elf_builder.h"
#include "no_machine.h"

namespace platform {
namespace {

// An image with two functions at 0x100010 (32 bytes) and 0x100030 (16 bytes).
image example() {
    elf_builder b;
    b.add_segment(0x200000, 0x200000, 0, 0x1000, PF_R | PF_W);
    b.add_symbol("first", 0x100010, 32, STT_FUNC);
    b.add_symbol("second", 0x100030, 16, STT_FUNC);
    return read_image(b.bytes(), "x.elf");
}

constexpr std::uint32_t instructions_user = 0x00510016, clocks_user = 0x0051002A,
                        branches_all = 0x00530012;

sample_log log_of(std::uint32_t evtsel0, std::uint32_t evtsel1 = 0) {
    sample_log l;
    l.thread = 0;
    l.counter[0].period = 1000;
    l.counter[0].evtsel = evtsel0;
    l.counter[1].period = 500;
    l.counter[1].evtsel = evtsel1;
    return l;
}
sample at(std::uint64_t rip, std::uint8_t counter, std::uint64_t weight = 1) {
    sample s;
    s.rip = rip;
    s.counter = counter;
    s.weight = weight;
    return s;
}

// The exact side: what one thread executes.
struct execution {
    no_machine machine;
    symbols known;
    function_profile by_function{known};
    knc::core::profile exact{by_function};

    explicit execution(const image& i)
        : known(i, {}, [](std::uint64_t, void*, std::size_t) { return false; }) {}
    void retired(unsigned thread, knc::base::privilege p, std::uint64_t ip,
                 knc::base::cycle_t now) {
        exact.retired(thread, machine.c, p, ip, ip, now);
    }
};

TEST(profile, puts_sampled_and_exact_shares_side_by_side) {
    const image i = example();
    sample_log l = log_of(instructions_user);
    for (std::uint64_t n = 0; n < 3; ++n)
        l.samples.push_back(at(0x100010 + 31 * (n % 2), 0));  // first and last byte of "first"
    l.samples.push_back(at(0x100040, 0));                     // behind "second"

    // Three instructions of "first" and one of "second" at CPL 3, and one at CPL 0, which the
    // counter does not see.
    execution e{i};
    for (int n = 0; n < 3; ++n) e.retired(0, knc::base::user, 0x100012, 10);
    e.retired(1, knc::base::user, 0x100030, 10);
    e.retired(1, knc::base::supervisor, 0x100030, 11);

    call_stack stacks{i};
    const auto profiles = make_profiles({l}, stacks, &e.by_function);
    ASSERT_EQ(profiles.size(), 1u);
    const profile& p = profiles[0];
    EXPECT_EQ(p.event, "INSTRUCTIONS_EXECUTED");
    EXPECT_EQ(p.samples, 4u);
    EXPECT_EQ(p.events, 4000u);
    EXPECT_EQ(p.exact, 4u);
    EXPECT_EQ(p.exact_unit, "instructions");
    ASSERT_EQ(p.functions.size(), 3u);
    EXPECT_EQ(p.functions[0].name, "first");
    EXPECT_DOUBLE_EQ(p.share(p.functions[0]), 75);
    EXPECT_DOUBLE_EQ(p.exact_share(p.functions[0]), 75);
    // "second": 25 % exact, no sample; one sample in no function.
    EXPECT_DOUBLE_EQ(p.largest_difference(), 25);
}

TEST(profile, bounds_the_difference_that_chance_explains) {
    profile p;
    p.exact_unit = "instructions";
    p.exact = 1000;
    p.events = 1000;
    p.independent = 900;
    // A tenth of all: 3 x sqrt(0.1 x 0.9 / 900) = 3 x 0.01.
    function_share f{"f", 130, 130, 130, 100};
    EXPECT_NEAR(p.bound(f), 3, 1e-9);
    EXPECT_FALSE(p.outside({"f", 129, 129, 129, 100}));
    EXPECT_TRUE(p.outside({"f", 131, 131, 131, 100}));
    EXPECT_TRUE(p.outside({"f", 69, 69, 69, 100}));
    // Nothing of it was executed: no sample can be right.
    EXPECT_TRUE(p.outside({"f", 1, 1, 1, 0}));
}

// Throttled samples stand for several periods: (1 + 1 + 2)^2 / (1 + 1 + 4) samples of one weight
// say as much about shares.
TEST(profile, weighs_samples_by_their_periods) {
    const image i = example();
    sample_log l = log_of(instructions_user);
    l.samples = {at(0x100010, 0), at(0x100010, 0), at(0x100030, 0, 2)};
    sample_log other = log_of(instructions_user);
    other.thread = 1;
    other.counter[0].period = 4000;  // another thread with another period
    call_stack stacks{i};
    profile p = make_profiles({l, other}, stacks, nullptr).at(0);
    EXPECT_EQ(p.period, 1000u);
    EXPECT_EQ(p.weight, 4u);
    EXPECT_NEAR(p.independent, 16.0 / 6, 1e-9);
    EXPECT_DOUBLE_EQ(p.share(p.functions.at(0)), 50);
    other.samples = {at(0x100030, 0)};
    p = make_profiles({l, other}, stacks, nullptr).at(0);
    EXPECT_EQ(p.period, 0u);
    EXPECT_EQ(p.events, 8000u);
    EXPECT_EQ(p.functions.at(0).name, "second");
    EXPECT_DOUBLE_EQ(p.share(p.functions.at(0)), 75);
}

TEST(profile, keeps_what_two_counters_sampled_apart) {
    const image i = example();
    sample_log l = log_of(instructions_user, branches_all);
    l.samples = {at(0x100010, 0), at(0x100030, 1, 2)};
    call_stack stacks{i};
    const auto profiles = make_profiles({l}, stacks, nullptr);
    ASSERT_EQ(profiles.size(), 2u);
    EXPECT_EQ(profiles[1].event, "BRANCHES");
    EXPECT_EQ(profiles[1].exact_unit, "");  // the cores keep no exact count of it per address
    std::ostringstream folded;
    write_folded(folded, {l}, stacks, "x.elf");
    EXPECT_EQ(folded.str(), "x.elf;BRANCHES;second 2\nx.elf;INSTRUCTIONS_EXECUTED:u;first 1\n");
    EXPECT_TRUE(derive_cpi(profiles).empty());
}

TEST(profile, derives_clocks_per_instruction) {
    const image i = example();
    sample_log l = log_of(instructions_user, clocks_user);
    // "first": 2000 instructions, 6 x 500 clocks. "second" has no sample of instructions.
    l.samples = {at(0x100010, 0), at(0x100011, 0), at(0x100012, 1, 6), at(0x100030, 1)};
    execution e{i};
    e.retired(0, knc::base::user, 0x100010, 10);
    e.retired(0, knc::base::user, 0x100010, 13);
    e.exact.settle(17);  // 7 clocks since the first
    call_stack stacks{i};
    const auto cpi = derive_cpi(make_profiles({l}, stacks, &e.by_function));
    ASSERT_EQ(cpi.size(), 1u);
    EXPECT_EQ(cpi[0].name, "first");
    EXPECT_EQ(cpi[0].instructions, 2000u);
    EXPECT_EQ(cpi[0].clocks, 3000u);
    EXPECT_EQ(cpi[0].exact_instructions, 2u);
    EXPECT_EQ(cpi[0].exact_clocks, 7u);
    // Clocks of both rings are not clocks of these instructions.
    l.counter[1].evtsel |= 1 << 17;
    EXPECT_TRUE(derive_cpi(make_profiles({l}, stacks, nullptr)).empty());
}

// As perf script prints them: the order is that of the times, over all threads.
TEST(samples, are_written_as_perf_writes_them) {
    const image i = example();
    sample_log first = log_of(instructions_user), second = log_of(branches_all);
    second.thread = 17;
    second.interval = 700;
    first.samples = {at(0x100012, 0, 3)};
    first.samples[0].tsc = 2'500'000'001;
    // The call was the last instruction of "first", so the return address is no longer its own. The
    // next address is no code, where the chain ends.
    first.samples[0].callers = {0x100030, 0x77, 0x100034};
    second.samples = {at(0x100040, timer_sample)};
    second.samples[0].thread = 17;
    second.samples[0].tsc = 1;
    call_stack stacks{i};
    std::ostringstream out;
    write_samples(out, {first, second}, stacks, "my (x).elf", knc::base::clock{1'000'000'000});
    EXPECT_EQ(out.str(),
              "my__x_.elf 1/18 [017] 0.000000001:        700 timer: \n"
              "\t          100040 [unknown] ([unknown])\n"
              "\n"
              "my__x_.elf 1/1 [000] 2.500000001:       3000 INSTRUCTIONS_EXECUTED:u: \n"
              "\t          100012 first+0x2 (my__x_.elf)\n"
              "\t          100030 first+0x20 (my__x_.elf)\n"
              "\n");
    std::ostringstream folded;
    write_folded(folded, {first}, stacks, "x.elf");
    EXPECT_EQ(folded.str(), "x.elf;first;first 3\n");
}

}  // namespace
}  // namespace platform
