#include "program.h"

#include <algorithm>

#include "generator.h"
#include "layout.h"

namespace knc::reference {
namespace {

using namespace layout;

core::tlb_geometry random_geometry(dice& d, unsigned most) {
    const std::uint32_t ways = d.of({1u, 2u, 4u});
    std::uint32_t entries = ways;
    while (entries < most && d.chance(60)) entries *= 2;
    return {entries, ways};
}

world random_world(dice& d, theme about) {
    world w;
    w.wide = about == theme::vectors || d.chance(70);
    w.user = d.chance(about == theme::system ? 15 : 30);
    w.limited = !w.wide && d.chance(50);
    if (!w.wide && d.chance(30)) w.code_base = 0x1000 * d.below(16);
    w.large_low = d.chance(30);
    w.interrupts = d.chance(about == theme::events ? 70 : about == theme::system ? 40 : 15);
    return w;
}

// Something for the counters to do from the start, some of it clock by clock.
void arm_counters(program& p, dice& d) {
    constexpr std::uint32_t counter = 0x20, select = 0x28, global = 0x2f;
    constexpr std::uint64_t wrap = std::uint64_t{1} << 40;
    for (unsigned t = 0; t < 4; ++t) {
        if (d.chance(30)) continue;
        for (unsigned n = 0; n < 2; ++n) {
            if (d.chance(20)) continue;
            std::uint64_t s =
                d.of<std::uint64_t>({0x16, 0x2a, 0x2c, 0x2d, 0x2d, 0x2e, 0x2e, 0x12, 0x00, 0x01,
                                     0x28, 0x0c, 0x15, 0x17, 0x1f, 0x02, 0x0d, 0x2b}) |
                0x53'0000;
            if (d.chance(40)) s |= d.below(3) << 24;
            if (d.chance(25)) s |= 1u << 18;
            if (d.chance(25)) s |= 1u << 23;
            if (d.chance(30)) s |= 1u << 21;
            if (d.chance(20)) s ^= d.of({1u << 16, 1u << 17, 1u << 20});
            p.pmu.push_back({t, counter + n, wrap - 1 - d.below(d.of({50u, 500u, 3000u}))});
            p.pmu.push_back({t, select + n, s});
        }
        p.pmu.push_back({t, global, 3});
    }
}

void arm_local_apics(program& p, dice& d) {
    constexpr std::uint32_t spurious = 0xf0, timer = 0x320, pmi = 0x340, initial = 0x380,
                            divide = 0x3e0, periodic = 1u << 17, by_1 = 11;
    for (unsigned t = 0; t < 4; ++t) {
        p.local_apic.push_back({t, spurious, 0x1ff});
        p.local_apic.push_back({t, pmi, 32 + d.below(32)});
        p.local_apic.push_back({t, timer, (d.chance(60) ? periodic : 0) | (32 + d.below(32))});
        p.local_apic.push_back({t, divide, by_1});
        if (d.chance(70)) p.local_apic.push_back({t, initial, 150 + d.below(1500)});
    }
}

}  // namespace

const char* name_of(theme t) {
    constexpr const char* names[themes] = {"pairs",   "memory", "branches", "system", "events",
                                           "changes", "x87",    "mixture",  "vectors"};
    return names[static_cast<unsigned>(t)];
}

card::parameters setting_of(std::uint64_t seed) {
    dice d(seed ^ 0x5e77'1265);
    card::parameters s;
    core::parameters& c = s.core;
    if (d.chance(15)) s.profile = isa::profile::compat;
    if (d.chance(25)) return s;
    c.issue_interval = d.of({2u, 2u, 2u, 2u, 1u, 3u, 5u});
    c.agi_cycles = d.of({1u, 1u, 2u, 4u});
    c.vector_convert_cycles = d.of({2u, 2u, 1u, 3u, 5u});
    c.banks = d.of({8u, 8u, 1u, 2u, 16u});
    c.bank_bytes = d.of({4u, 4u, 8u, 16u});
    c.bank_conflict_cycles = d.below(4);
    c.event_entry_cycles = d.of({40u, 40u, 1u, 2u, 7u});
    c.flush_cycles = d.below(6);
    c.fetch_bytes = d.of({32u, 32u, 16u, 64u, 8u, 4u});
    c.delay_limit = d.of({1023u, 30u, 1u});
    c.apic_cycles = d.between(1, 20);
    c.uncached_cycles = d.of({0u, 1u, 20u, 60u});
    c.rdtsc_cycles = d.between(2, 6);
    c.rdpmc_cycles = d.between(2, 6);
    c.spflt_cycles = d.between(2, 6);
    c.branch.ways = d.of({1u, 2u, 4u});
    c.branch.entries = c.branch.ways * d.of({1u, 2u, 4u, 16u, 64u});
    c.branch.set_shift = d.below(4);
    c.branch.unconditional_cycles = d.between(1, 6);
    c.branch.conditional_cycles_u = d.between(1, 6);
    c.branch.conditional_cycles_v = d.between(1, 7);
    c.tlb.data_4k = random_geometry(d, 64);
    c.tlb.data_64k = random_geometry(d, 32);
    c.tlb.data_2m = random_geometry(d, 8);
    c.tlb.code = random_geometry(d, 32);
    c.tlb.second = random_geometry(d, 64);
    c.tlb.short_walk_cycles_4k = d.between(1, 25);
    c.tlb.short_walk_cycles_2m = d.between(1, 8);
    c.tlb.long_walk_cycles = d.between(1, 100);
    c.pmi_cycles = d.of({0u, 0u, 1u, 7u, 40u});
    s.ipi_cycles = d.between(1, 150);
    return s;
}

program make_program(std::uint64_t seed) {
    dice d(seed);
    program p;
    p.seed = seed;
    p.about = static_cast<theme>(d.below(themes));
    p.setting = setting_of(seed);
    p.world = random_world(d, p.about);
    p.clocks = d.between(1000, 4000);
    put_tables(p, d);
    if (p.world.wide) put_page_tables(p, d);
    std::vector<std::uint32_t> patches;
    const unsigned count = d.between(1, 4);
    const unsigned first = d.below(4);
    for (unsigned n = 0; n < count; ++n) {
        const unsigned t = (first + n) % 4;
        // Near the end of a page, so that instructions cross it.
        const std::uint32_t at = code + code_step * t + page_bytes * d.between(1, 2) - d.below(600);
        generator g(p, d, t, at - p.world.code_base, patches);
        g.generate();
        p.put(at, g.a.code);
        put_handlers(p, d, t);
        const std::uint32_t entry = at + generator::entry_offset;
        put_boot_code(p, d, t, entry);
        p.starts.push_back({d.chance(60) ? 0 : d.below(400), t, boot_code + boot_step * t});
    }
    std::stable_sort(p.starts.begin(), p.starts.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    if (d.chance(60)) arm_counters(p, d);
    if (p.world.interrupts) arm_local_apics(p, d);
    return p;
}

}  // namespace knc::reference
