// Results of x87 instructions: the clock each instruction issues in, and what waiting counts.

#include "event_log.h"

namespace knc::card::test {
namespace {

using base::cycle_t;
using base::event;
using clocks = std::vector<cycle_t>;

// Four ones on the stack. FNINIT: 12 clocks of microcode; FLD1 holds the execution stage for 2.
#define STACK "fninit\nfld1\nfld1\nfld1\nfld1\n"
constexpr std::size_t stack_size = 5;

// The clock each of the first `n` instructions of a thread issues in.
clocks issue_cycles(rig& r, std::size_t thread, std::size_t n) {
    clocks all;
    while (all.size() < n && r.unit.cpu().now() < 5000) {
        const cycle_t now = r.unit.cpu().now();
        const std::uint64_t before = r.unit.cpu().instructions(thread);
        r.run(now + 1);
        all.insert(all.end(), r.unit.cpu().instructions(thread) - before, now);
    }
    all.resize(n, base::never);
    return all;
}

struct outcome {
    clocks issued;  // after the first `skip` instructions, counted from the first of them
    std::uint64_t stalled = 0, v_pipe = 0;
};

// Runs `p` alone, with events counted from the first of the `n` instructions behind `skip`.
outcome behind(const program& p, std::size_t n, std::size_t skip = stack_size,
               const parameters& with = {}) {
    rig r(with);
    r.start(0, 0x1000, p);
    const clocks first = issue_cycles(r, 0, skip);
    const std::uint64_t stalled = r.count(0, event::fe_stalled);
    // What the last of `first` still holds of the execution stage counts as well.
    outcome o;
    o.issued = issue_cycles(r, 0, n);
    const cycle_t start = o.issued.front();
    for (cycle_t& c : o.issued) c -= start;
    o.stalled = r.count(0, event::fe_stalled) - stalled;
    o.v_pipe = r.count(0, event::instructions_executed_v_pipe);
    return o;
}

// The last FLD1 of STACK has one more clock when what follows is looked at.
constexpr std::uint64_t last_fld1 = 1;

KNC_PROGRAM(chain, STACK "fadd %st(1), %st\nfadd %st(1), %st\nfmul %st(1), %st\nadcl %eax, %eax");
TEST(x87_latency, sums_and_products_take_three_cycles) {
    const outcome o = behind(chain, 4);
    // The thread could issue in clocks 2 and 5: it loses both slots and waits no longer, as the
    // operand is ready in the next clock. ADC needs no operand.
    EXPECT_EQ(o.issued, (clocks{0, 3, 6, 8}));
    EXPECT_EQ(o.stalled, last_fld1 + 2);
}

KNC_PROGRAM(two_sums, STACK
            "fadd %st(1), %st\nfxch %st(2)\nfadd %st(1), %st\nfadd %st(2), %st\n"
            "fadd %st(3), %st");
TEST(x87_latency, fxch_in_v_takes_the_wait_with_it) {
    const outcome o = behind(two_sums, 5);
    // 0: the sum, on its way to ST(2), ready in 3. 2: another one, of registers that are ready. 4:
    // its result, ready in 5, is needed. 7: the same again.
    EXPECT_EQ(o.issued, (clocks{0, 0, 2, 5, 8}));
    EXPECT_EQ(o.v_pipe, 1u);
    EXPECT_EQ(o.stalled, last_fld1 + 2);
}

KNC_PROGRAM(pair_waits, STACK "fadd %st(1), %st\nfadd %st(1), %st\nfxch %st(2)\nadcl %eax, %eax");
TEST(x87_latency, a_pair_waits_together) {
    const outcome o = behind(pair_waits, 4);
    EXPECT_EQ(o.issued, (clocks{0, 3, 3, 5}));
    EXPECT_EQ(o.v_pipe, 1u);
    EXPECT_EQ(o.stalled, last_fld1 + 1);
}

KNC_PROGRAM(exchanged, STACK "fscale\nfxch %st(1)\nfst %st(3)\nfadd %st(1), %st");
TEST(x87_latency, fxch_alone_waits_for_nothing) {
    const outcome o = behind(exchanged, 4);
    // FSCALE holds the execution stage for 27 clocks and its result is there in 32, by then in
    // ST(1): FST, of what was there, goes on.
    EXPECT_EQ(o.issued, (clocks{0, 27, 29, 32}));
    // 26 clocks of microcode, one lost slot in 31.
    EXPECT_EQ(o.stalled, last_fld1 + 26 + 1);
}

KNC_PROGRAM(division, STACK "fdiv %st(1), %st\nadcl %eax, %eax\nadcl %eax, %eax\nfstps 0x3000\n");
TEST(x87_latency, integer_instructions_run_beside_a_division) {
    const outcome o = behind(division, 4);
    EXPECT_EQ(o.issued, (clocks{0, 2, 4, 41}));
    EXPECT_EQ(o.stalled, last_fld1 + 35);  // 6 to 40
}

KNC_PROGRAM(
    divisions,
    STACK "fdiv %st(1), %st\nfxch %st(3)\nfdiv %st(2), %st\nfxch %st(1)\nfchs\nfsqrt\nfst %st(2)");
TEST(x87_latency, a_division_holds_the_unit) {
    const outcome o = behind(divisions, 7);
    // No operand of the second FDIV is the result of the first, none of FCHS that of the second.
    // FSQRT waits for FCHS, 1 clock, and has its result after 70.
    EXPECT_EQ(o.issued, (clocks{0, 0, 41, 41, 82, 84, 154}));
    // 2 to 40, 43 to 81, 86 to 153.
    EXPECT_EQ(o.stalled, last_fld1 + 39 + 39 + 68);
}

KNC_PROGRAM(exchange_beside_division, STACK "fdiv %st(1), %st\nnop\nfxch %st(1)\nfnstcw 0x3000");
TEST(x87_latency, fxch_issues_while_the_unit_is_held) {
    const outcome o = behind(exchange_beside_division, 4);
    // FNSTCW reads no register, but the unit's.
    EXPECT_EQ(o.issued, (clocks{0, 2, 4, 41}));
}

KNC_PROGRAM(loads, STACK
            "fstp %st\nfstp %st\nfstp %st\nflds 0x3000\nfchs\nfildl 0x3000\nfadd %st, %st(1)\n"
            "fld %st(1)\nfstps 0x3004");
TEST(x87_latency, of_loads) {
    const outcome o = behind(loads, 6, stack_size + 3);
    // FLD 1, FCHS 1, FILD 3: one slot lost. FLD of the sum, and the store of its copy: one each
    // of 3 and 1.
    EXPECT_EQ(o.issued, (clocks{0, 2, 4, 7, 10, 12}));
    EXPECT_EQ(o.stalled, 2u);
}

KNC_PROGRAM(saves,
            STACK "fildl 0x3000\nfnstenv 0x3100\nfildl 0x3000\nfldenv 0x3100\nfadd %st(1), %st");
TEST(x87_latency, the_environment_is_stored_behind_all_results) {
    const outcome o = behind(saves, 5);
    // FNSTENV holds the execution stage for 48 clocks from 3 on. FLDENV waits for nothing, for 32
    // clocks from 53 on.
    EXPECT_EQ(o.issued, (clocks{0, 3, 51, 53, 85}));
    EXPECT_EQ(o.stalled, last_fld1 + 1 + 47 + 31);
}

KNC_PROGRAM(divide_and_count, STACK "fdiv %st(1), %st\n.rept 100\nadcl %eax, %eax\n.endr");
TEST(x87_latency, one_unit_for_all_threads) {
    rig r;
    r.start(0, 0x1000, divide_and_count);
    r.start(1, 0x2000, divide_and_count);
    const cycle_t first = issue_cycles(r, 0, stack_size + 1).back();
    ASSERT_EQ(r.unit.cpu().instructions(1), stack_size);
    const std::uint64_t stalled = r.count(1, event::fe_stalled);
    EXPECT_EQ(issue_cycles(r, 1, 1), (clocks{first + 41}));
    // The other thread's slot comes in the next clock.
    EXPECT_EQ(r.count(1, event::fe_stalled) - stalled, 40u);
    // Meanwhile the first issues in every second clock, the last time in the 40th.
    EXPECT_EQ(r.unit.cpu().instructions(0), stack_size + 1 + 20);
}

KNC_PROGRAM(uncached,
            "movl $0x204, %ecx\nxorl %edx, %edx\nmovl $0x100000, %eax\nwrmsr\n"
            "incl %ecx\nmovl $0xff, %edx\nmovl $0xfffff800, %eax\nwrmsr\n" STACK
            "fadds 0x100000\nfadd %st(1), %st");
TEST(x87_latency, counts_from_the_operand_in_memory) {
    parameters p;
    p.core.uncached_cycles = 50;
    const outcome o = behind(uncached, 2, 8 + stack_size, p);
    // FADD stalls its thread until 51 and has its sum 3 clocks after its operand.
    EXPECT_EQ(o.issued, (clocks{0, 53}));
    EXPECT_EQ(o.stalled, last_fld1 + 50 + 2);
}

KNC_PROGRAM(from_device, STACK "fadds 0xfef00010\nfadd %st(1), %st");
TEST(x87_latency, counts_from_the_answer_of_a_device) {
    rig r;
    r.start(0, 0x1000, from_device);
    issue_cycles(r, 0, stack_size);
    while (r.posted.empty()) r.run(r.unit.cpu().now() + 1);
    r.answer(r.posted[0], 100);
    EXPECT_EQ(issue_cycles(r, 0, 2), (clocks{100, 103}));
}

// 1 / 0 with no exception masked: FXCH in V is where it is reported, the division has retired.
KNC_PROGRAM(fault_in_v, KNC_LOGGED
            "fninit\nfnclex\nmovl %cr0, %eax\norl $0x20, %eax\nmovl %eax, %cr0\n"
            "movw $0x340, 0x6000\nfldcw 0x6000\nfld1\nfldz\nfdivr %st(1), %st\nfxch %st(1)\nhlt");
KNC_PROGRAM(stores_status, "fnstsw 0x6004\nhlt");
TEST(x87_latency, outlasts_a_fault_of_fxch) {
    parameters p;
    p.core.event_entry_cycles = 10;
    event_log r("rig", p);
    r.load(0x1800, stores_status);
    // Vector 16 enters the handler directly.
    r.put(0x8100 + 8 * 16, std::uint64_t{0x1800} | 0x8e00'0008'0000);
    r.start(0, 0x1000, fault_in_v);
    constexpr std::size_t division_at = 3 + 9;
    const clocks c = issue_cycles(r, 0, division_at + 2);
    EXPECT_EQ(r.unit.cpu().state(0).x87.status & 0x84, 0x84);  // ES, division by zero
    // Entry takes 10 clocks from the division on, whose unit is held for 41.
    EXPECT_EQ(c[division_at + 1], c[division_at] + 41);
}

KNC_PROGRAM(shadowed, KNC_LOGGED STACK
            "movl $0x204, %ecx\n1: loop 1b\nfdiv %st(1), %st\nsti\nfstps 0x6000\nincl 0x5000\nhlt");
TEST(x87_latency, waiting_does_not_end_the_shadow_of_sti) {
    event_log r;
    r.start(0, 0x1000, shadowed);
    r.run(300);
    r.interrupt(0x41);
    r.run_to_halt();
    r.run(r.unit.cpu().now() + 1000);
    ASSERT_EQ(r.events(), 1u);
    // Behind FSTP: its result is stored and the increment has not been executed.
    EXPECT_EQ(r.at(0).vector, 0x41u);
    EXPECT_EQ(r.read<std::uint32_t>(r.at(0).eip) & 0xffff, 0x05ffu);
}

}  // namespace
}  // namespace knc::card::test
