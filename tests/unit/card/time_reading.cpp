// RDTSC, DELAY and the clocks they take.

#include "rig.h"

namespace knc::card::test {
namespace {

using base::event;

// Stores TSC before and after `n` instructions "insn".
#define KNC_TIMED(name, n, insn)                                    \
    KNC_PROGRAM(name, "rdtsc\nmovl %eax, %esi\n.rept " #n "\n" insn \
                      "\n.endr\nrdtsc\nsubl %esi, %eax\nmovl %eax, 0x3000\n1: jmp 1b")

KNC_TIMED(nothing, 0, "nop");
KNC_TIMED(rdtscs, 10, "rdtsc");
KNC_TIMED(singles, 10, "adcl %eax, %eax");
// The same around MOV and DELAY ECX, which 64-bit code only can encode.
#define KNC_DELAYED(name, clocks)                                                              \
    KNC_PROGRAM64(name, "rdtsc\nmovl %eax, %esi\nmovl $" #clocks                               \
                        ", %ecx\n.byte 0xC4, 0xE1, 0x7A, 0xAE, 0xF1\nrdtsc\nsubl %esi, %eax\n" \
                        "movl %eax, 0x3000\n1: jmp 1b")
KNC_DELAYED(delayed, 100);
KNC_DELAYED(delayed_long, 5000);

std::uint32_t timed(const program& p, const parameters& parameters_ = {}) {
    rig r(parameters_);
    r.start(0, 0x1000, p);
    r.run(10'000);
    return r.read<std::uint32_t>(0x3000);
}

std::uint32_t timed64(const program& p) {
    rig r;
    r.start64(0, p);
    r.run(10'000);
    return r.read<std::uint32_t>(0x3000);
}

// RDTSC reads the clock it completes in; the MOV that saves the first value takes 2 clocks of the
// thread's issue slots, the second RDTSC 4.
TEST(time_reading, rdtsc_takes_4_cycles) {
    EXPECT_EQ(timed(nothing), 2u + 4u);
}

TEST(time_reading, each_further_rdtsc_takes_4_cycles) {
    EXPECT_EQ(timed(rdtscs), 2u + 4u + 10u * 4u);
}

TEST(time_reading, rdtsc_may_take_5_cycles) {
    parameters p;
    p.core.rdtsc_cycles = 5;
    EXPECT_EQ(timed(rdtscs, p), 2u + 5u + 10u * 5u);
}

TEST(time_reading, an_instruction_takes_2_clocks_of_its_thread) {
    EXPECT_EQ(timed(singles), 2u + 4u + 10u * 2u);
}

// The clock of its issue, then as many as asked for: 1 + 100. The two MOVs are a pair.
TEST(time_reading, delay_waits_as_many_clocks_as_asked_for) {
    EXPECT_EQ(timed64(delayed), 2u + 4u + 101u);
}

TEST(time_reading, delay_is_bounded) {
    EXPECT_EQ(timed64(delayed_long), 2u + 4u + 1024u);
}

TEST(time_reading, microcode_clocks_are_those_of_rdtsc) {
    rig r;
    r.start(0, 0x1000, rdtscs);
    r.run(10'000);
    EXPECT_EQ(r.count(0, event::microcode_cycles), 12u * 4u);
}

}  // namespace
}  // namespace knc::card::test
