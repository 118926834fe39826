// Which thread an interrupt, an INIT or a PMI reaches.

#include "rig.h"

#include <knc/pmu/event_table.h>

namespace knc::card::test {
namespace {

// One instruction an issue: ADC does not pair.
KNC_PROGRAM(singles, ".rept 1000\nadcl %eax, %eax\n.endr\n1: jmp 1b");
KNC_PROGRAM(halt, "hlt");
// EDX of CPUID leaf 1 after each write of IA32_APIC_BASE.
#define APIC_BASE(value, result)                      \
    "movl $0x1b, %ecx\nxorl %edx, %edx\nmovl $" value \
    ", %eax\nwrmsr\n"                                 \
    "movl $1, %eax\ncpuid\nmovl %edx, " result "\n"
KNC_PROGRAM(disables_its_apic, APIC_BASE("0xfee00800", "0x5000") APIC_BASE("0xfee00000", "0x5004")
                                   APIC_BASE("0xfee00800", "0x5008") "hlt");

constexpr std::uint32_t cntr0 = 0x20, evtsel0 = 0x28, global_ctrl = 0x2f;
// Both privileges, INT, EN and the event.
constexpr std::uint64_t select(std::uint64_t event) {
    return event | 0x53'0000;
}
constexpr std::uint64_t any_thread = 1u << 21;
constexpr std::uint64_t instructions = 0x16, clk_unhalted = 0x2a;
constexpr std::uint32_t lvt_pmc = 0x340, svr = 0xf0;

void start_all(rig& r) {
    for (std::uint32_t t = 0; t < 4; ++t) r.start(t, 0x1000 + 0x2000 * t, singles);
    for (std::size_t t = 0; t < 4; ++t) {
        ASSERT_TRUE(r.unit.apic(t).write(svr, 0x1ff, 0));
        ASSERT_TRUE(r.unit.apic(t).write(lvt_pmc, 0x40 + static_cast<std::uint32_t>(t), 0));
    }
}
void arm(rig& r, std::size_t thread, std::uint64_t event_select, std::uint64_t period) {
    ASSERT_TRUE(r.unit.pmu().write(thread, cntr0, (std::uint64_t{1} << 40) - period));
    ASSERT_TRUE(r.unit.pmu().write(thread, evtsel0, event_select));
    ASSERT_TRUE(r.unit.pmu().write(thread, global_ctrl, 1));
    r.unit.cpu().notify();
}

// A message for the thread's APIC, which takes effect at clock `at`.
void post(rig& r, std::size_t thread, apic::delivery_mode mode, base::cycle_t at,
          std::uint8_t vector = 0) {
    apic::interrupt_message m;
    m.mode = mode;
    m.vector = vector;
    r.unit.apic(thread).post(m, at);
    r.unit.cpu().notify();
}

TEST(interrupts, a_pmi_reaches_the_apic_of_the_thread_that_overflowed) {
    rig r;
    start_all(r);
    arm(r, 2, select(instructions), 10);
    r.run(200);
    for (std::size_t t = 0; t < 4; ++t) {
        EXPECT_EQ(r.unit.apic(t).pmi_count(), t == 2 ? 1u : 0u) << t;
        EXPECT_EQ(r.unit.apic(t).irr().test(0x42), t == 2) << t;
    }
    // Thread 2 issues in clocks 2, 6, 10, ...: 50 in 200 clocks; the counter wrapped at the tenth.
    EXPECT_EQ(r.unit.pmu().state(2).counter[0], 40u);
    EXPECT_EQ(r.unit.pmu().state(2).status, 1u);
}

TEST(interrupts, any_thread_counts_all_and_interrupts_the_owner) {
    rig r;
    start_all(r);
    arm(r, 1, select(instructions) | any_thread, 100);
    r.run(150);
    EXPECT_EQ(r.unit.pmu().state(1).counter[0], 50u);  // one instruction in each clock
    EXPECT_EQ(r.unit.apic(1).pmi_count(), 1u);
    EXPECT_EQ(r.unit.apic(0).pmi_count(), 0u);
}

// CPU_CLK_UNHALTED counts clocks of the core; its interrupt is that of the counter's own thread,
// whoever is in the execution stage. Clock 101 (the 101st) is thread (101 - 1) mod 4 = 0's.
void expect_pmi_of_clocks_at_the_owner(pmu::contextless_pmi contextless) {
    parameters p;
    p.pmu.contextless_pmi = contextless;
    rig r(p);
    start_all(r);
    arm(r, 3, select(clk_unhalted), 101);
    r.run(150);
    EXPECT_EQ(r.unit.apic(3).pmi_count(), 1u);
    EXPECT_EQ(r.unit.apic(0).pmi_count(), 0u);
    EXPECT_EQ(r.unit.pmu().state(3).status, 1u);
    EXPECT_EQ(r.unit.pmu().state(0).status, 0u);
}
TEST(interrupts, the_pmi_of_clocks_goes_to_the_owner) {
    expect_pmi_of_clocks_at_the_owner(pmu::contextless_pmi::execution_stage);
}
TEST(interrupts, the_pmi_of_clocks_goes_to_the_owner_whatever_is_configured) {
    expect_pmi_of_clocks_at_the_owner(pmu::contextless_pmi::owner);
}

TEST(interrupts, init_keeps_the_pmu_and_waits_for_a_startup) {
    rig r;
    start_all(r);
    arm(r, 2, select(instructions), 1'000'000);
    r.run(100);
    post(r, 2, apic::delivery_mode::init, 100);
    r.run(104);
    EXPECT_EQ(r.unit.cpu().running(2), core::run_state::wait_for_sipi);
    const pmu::thread_state before = r.unit.pmu().state(2);
    // 25 instructions in 100 clocks; the INIT was taken instead of the next one.
    EXPECT_EQ(before.counter[0], (std::uint64_t{1} << 40) - 1'000'000 + 25);
    EXPECT_EQ(before.evtsel[0], select(instructions));
    EXPECT_EQ(before.global_ctrl, 1u);
    r.run(1000);
    EXPECT_EQ(r.unit.cpu().instructions(2), 25u);

    // The counter goes on with the thread: start-up at page 3, real mode.
    post(r, 2, apic::delivery_mode::startup, 1000, 0x03);
    r.run(1100);
    EXPECT_EQ(r.unit.cpu().running(2), core::run_state::running);
    EXPECT_EQ(r.unit.cpu().state(2).seg[isa::cs].selector, 0x300u);
    EXPECT_GT(r.unit.pmu().state(2).counter[0], before.counter[0]);
}

TEST(interrupts, cpuid_announces_an_apic_that_is_enabled) {
    rig r;
    r.start(0, 0x1000, disables_its_apic);
    r.run(1000);
    ASSERT_EQ(r.unit.cpu().running(0), core::run_state::halted);
    constexpr std::uint32_t announced = 1u << 9;
    const auto with = r.read<std::uint32_t>(0x5000);
    EXPECT_EQ(with & announced, announced);
    EXPECT_EQ(r.read<std::uint32_t>(0x5004), with & ~announced);
    EXPECT_EQ(r.read<std::uint32_t>(0x5008), with);
}

// INIT comes while a thread is at work, in the midst of a REP string instruction or not; what
// starts it again begins with a REP string instruction, whose set-up takes its clocks.
KNC_PROGRAM(spins, "1: jmp 1b");
KNC_PROGRAM(moves, "movl $0x4000, %esi\nmovl $0x5000, %edi\nmovl $4000, %ecx\nrep movsb");
KNC_ASSEMBLE(stores_and_halts, ".code16", "movw $5, %cx\nrep stosb\nhlt");

std::uint64_t microcode_after_init(const char* name, const program& interrupted) {
    rig r(name, {});
    r.elaborate();
    r.load(0x3000, stores_and_halts);
    r.start(1, 0x1000, interrupted);
    r.run(100);
    post(r, 1, apic::delivery_mode::init, 100);
    r.run(200);
    EXPECT_EQ(r.unit.cpu().running(1), core::run_state::wait_for_sipi);
    const std::uint64_t before = r.count(1, base::microcode_cycles);
    post(r, 1, apic::delivery_mode::startup, 200, 0x03);
    r.run(400);
    EXPECT_EQ(r.unit.cpu().running(1), core::run_state::halted);
    return r.count(1, base::microcode_cycles) - before;
}

// REP STOSB: 10 clocks of set-up and 5 elements.
TEST(interrupts, init_ends_a_loop) {
    EXPECT_EQ(microcode_after_init("rig", spins), 15u);
}
TEST(interrupts, init_ends_a_string_instruction) {
    EXPECT_EQ(microcode_after_init("rig", moves), 15u);
}

// The thread has written EAX when INIT comes, or executed an instruction that completes late. What
// starts it again addresses by EAX and waits for nobody: EAX is that of INIT.
KNC_PROGRAM(reads_time, "rdtsc\n1: adcl %eax, %eax\njmp 1b");
KNC_ASSEMBLE(loads_and_halts, ".code16", "movl (%eax), %ecx\nhlt");

void expect_init_ends_it(const program& interrupted) {
    rig r;
    r.elaborate();
    r.load(0x3000, loads_and_halts);
    r.start(1, 0x1000, interrupted);
    r.run(100);
    post(r, 1, apic::delivery_mode::init, 100);
    r.run(104);
    EXPECT_EQ(r.unit.cpu().running(1), core::run_state::wait_for_sipi);
    const std::uint64_t retired = r.unit.cpu().instructions(1);
    r.run(1000);
    EXPECT_EQ(r.unit.cpu().instructions(1), retired);
    EXPECT_EQ(r.unit.cpu().state(1).r[isa::rip], 0xfff0u);
    const std::uint64_t stalls = r.count(1, base::pipeline_agi_stalls);
    post(r, 1, apic::delivery_mode::startup, 1000, 0x03);
    r.run(1100);
    EXPECT_EQ(r.unit.cpu().running(1), core::run_state::halted);
    EXPECT_EQ(r.unit.cpu().instructions(1), retired + 2);
    EXPECT_EQ(r.count(1, base::pipeline_agi_stalls), stalls);
}
TEST(interrupts, init_forgets_what_the_last_issue_wrote) {
    expect_init_ends_it(singles);
}
TEST(interrupts, init_forgets_what_completes_late) {
    expect_init_ends_it(reads_time);
}

// Pages of 4 MB, all of them global, over page directory 0x9000.
#define KNC_PAGING(cr4)                               \
    "movl $0x9000, %eax\nmovl %eax, %cr3\nmovl $" cr4 \
    ", %eax\nmovl %eax, %cr4\n"                       \
    "movl %cr0, %eax\norl $0x80000000, %eax\nmovl %eax, %cr0\n"
KNC_PROGRAM(reads_a_page_again, KNC_PAGING("0x10") "movl 0x400000, %eax\nmovl $1000, %ecx\n1: decl %ecx\njnz 1b\n"
                                "movl 0x800000, %eax\nmovl 0x400000, %eax\nhlt");
KNC_PROGRAM(reads_three_pages, KNC_PAGING("0x90") "movl 0x800000, %eax\nmovl 0xc00000, %eax\n"
                               "movl 0x1000000, %eax\n1: jmp 1b");
#undef KNC_PAGING

// All addresses fall into one set of the data TLB, which has four ways: the first thread's page
// and three of the thread that INIT ends, whose ways are free afterwards. Two walks: the page read
// again is still there. Had INIT kept the three, the second page would have pushed it out.
TEST(interrupts, init_drops_global_translations) {
    parameters p;
    p.profile = isa::profile::compat;  // the card has no global pages
    rig r(p);
    for (std::uint32_t n = 0; n < 1024; ++n) {
        const std::uint32_t entry = (n % 4) << 22 | 0x183;
        std::memcpy(r.memory.data() + 0x9000 + 4 * n, &entry, sizeof entry);
    }
    r.start(0, 0x1000, reads_a_page_again);
    r.run(500);
    EXPECT_EQ(r.count(0, base::data_page_walk), 1u);
    r.start(1, 0x2000, reads_three_pages);
    r.run(1000);
    EXPECT_EQ(r.count(1, base::data_page_walk), 3u);
    post(r, 1, apic::delivery_mode::init, 1000);
    r.run(5000);
    EXPECT_EQ(r.unit.cpu().running(0), core::run_state::halted);
    EXPECT_EQ(r.count(0, base::data_page_walk), 2u);
}

TEST(interrupts, a_halted_thread_without_interrupts_sleeps_on) {
    rig r;
    r.start(0, 0x1000, halt);
    ASSERT_TRUE(r.unit.apic(0).write(svr, 0x1ff, 0));
    post(r, 0, apic::delivery_mode::fixed, 10, 0x50);
    r.run(100);
    EXPECT_EQ(r.unit.cpu().running(0), core::run_state::halted);  // IF = 0
    post(r, 0, apic::delivery_mode::nmi, 100);
    r.run(101);
    EXPECT_NE(r.unit.cpu().running(0), core::run_state::halted);  // an NMI wakes it
}

}  // namespace
}  // namespace knc::card::test
