// Clocks that are skipped give what stepping each of them gives: counts, per-cycle counters,
// overflow clocks. Two tiles run the same programs with the same random PMU settings, one clock at
// a time the one, in one go the other.

#include "rig.h"

#include <random>

#include <knc/pmu/event_table.h>
#include <support/environment_number.h>

namespace knc::card::test {
namespace {

KNC_PROGRAM(mixed,
            "movl $0x40, %esi\n1: rdtsc\nmovl %eax, 0x3000\nincl %edi\nmovl 0x3000, %edx\naddl "
            "%edx, 0x3010\n"
            "decl %esi\njnz 1b\ncpuid\nmovl $0x20, %esi\njmp 1b");
KNC_PROGRAM(short_loop, "1: incl %eax\nmovl %eax, 0x4000\njmp 1b");
KNC_PROGRAM(halts, "movl $0x30, %ecx\n1: decl %ecx\njnz 1b\nhlt");
// Long stretches in which nothing issues: CPUID again and again.
KNC_PROGRAM(microcode, "1: cpuid\ncpuid\nmovl %eax, 0x4100\njmp 1b");

class stepping : public testing::TestWithParam<int> {};

TEST_P(stepping, skipping_equals_stepping) {
    const std::uint64_t first = knc::test::environment_number("KNC_SEED", 1);
    const std::uint64_t seed = first * 1000 + static_cast<std::uint64_t>(GetParam());
    SCOPED_TRACE("KNC_SEED=" + std::to_string(first));
    rig one("one"), two("two");
    one.elaborate();
    two.elaborate();
    const program* programs[] = {&mixed, &short_loop, &halts, &microcode};
    std::mt19937_64 random(seed);
    constexpr std::uint64_t events[] = {0x16, 0x2a, 0x2c, 0x2d, 0x2e, 0x12,
                                        0x00, 0x01, 0x28, 0x0c, 0x15};
    struct setting {
        std::uint64_t select, start;
    } settings[4][2];
    unsigned program_of[4];
    for (std::size_t t = 0; t < 4; ++t) {
        program_of[t] = static_cast<unsigned>(random() % 5);
        for (auto& s : settings[t]) {
            s.select = events[random() % std::size(events)] | 0x53'0000;
            if (random() % 2 == 0) s.select |= 1u << 21;              // any thread
            if (random() % 2 == 0) s.select |= 1u << 18;              // edge
            if (random() % 2 == 0) s.select |= (random() % 3) << 24;  // counter mask
            if (random() % 2 == 0) s.select |= 1u << 23;              // invert
            s.start = (std::uint64_t{1} << 40) - 1 - random() % 3000;
        }
    }
    for (rig* r : {&one, &two}) {
        for (std::uint32_t t = 0; t < 4; ++t) {
            if (program_of[t] < 4) r->start(t, 0x1000 + 0x400 * t, *programs[program_of[t]]);
            ASSERT_TRUE(r->unit.apic(t).write(0xf0, 0x1ff, 0));
            ASSERT_TRUE(r->unit.apic(t).write(0x340, 0x40, 0));
            for (std::uint32_t n = 0; n < 2; ++n) {
                ASSERT_TRUE(r->unit.pmu().write(t, 0x20 + n, settings[t][n].start));
                ASSERT_TRUE(r->unit.pmu().write(t, 0x28 + n, settings[t][n].select));
            }
            ASSERT_TRUE(r->unit.pmu().write(t, 0x2f, 3));
        }
        r->unit.cpu().notify();
    }
    constexpr base::cycle_t part = 700;
    for (base::cycle_t end = part; end <= 10 * part; end += part) {
        for (base::cycle_t c = one.unit.cpu().now() + 1; c <= end; ++c) one.run(c);
        two.run(end);
        for (std::size_t t = 0; t < 4; ++t) {
            const pmu::thread_state a = one.unit.pmu().state(t), b = two.unit.pmu().state(t);
            ASSERT_EQ(a.counter, b.counter) << "thread " << t << " at clock " << end << std::hex
                                            << " evtsel " << a.evtsel[0] << " " << a.evtsel[1];
            ASSERT_EQ(a.overflows, b.overflows) << t;
            ASSERT_EQ(one.unit.apic(t).pmi_count(), two.unit.apic(t).pmi_count()) << t;
            ASSERT_EQ(one.unit.cpu().counts().counts[t], two.unit.cpu().counts().counts[t]) << t;
            ASSERT_EQ(one.unit.cpu().state(t).r, two.unit.cpu().state(t).r) << t;
            // A counter read from outside has this value; the next part shows that reading changed
            // nothing.
            for (std::uint32_t n = 0; n < 2; ++n) {
                std::uint64_t value = 0;
                ASSERT_TRUE(two.unit.cpu().read_msr(t, 0x20 + n, value));
                ASSERT_EQ(value, a.counter[n]) << t;
            }
            std::uint64_t none = 0;
            ASSERT_FALSE(two.unit.cpu().read_msr(t, 0x1a0, none));
            ASSERT_FALSE(two.unit.cpu().write_msr(t, 0x1a0, none));
        }
    }
}

// A late instruction that faults: its microcode is counted whether or not the core was looked at in
// between. MSR 0x1234 does not exist; the handler of #GP halts.
KNC_PROGRAM(read_no_msr, "movl $0x5000, %esp\nmovl $0x1234, %ecx\nrdmsr");
KNC_PROGRAM(halt, "hlt");

TEST(late_instruction, counts_its_clocks_when_it_faults) {
    const parameters p;
    rig one("one", p), two("two", p);
    for (rig* r : {&one, &two}) {
        r->elaborate();
        // Descriptor tables are at 0 since reset: selector 8, flat code, and the gate of #GP to
        // 0x2000.
        const std::uint64_t code = 0x00cf'9b00'0000'ffff, gate = 0x0000'8e00'0008'2000;
        std::memcpy(r->memory.data() + 8, &code, sizeof code);
        std::memcpy(r->memory.data() + 8 * 13, &gate, sizeof gate);
        r->load(0x2000, halt);
        r->start(0, 0x1000, read_no_msr);
    }
    constexpr base::cycle_t end = 500;
    core::core &stepped = one.unit.cpu(), &whole = two.unit.cpu();
    while (stepped.now() < end) stepped.run(stepped.now() + 1);
    while (whole.now() < end) whole.run(end);
    for (core::core* c : {&stepped, &whole}) {
        c->settle();
        EXPECT_EQ(c->running(0), core::run_state::halted);
        // RDMSR (20, issue_rules.def), then the entry of the handler.
        EXPECT_EQ(c->counts().total(0, base::microcode_cycles), 20u + p.core.event_entry_cycles);
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, stepping, testing::Range(0, 40));

}  // namespace
}  // namespace knc::card::test
