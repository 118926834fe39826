// A PMU with the registers of architectural performance monitoring, driven clock by clock.
#ifndef KNC_TESTS_UNIT_PMU_PERFMON_FIXTURE_H
#define KNC_TESTS_UNIT_PMU_PERFMON_FIXTURE_H

#include <knc/pmu/perfmon_front_end.h>

#include "fixture.h"

namespace pmu_test {

namespace perfmon_msr {
inline constexpr std::uint32_t pmc = 0xC1, evtsel = 0x186, misc = 0x1A0, debugctl = 0x1D9,
                               fixed = 0x309, capabilities = 0x345, fixed_ctrl = 0x38D,
                               status = 0x38E, ctrl = 0x38F, ovf = 0x390, pebs_enable = 0x3F1,
                               pebs_config = 0x3F2, a_pmc = 0x4C1, ds_area = 0x600;
}

// Event and umask in 15:0, from the SDM.
inline constexpr std::uint64_t core_cycles = 0x003C, retired = 0x00C0, reference = 0x013C,
                               llc_reference = 0x4F2E, llc_miss = 0x412E, branch = 0x00C4,
                               branch_miss = 0x00C5;

inline constexpr std::uint64_t top48 = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t general(unsigned n) {
    return std::uint64_t{1} << n;
}
constexpr std::uint64_t fixed(unsigned n) {
    return std::uint64_t{1} << (32 + n);
}

inline pmu::parameters perfmon_parameters() {
    pmu::parameters p;
    p.front_end = pmu::front_end_kind::perfmon;
    p.perfmon.l3 = true;
    return p;
}

struct perfmon_bench {
    explicit perfmon_bench(const pmu::parameters& p = perfmon_parameters())
        : registers(p), audit(p.audit) {
        registers.connect(counters, record);
    }

    base::ledger ledger;
    pmi_record record;
    pmu::perfmon_front_end registers;
    const bool audit;
    pmu::counter_bank counters{ledger, pmu::bounds_of_table(), registers.counters(), registers,
                               audit};

    void tick(cycle_t clocks = 1) { counters.settle(counters.settled() + clocks); }
    // Events of one clock.
    void raise(std::size_t thread, base::event e, std::uint64_t n = 1) {
        ledger.raise(thread, e, n);
        tick();
    }
    bool write(std::uint32_t address, std::uint64_t value, std::size_t thread = 0) {
        return registers.write(thread, address, value);
    }
    std::uint64_t read(std::uint32_t address, std::size_t thread = 0) {
        std::uint64_t value = ~std::uint64_t{0};
        EXPECT_TRUE(registers.read(thread, address, value)) << std::hex << address;
        return value;
    }
    // General counter `n` of `thread` starts at `value` and counts `select` (EN is added).
    void arm(std::uint64_t select, std::uint64_t value = 0, unsigned n = 0,
             std::size_t thread = 0) {
        EXPECT_TRUE(write(perfmon_msr::a_pmc + n, value, thread));
        EXPECT_TRUE(write(perfmon_msr::evtsel + n, select | en, thread));
    }
    // The same of fixed counter `n` with the four bits of its control.
    void arm_fixed(unsigned n, std::uint64_t bits, std::uint64_t value = 0,
                   std::size_t thread = 0) {
        EXPECT_TRUE(write(perfmon_msr::fixed + n, value, thread));
        EXPECT_TRUE(write(perfmon_msr::fixed_ctrl,
                          read(perfmon_msr::fixed_ctrl, thread) | bits << 4 * n, thread));
        EXPECT_TRUE(write(perfmon_msr::ctrl, read(perfmon_msr::ctrl, thread) | fixed(n), thread));
    }
};

}  // namespace pmu_test

#endif
