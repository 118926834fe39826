// What memory that may not be cached costs, in clocks and events.

#include "event_log.h"

namespace knc::card::test {
namespace {

using base::event;

constexpr std::uint32_t stall = 50;
parameters with_stall() {
    parameters p;
    p.core.uncached_cycles = stall;
    return p;
}

// 4 KB at 0x100000 UC by the third variable range.
#define UNCACHE                                                         \
    "movl $0x204, %ecx\nxorl %edx, %edx\nmovl $0x100000, %eax\nwrmsr\n" \
    "incl %ecx\nmovl $0xff, %edx\nmovl $0xfffff800, %eax\nwrmsr\n"
KNC_PROGRAM(loads, UNCACHE "1: movl 0x100000, %eax\njmp 1b");
KNC_PROGRAM(stores, UNCACHE "1: movl %eax, 0x100000\njmp 1b");
KNC_PROGRAM(cached_loads, UNCACHE "1: movl 0x101000, %eax\njmp 1b");
KNC_PROGRAM(copies, UNCACHE
            "cld\n1: movl $0x100000, %esi\nmovl $0x2000, %edi\nmovl $4, %ecx\nrep movsl\njmp 1b");
KNC_PROGRAM(call_uncached, UNCACHE "movl $0x100000, %eax\njmp *%eax");
KNC_PROGRAM(nops, ".rept 2000\nnop\n.endr");
KNC_PROGRAM(far_loop, "1: jmp 1b");

struct counts {
    std::uint64_t rounds, read_miss, miss, waiting, exec;
};
counts run_loop(const program& p, base::cycle_t clocks) {
    rig r(with_stall());
    r.start(0, 0x1000, p);
    r.run(1000);
    const auto now = [&r] {
        return counts{r.count(0, event::branches), r.count(0, event::data_read_miss),
                      r.count(0, event::data_read_miss_or_write_miss),
                      r.count(0, event::fe_stalled), r.count(0, event::exec_stage_cycles)};
    };
    const counts a = now();
    r.run(1000 + clocks);
    const counts b = now();
    return {b.rounds - a.rounds, b.read_miss - a.read_miss, b.miss - a.miss, b.waiting - a.waiting,
            b.exec - a.exec};
}

// A load in clock c stalls its thread in the next 50; the jump issues in c + 51, the next load two
// clocks later: 53 a round.
TEST(uncached, loads_stall_and_miss) {
    const counts n = run_loop(loads, 100 * (stall + 3));
    EXPECT_EQ(n.rounds, 100u);
    EXPECT_EQ(n.read_miss, 100u);
    EXPECT_EQ(n.miss, 100u);
    EXPECT_EQ(n.waiting, 100u * stall);
    EXPECT_EQ(n.exec, 200u);  // one clock of each instruction: waiting is not executing
}

TEST(uncached, stores_stall_and_are_no_write_misses) {
    const counts n = run_loop(stores, 100 * (stall + 3));
    EXPECT_EQ(n.rounds, 100u);
    EXPECT_EQ(n.read_miss, 0u);
    EXPECT_EQ(n.miss, 100u);
}

TEST(uncached, other_memory_is_not_touched) {
    const counts n = run_loop(cached_loads, 200);
    EXPECT_EQ(n.rounds, 100u);  // a pair of load and jump every two clocks
    EXPECT_EQ(n.miss, 0u);
}

TEST(uncached, each_element_of_a_string_stalls) {
    rig r(with_stall());
    r.start(0, 0x1000, copies);
    r.run(20'000);
    const std::uint64_t reads = r.count(0, event::data_read_miss);
    EXPECT_GT(reads, 300u);
    EXPECT_LE(reads, 20'000u / stall);
    EXPECT_EQ(r.count(0, event::data_read), reads);
    EXPECT_EQ(r.count(0, event::data_write), reads);
    EXPECT_EQ(r.count(0, event::data_read_miss_or_write_miss), reads);
}

// 32 NOPs come with one fetch request and issue in 16 pairs: the one whose second is the first of a
// block takes its clock and 50 more, each of the others issues two clocks after the one before.
TEST(uncached, instructions_fetch_past_the_cache) {
    rig r(with_stall());
    r.load(0x10'0000, nops);
    r.start(0, 0x1000, call_uncached);
    r.run(1000);
    const std::uint64_t fetched = r.count(0, event::code_cache_miss);
    EXPECT_GT(fetched, 0u);
    const std::uint64_t retired = r.unit.cpu().instructions(0);
    constexpr base::cycle_t request = 1 + stall + 15 * 2;
    r.run(1000 + 10 * request);
    EXPECT_EQ(r.count(0, event::code_cache_miss), fetched + 10);
    EXPECT_EQ(r.unit.cpu().instructions(0), retired + 320);
    EXPECT_EQ(r.count(0, event::data_read_miss), 0u);
}

// The time of event entry grows with what it reads and writes past the caches.
KNC_PROGRAM(interrupt_itself, KNC_LOGGED UNCACHE "movl $0x100800, %esp\nint $0x40\nhlt");

TEST(uncached, event_entry_pays_for_its_stack) {
    parameters free = with_stall();
    free.core.uncached_cycles = 0;
    event_log quick("quick", free), slow("slow", with_stall());
    quick.elaborate();
    slow.elaborate();
    for (event_log* r : {&quick, &slow}) {
        r->put(r->stub(0x40), std::uint8_t{0xf4});  // the handler halts
        r->execute(interrupt_itself);
        EXPECT_EQ(r->unit.cpu().state(0).r[isa::rip], r->stub(0x40) + 1);
        EXPECT_EQ(r->count(0, event::data_read_miss_or_write_miss), 1u);  // the frame's line
    }
    EXPECT_EQ(slow.count(0, event::cpu_clk_unhalted) - quick.count(0, event::cpu_clk_unhalted),
              stall);
}

TEST(uncached, reset_memory_is_uncacheable_until_boot_code_has_run) {
    rig raw("raw", with_stall()), booted("booted", with_stall());
    raw.elaborate();
    booted.elaborate();
    booted.unit.cpu().enable_caches();
    for (rig* r : {&raw, &booted}) {
        r->load(0x7000, far_loop);
        apic::interrupt_message m;
        m.mode = apic::delivery_mode::startup;
        m.vector = 7;
        r->unit.apic(1).receive(m, 0);  // thread 1 waits for one since reset
        r->unit.cpu().notify();
        r->run(2000);
        EXPECT_GT(r->unit.cpu().instructions(1), 5u);
        EXPECT_EQ(r->count(1, event::code_cache_miss) == 0, r == &booted);
    }
}

}  // namespace
}  // namespace knc::card::test
