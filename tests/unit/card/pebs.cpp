// PEBS on a tile: which instruction each record names, whatever issues together and however the
// tile is driven.
#include <array>
#include <memory>

#include <knc/base/recorder.h>

#include "rig.h"

namespace knc::card::test {
namespace {

constexpr std::uint32_t evtsel = 0x186, debugctl = 0x1D9, fixed_ctr = 0x309, fixed_ctrl = 0x38D,
                        status = 0x38E, ctrl = 0x38F, pebs_enable = 0x3F1, pebs_config = 0x3F2,
                        a_pmc = 0x4C1, ds_area = 0x600;
constexpr std::uint64_t os_en = 0x42'0000, adaptive = std::uint64_t{1} << 34;
constexpr std::uint64_t memory_group = 1, register_group = 2;
constexpr std::uint64_t area_at = 0x8'0000, buffer_at = 0x10'0000, buffer_bytes = 0x4'0000;

parameters with_pebs() {
    parameters p;
    p.profile = isa::profile::compat;
    p.pmu.front_end = pmu::front_end_kind::perfmon;
    return p;
}

std::uint64_t below_zero(std::uint64_t n) {
    return (0 - n) & base::mask(48);
}

// Pairs, loads, stores, calls, a repeated string instruction, serializing and microcoded ones.
#define MIXTURE                                                                                 \
    "movl $0x40000, %esp\nmovl $0x30000, %esi\nmovl $0x38000, %edi\nmovl $5, %ecx\n"            \
    "1: incl %eax\naddl $3, %ebx\nmovl (%esi), %edx\nmovl %edx, (%edi)\nincl %eax\nincl %ebx\n" \
    "nop\nnop\ncall 2f\n2: addl $4, %esp\ntestl $1, %ecx\njz 3f\nxorl %edx, %edx\n3: loop 1b\n" \
    "movl $16, %ecx\nrep movsb\ncpuid\nmovl $7, %eax\nmull %ebx\nnop\nhlt"
KNC_PROGRAM(mixture, MIXTURE);
// Stack pointers have 64 bits.
KNC_PROGRAM64(mixture64,
              "movl $0x40000, %esp\nmovl $0x30000, %esi\nmovl $5, %ecx\n"
              "1: incl %eax\naddq $3, %rbx\nmovq (%rsi), %rdx\npushq %rdx\npopq %r9\nincl %eax\n"
              "nop\ncall 2f\n2: addq $8, %rsp\nloop 1b\nmovl $16, %ecx\nmovl $0x38000, %edi\n"
              "rep movsb\ncpuid\nnop\nhlt");

struct retired_ips final : base::recorder_if {
    void retired(base::thread_number n, const base::retired_instruction& i,
                 base::cycle_t) override {
        of[n.thread].push_back(i.ip);
    }
    std::array<std::vector<std::uint64_t>, 4> of;
};

struct record {
    std::uint64_t format, ip, counters, tsc;
    std::vector<std::uint64_t> groups;
    std::uint64_t next_ip() const { return groups.at(1); }
};

// A tile that samples, with a DS area for each thread.
struct sampler : rig {
    explicit sampler(const parameters& p = with_pebs(), bool observed = true) : rig(name(), p) {
        if (observed) unit.cpu().attach(seen, true);
    }
    static const char* name() {
        static int n = 0;
        static std::string text;
        text = "sampler" + std::to_string(n++);
        return text.c_str();
    }
    static std::uint32_t area(std::size_t t) {
        return static_cast<std::uint32_t>(area_at + 0x400 * t);
    }
    static std::uint32_t buffer(std::size_t t) {
        return static_cast<std::uint32_t>(buffer_at + buffer_bytes * t);
    }
    void put(std::uint32_t at, std::uint64_t v) { std::memcpy(memory.data() + at, &v, sizeof v); }
    void write(std::uint32_t msr, std::uint64_t v, std::size_t t = 0) {
        ASSERT_TRUE(unit.pmu().write(t, msr, v)) << std::hex << msr;
    }
    // Each `period`-th instruction of the thread is recorded, with the groups of `config`.
    void sample(std::uint64_t period, std::uint64_t config = 0, std::size_t t = 0) {
        put(area(t) + 0x20, buffer(t));
        put(area(t) + 0x28, buffer(t));
        put(area(t) + 0x30, buffer(t) + buffer_bytes);
        put(area(t) + 0x38, buffer(t) + buffer_bytes);
        put(area(t) + 0x80, below_zero(period));
        write(ds_area, area(t), t);
        write(pebs_config, config, t);
        write(fixed_ctr, below_zero(period), t);
        write(fixed_ctrl, config != 0 ? adaptive >> 2 | 3 : 3, t);
        write(pebs_enable, std::uint64_t{1} << 32, t);
        write(ctrl, std::uint64_t{1} << 32, t);
    }
    std::vector<record> records(std::size_t t = 0) {
        std::vector<record> all;
        const auto end = read<std::uint64_t>(area(t) + 0x28);
        for (std::uint64_t at = buffer(t); at < end;) {
            const auto word = [&](unsigned n) {
                return read<std::uint64_t>(static_cast<std::uint32_t>(at + 8 * n));
            };
            record r{word(0), word(1), word(2), word(3), {}};
            const unsigned words = static_cast<unsigned>(r.format >> 48) / 8;
            if (words < 4) break;
            for (unsigned n = 4; n < words; ++n) r.groups.push_back(word(n));
            all.push_back(r);
            at += 8 * words;
        }
        return all;
    }
    std::vector<std::uint64_t> ips(std::size_t t = 0) {
        std::vector<std::uint64_t> all;
        for (const record& r : records(t)) all.push_back(r.ip);
        return all;
    }
    retired_ips seen;
};

std::vector<std::uint64_t> each(const std::vector<std::uint64_t>& all, std::size_t period,
                                std::size_t first) {
    std::vector<std::uint64_t> some;
    for (std::size_t n = first; n < all.size(); n += period) some.push_back(all[n]);
    return some;
}

TEST(pebs_tile, every_nth_instruction_has_its_own_address) {
    std::vector<std::unique_ptr<sampler>> all;
    for (std::uint64_t n = 0; n < 7; ++n) all.push_back(std::make_unique<sampler>());
    for (std::uint64_t period = 1; period <= all.size(); ++period) {
        sampler& s = *all[period - 1];
        s.start(0, 0x1000, mixture);
        s.sample(period, register_group);
        s.run(100'000);
        const auto& retired = s.seen.of[0];
        ASSERT_EQ(retired.size(), 4 + 5 * 14 - 2 + 7u);
        EXPECT_EQ(s.ips(), each(retired, period, period - 1)) << period;
        std::size_t n = period - 1;
        for (const record& r : s.records()) {
            EXPECT_EQ(r.counters, std::uint64_t{1} << 32);
            EXPECT_EQ(r.format, std::uint64_t{32 + 144} << 48 | register_group);
            if (n + 1 < retired.size()) {
                EXPECT_EQ(r.next_ip(), retired[n + 1]) << period << ' ' << n;
            }
            n += period;
        }
        // HLT is the last one: the thread has halted after its record.
        EXPECT_EQ(s.unit.cpu().running(0), core::run_state::halted);
        EXPECT_EQ(s.unit.pmu().state(0).status, 0u);
    }
}

TEST(pebs_tile, in_64_bit_mode) {
    for (const std::uint64_t period : {1, 3}) {
        static std::vector<std::unique_ptr<sampler>> all;
        if (all.empty())
            for (int n = 0; n < 2; ++n) all.push_back(std::make_unique<sampler>());
        sampler& s = *all[period == 3];
        s.start64(0, mixture64);
        s.sample(period, register_group);
        s.run(100'000);
        EXPECT_EQ(s.ips(), each(s.seen.of[0], period, period - 1)) << period;
    }
}

TEST(pebs_tile, next_is_the_one_behind) {
    parameters p = with_pebs();
    p.pmu.perfmon.pebs_arm = pmu::pebs_arm::next;
    sampler s(p);
    s.start(0, 0x1000, mixture);
    s.sample(4);
    s.run(100'000);
    // Four are counted, the fifth is recorded, and the counter starts again behind it.
    EXPECT_EQ(s.ips(), each(s.seen.of[0], 5, 4));
}

// Registers are those after the instruction, though the next one could have issued with it.
KNC_PROGRAM(increments,
            "incl %eax\nincl %ebx\nincl %eax\nincl %ebx\nincl %eax\nincl %ebx\nnop\nhlt");
TEST(pebs_tile, registers_are_those_after_it) {
    sampler s;
    s.start(0, 0x1000, increments);
    s.sample(1, register_group);
    s.run(10'000);
    const auto all = s.records();
    ASSERT_EQ(all.size(), 8u);
    for (std::uint64_t n = 0; n < 6; ++n) {
        const auto& g = all[n].groups;  // flags, ip, ax, cx, dx, bx
        EXPECT_EQ(g[2], (n + 2) / 2);
        EXPECT_EQ(g[5], (n + 1) / 2);
        EXPECT_EQ(g[0] & 2, 2u);
        for (unsigned r = 10; r < 18; ++r) EXPECT_EQ(g[r], 0u);
    }
    for (std::size_t n = 1; n < all.size(); ++n)
        EXPECT_GE(all[n].tsc, all[n - 1].tsc + 200) << "a record takes 200 clocks";
}

TEST(pebs_tile, sizes_of_the_groups) {
    std::vector<std::unique_ptr<sampler>> all;
    for (int n = 0; n < 17; ++n) all.push_back(std::make_unique<sampler>());
    for (std::uint64_t config = 0; config < 16; ++config) {
        sampler& s = *all[config];
        s.start(0, 0x1000, increments);
        s.sample(8, config == 0 ? config : config | std::uint64_t{31} << 24);
        s.run(10'000);
        const std::uint64_t size = 32 + (config & 1) * 32 + (config >> 1 & 1) * 144 +
                                   (config >> 2 & 1) * 256 + (config >> 3 & 1) * 24 * 32;
        const auto r = s.records();
        ASSERT_EQ(r.size(), 1u);
        EXPECT_EQ(r[0].format >> 48, size);
        EXPECT_EQ(s.read<std::uint64_t>(s.area(0) + 0x28), s.buffer(0) + size);
        EXPECT_EQ(r[0].format & base::mask(48), config == 0 ? 0 : config | 0x1F00'0000);
        // XMM and LBR are zeros.
        const std::size_t first = (config & 1) * 4 + (config >> 1 & 1) * 18;
        for (std::size_t n = first; n < r[0].groups.size(); ++n) EXPECT_EQ(r[0].groups[n], 0u);
    }
    // Set, but not adaptive.
    sampler& s = *all[16];
    s.start(0, 0x1000, increments);
    s.sample(8);
    s.write(pebs_config, 15);
    s.run(10'000);
    ASSERT_EQ(s.records().size(), 1u);
    EXPECT_EQ(s.records()[0].format, std::uint64_t{32} << 48);
}

TEST(pebs_tile, memory_group) {
    static const program p = mixture;
    sampler s;
    s.start(0, 0x1000, p);
    s.sample(1, memory_group);
    s.run(100'000);
    unsigned loads = 0, stores = 0, strings = 0;
    for (const record& r : s.records()) {
        const std::uint64_t address = r.groups[0], source = r.groups[1], latency = r.groups[2];
        EXPECT_EQ(r.groups[3], 0u);
        if (address == 0) {
            EXPECT_EQ(source, 0u);
            EXPECT_EQ(latency, 0u);
        }
        loads += address == 0x3'0000 && source == 1 && latency == 1;
        stores += address == 0x3'8000 && source == 0;
        stores += address == 0x3'FFFC && source == 0;   // CALL
        strings += address == 0x3'000F && source == 1;  // the last element
    }
    EXPECT_EQ(loads, 5u);
    EXPECT_EQ(stores, 10u);
    EXPECT_EQ(strings, 1u);
}

// RDTSC after a load, and a repeated one without elements, access nothing.
KNC_PROGRAM(without_access,
            "movl $0x30000, %esi\nmovl (%esi), %eax\nrdtsc\nxorl %ecx, %ecx\nrep lodsb\nhlt");
TEST(pebs_tile, memory_group_without_access) {
    sampler s;
    s.start(0, 0x1000, without_access);
    s.sample(1, memory_group);
    s.run(10'000);
    const auto all = s.records();
    ASSERT_EQ(all.size(), 6u);
    for (std::size_t n = 0; n < all.size(); ++n)
        EXPECT_EQ(all[n].groups[0], n == 1 ? 0x3'0000u : 0u) << n;
}

// A record may begin anywhere, and lie in several lines.
TEST(pebs_tile, records_need_no_alignment) {
    sampler s;
    s.start(0, 0x1000, mixture);
    s.sample(1);
    s.put(s.area(0) + 0x28, s.buffer(0) + 40);
    s.run(100'000);
    const std::size_t n = s.seen.of[0].size();
    EXPECT_EQ(s.read<std::uint64_t>(s.area(0) + 0x28), s.buffer(0) + 40 + 32 * n);
    for (std::uint32_t i = 0; i < n; ++i) {
        EXPECT_EQ(s.read<std::uint64_t>(s.buffer(0) + 40 + 32 * i), std::uint64_t{32} << 48);
        EXPECT_EQ(s.read<std::uint64_t>(s.buffer(0) + 48 + 32 * i), s.seen.of[0][i]);
        EXPECT_NE(s.read<std::uint64_t>(s.buffer(0) + 64 + 32 * i), 0u);
    }
}

// The host may drive the tile in any steps.
TEST(pebs_tile, does_not_depend_on_the_steps) {
    sampler whole, small(with_pebs(), false);
    for (sampler* s : {&whole, &small}) {
        for (std::size_t t = 0; t < 4; ++t) {
            s->start(t, 0x1000, mixture);
            s->sample(3 + t, register_group | memory_group, t);
        }
    }
    whole.run(60'000);
    for (base::cycle_t now = 0, step = 1; now < 60'000; now += step, step = step % 13 + 1)
        small.run(now + step);
    for (std::size_t t = 0; t < 4; ++t) {
        ASSERT_GT(whole.records(t).size(), 5u);
        EXPECT_EQ(whole.ips(t), each(whole.seen.of[t], 3 + t, 2 + t));
        EXPECT_EQ(std::memcmp(whole.memory.data() + whole.buffer(t),
                              small.memory.data() + small.buffer(t), buffer_bytes),
                  0);
    }
}

// The assist counts neither instructions nor accesses, but its cycles.
TEST(pebs_tile, the_assist_counts_cycles_only) {
    sampler plain, sampled;
    for (sampler* s : {&plain, &sampled}) s->start(0, 0x1000, mixture);
    sampled.sample(5);
    plain.run(60'000);
    sampled.run(60'000);
    for (const base::event e :
         {base::instructions_executed, base::branches, base::branch_misses_retired, base::data_read,
          base::data_write, base::data_page_walk, base::loads_l1_hit, base::llc_references})
        EXPECT_EQ(plain.count(0, e), sampled.count(0, e)) << e;
    const std::uint64_t more =
        sampled.count(0, base::unhalted_core_cycles) - plain.count(0, base::unhalted_core_cycles);
    EXPECT_GE(more, 200 * sampled.records().size());
    EXPECT_LE(more, 220 * sampled.records().size());
}

// LOOP ten times: each mispredicted or not, the branches are recorded, and nothing else.
KNC_PROGRAM(rounds, "movl $10, %ecx\n1: nop\nincl %eax\nloop 1b\nhlt");
TEST(pebs_tile, events_of_other_kinds) {
    sampler branches, misses, cycles;
    const std::uint64_t loop_at = 0x1000 + 5 + 1 + 1;
    for (sampler* s : {&branches, &misses, &cycles}) {
        s->start(0, 0x1000, rounds);
        s->sample(1);
        s->write(fixed_ctrl, 0);
        s->put(s->area(0) + 0x40, base::mask(48));
        s->write(a_pmc, base::mask(48));
        s->write(pebs_enable, 1);
        s->write(ctrl, 1);
    }
    branches.write(evtsel, os_en | 0xC4);
    misses.write(evtsel, os_en | 0xC5);
    cycles.write(evtsel, os_en | 0x3C);
    for (sampler* s : {&branches, &misses, &cycles}) s->run(60'000);
    EXPECT_EQ(branches.ips(), std::vector<std::uint64_t>(10, loop_at));
    EXPECT_EQ(misses.ips(), std::vector<std::uint64_t>(2, loop_at));
    EXPECT_EQ(branches.records()[0].counters, 1u);
    // A cycle overflows in each record, so every instruction has one but the first two, which issue
    // together in the first cycle.
    EXPECT_EQ(cycles.ips(), each(cycles.seen.of[0], 1, 2));
}

TEST(pebs_tile, no_room_no_record_no_signal) {
    sampler s;
    s.start(0, 0x1000, mixture);
    s.sample(5);
    s.put(s.area(0) + 0x30, s.buffer(0) + 3 * 32 + 31);
    s.run(60'000);
    EXPECT_EQ(s.records().size(), 3u);
    EXPECT_EQ(s.read<std::uint64_t>(s.buffer(0) + 3 * 32), 0u);
    // The counter goes on from its reset value.
    EXPECT_EQ(s.unit.pmu().state(0).counter[4], below_zero(5 - s.seen.of[0].size() % 5));
    EXPECT_EQ(s.unit.pmu().overflows(0, 4), s.seen.of[0].size() / 5);
    EXPECT_EQ(s.unit.pmu().state(0).status, 0u);
    const pmu::pebs_counts counts = s.unit.pmu().state(0).pebs.value();
    EXPECT_EQ(counts.records, 3u);
    EXPECT_EQ(counts.no_room, s.seen.of[0].size() / 5 - 3);
    EXPECT_EQ(counts.faults, 0u);
    EXPECT_EQ(s.unit.pmu().state(1).pebs->records, 0u);
}

TEST(pebs_tile, threshold) {
    sampler s;
    s.start(0, 0x1000, mixture);
    s.sample(5);
    s.put(s.area(0) + 0x38, s.buffer(0) + 3 * 32);
    for (base::cycle_t now = 0; s.records().size() < 2; ++now) s.run(now);
    EXPECT_EQ(s.unit.pmu().state(0).status, 0u);
    s.run(60'000);
    EXPECT_EQ(s.unit.pmu().state(0).status, std::uint64_t{1} << 62);
    EXPECT_EQ(s.unit.cpu().pmi_rises(0), 1u);
}

// What was due before is written; after that nothing arms.
TEST(pebs_tile, fast_forward_records_nothing) {
    sampler s;
    s.start(0, 0x1000, mixture);
    s.sample(5);
    s.elaborate();
    s.fast_forward();
    s.run(10'000);
    EXPECT_TRUE(s.records().empty());
    EXPECT_EQ(s.unit.pmu().state(0).counter[4], below_zero(5));
}

TEST(pebs_tile, without_pebs_there_is_none) {
    parameters p = with_pebs();
    p.pmu.perfmon.pebs = false;
    rig r(p);
    r.start(0, 0x1000, mixture);
    EXPECT_FALSE(r.unit.pmu().write(0, pebs_enable, 1));
    EXPECT_FALSE(r.unit.pmu().write(0, ds_area, 0));
    EXPECT_FALSE(r.unit.pmu().state(0).pebs.has_value());
}

}  // namespace
}  // namespace knc::card::test
