// How fast threads are with instructions of the vector unit, alone and together. Streams of the
// same instructions run on threads 1 to 3 beside a kernel on thread 0, which issues `start` in
// clock 0.

#include "vector.h"

namespace knc::kernels {
namespace {

using namespace base;
using card::test::program;

// 64-bit code from its start on, at ADDRESS.
#define KNC_STREAM(name, address, text)                                                        \
    KNC_PROGRAM(name,                                                                          \
                "lgdt 0x8080\nmovl $0x20, %eax\nmovl %eax, %cr4\nmovl $0x9000, %eax\nmovl "    \
                "%eax, %cr3\nmovl $0xC0000080, %ecx\nmovl $0x100, %eax\nxorl %edx, "           \
                "%edx\nwrmsr\nmovl $0x80000001, %eax\nmovl %eax, %cr0\nljmp $8, $(1f - " #name \
                "_begin + " address ")\n.code64\n1:\n.rept 1000\n" text "\n.endr\n")
// Of thread 1, 2 and 3.
#define KNC_STREAMS(name, text)            \
    KNC_STREAM(name##_1, "0x10000", text); \
    KNC_STREAM(name##_2, "0x14000", text); \
    KNC_STREAM(name##_3, "0x18000", text); \
    const program name[] = {name##_1, name##_2, name##_3}

#define KNC_ADD "vaddps %zmm1, %zmm2, %zmm3"
#define KNC_CHAIN "vaddps %zmm3, %zmm3, %zmm3"
#define KNC_EXPONENTIAL "vexp223ps %zmm1, %zmm3"
KNC_STREAMS(adds, KNC_ADD);
KNC_STREAMS(chains, KNC_CHAIN);
KNC_STREAMS(exponentials, KNC_EXPONENTIAL);
KNC_STREAMS(writers, "vaddps %zmm3, %zmm3, %zmm1");
KNC_STREAMS(scalars, "adcl %edi, %edi");

// Each instruction has 6 bytes: 50 of them and `stop` lie in 10 fetch blocks of 32 bytes, 25 in 5.
const counts ten_blocks = raises(code_read, 9), five_blocks = raises(code_read, 4);

// One thread: a vector instruction every second clock, like any other.
KNC_VECTOR(vector_rates, adds, ".rept 50\n" KNC_ADD "\n.endr", 100, vector_issues(50) + ten_blocks);
// One that needs the result before: every fourth clock, 24 times two clocks late.
KNC_VECTOR(vector_rates, chain, ".rept 25\n" KNC_CHAIN "\n.endr", 98,
           vector_issues(25) + five_blocks + stalls(24, 2));
// 8 clocks, after each of which but the last two to `stop`.
KNC_VECTOR(vector_rates, exponential_chain, ".rept 4\nvexp223ps %zmm3, %zmm3\n.endr", 26,
           vector_issues(4) + held(4) + stalls(3, 6));
KNC_VECTOR(vector_rates, exponentials, ".rept 25\n" KNC_EXPONENTIAL "\n.endr", 50,
           vector_issues(25) + five_blocks + held(25));
// A scalar instruction beside each.
KNC_VECTOR(vector_rates, pairs, ".rept 25\n" KNC_ADD "\nincl %edi\n.endr", 50,
           issues(50, 25) + vectors(25) + elements(25 * 16) + raises(code_read, 6));

measurement beside(const kernel& k, const program (&streams)[3], std::uint32_t others) {
    machine m;
    for (std::uint32_t t = 1; t <= others; ++t)
        m.start(t, 0x10000 + 0x4000 * (t - 1), streams[t - 1]);
    return k.measure(m);
}
void expect_others(const measurement& m, std::uint32_t others, std::uint64_t each,
                   std::uint64_t waits_each) {
    for (std::uint32_t t = 1; t <= 3; ++t) {
        const base::event_row& row = m.events[t];
        const std::uint64_t n = t <= others ? each : 0;
        EXPECT_EQ(row[instructions_executed], n) << "thread " << t;
        EXPECT_EQ(row[vpu_instructions_executed], n) << "thread " << t;
        EXPECT_EQ(row[vpu_elements_active], 16 * n) << "thread " << t;
        EXPECT_EQ(row[vpu_stall_reg], t <= others ? waits_each : 0) << "thread " << t;
        EXPECT_EQ(row[cpu_clk_unhalted], m.clocks) << "thread " << t;
    }
}

// Two threads: one starts in each clock. Thread 0 in 2, 4, ... 100, `stop` in 102; thread 1 in
// 1, 3, ... 101.
TEST(vector_threads, two_start_one_each_clock) {
    const measurement m = beside(vector_rates_adds, adds, 1);
    EXPECT_EQ(m.clocks, 100u);
    EXPECT_EQ(m.events[0][vpu_instructions_executed], 50u);
    expect_others(m, 1, 51, 0);
}

// Three and four share it: every third and fourth clock, `stop` in 153 and 204.
TEST(vector_threads, three_share_evenly) {
    const measurement m = beside(vector_rates_adds, adds, 2);
    EXPECT_EQ(m.clocks, 153u - 2);
    expect_others(m, 2, 51, 0);
}
TEST(vector_threads, four_share_evenly) {
    const measurement m = beside(vector_rates_adds, adds, 3);
    EXPECT_EQ(m.clocks, 204u - 2);
    expect_others(m, 3, 51, 0);
}

// With four threads each has its turn every fourth clock, when its last result is there: no thread
// waits, and the unit starts one in each clock. `stop` in 104.
TEST(vector_threads, four_hide_the_latency) {
    const measurement m = beside(vector_rates_chain, chains, 3);
    EXPECT_EQ(m.clocks, 104u - 2);
    EXPECT_EQ(m.events[0][vpu_stall_reg], 0u);
    EXPECT_EQ(m.events[0][fe_stalled], 0u);
    expect_others(m, 3, 26, 0);
}

// With two it shows in both: thread 0 in 2, 6, ... 98, `stop` in 100, when thread 1 has issued in
// 1, 5, ... 97. It lost its slots in 3, 7, ... 99.
TEST(vector_threads, two_do_not_hide_it) {
    const measurement m = beside(vector_rates_chain, chains, 1);
    EXPECT_EQ(m.clocks, 98u);
    EXPECT_EQ(m.events[0][vpu_stall_reg], 24u);
    expect_others(m, 1, 25, 25);
}

// VEXP223PS holds the E stage for two clocks: thread 1 in 1, 5, ... 101, thread 0 in 3, 7, ... 99,
// `stop` in 103.
TEST(vector_threads, exponentials_share_the_stage) {
    const measurement m = beside(vector_rates_exponentials, exponentials, 1);
    EXPECT_EQ(m.clocks, 103u - 2);
    EXPECT_EQ(m.events[0][exec_stage_cycles], 50u);
    expect_others(m, 1, 26, 0);
}

// A wait for a register holds up no other thread: thread 1 with scalar instructions in 1, 3,
// ... 99.
TEST(vector_threads, a_wait_stalls_no_other) {
    const measurement m = beside(vector_rates_chain, scalars, 1);
    EXPECT_EQ(m.clocks, 98u);
    EXPECT_EQ(m.events[0][vpu_stall_reg], 24u);
    EXPECT_EQ(m.events[1][instructions_executed], 50u);
    EXPECT_EQ(m.events[1][exec_stage_cycles], 50u);
    EXPECT_EQ(m.events[1][vpu_instructions_executed], 0u);
    EXPECT_EQ(m.events[1][vpu_stall_reg], 0u);
}

// Each has registers of its own: thread 1 always has a result under way to the register that thread
// 0 reads.
TEST(vector_threads, have_registers_of_their_own) {
    const measurement m = beside(vector_rates_adds, writers, 1);
    EXPECT_EQ(m.clocks, 100u);
    EXPECT_EQ(m.events[0][vpu_stall_reg], 0u);
    expect_others(m, 1, 51, 0);
}

}  // namespace
}  // namespace knc::kernels
