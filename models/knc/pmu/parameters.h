// The decisions that the hardware guide leaves open about the PMU, as configuration keys.
#ifndef KNC_PMU_PARAMETERS_H
#define KNC_PMU_PARAMETERS_H

#include <cstdint>

namespace knc::pmu {

// What a WRMSR that sets a reserved bit of a PMU register does: it raises #GP(0), or the PMU drops
// the bit.
enum class reserved_bits : std::uint8_t { gp, ignore };

// The receiver of the PMI when an event without thread context makes a counter overflow: the local
// APIC of the thread in the execution stage (if no thread is there, of the last one that was), or
// of the thread that owns the counter.
enum class contextless_pmi : std::uint8_t { execution_stage, owner };

// The registers that software sees: those of Knights Corner, architectural performance monitoring,
// or those of a Pentium with MMX.
enum class front_end_kind : std::uint8_t { knc, perfmon, p55c };

// Architectural performance monitoring: a PMI for each overflow, or for each rise of a one-bit
// line, as on Knights Corner.
enum class perfmon_pmi : std::uint8_t { pulse, line };

// RDPMC with bit 31 of ECX: #GP(0), or the low 32 bits of the counter.
enum class rdpmc_fast : std::uint8_t { gp, low32 };

// The instruction of a PEBS record: the one whose event made the counter overflow, or the next one
// that causes the event.
enum class pebs_arm : std::uint8_t { same, next };

struct perfmon_parameters {
    // In the signature of CPUID leaf 1, family 6.
    std::uint32_t model = 0xfe;
    // CPUID leaf 0AH. 3: with bit 21 (ANY) of the event selects and its like; 2: without.
    std::uint32_t version = 3;
    // The registers from 4C1H on, which write all 48 bits of a general counter, exist.
    bool full_width = true;
    perfmon_pmi pmi = perfmon_pmi::pulse;
    pmu::rdpmc_fast rdpmc_fast = pmu::rdpmc_fast::gp;
    // Core clocks, those of the time-stamp counter, for one reference cycle.
    std::uint32_t ref_divider = 1;
    // The card has an L3: the events of loads that hit and miss it exist.
    bool l3 = false;
    // Records of instructions: IA32_DS_AREA, IA32_PEBS_ENABLE, MSR_PEBS_DATA_CFG and what announces
    // them.
    bool pebs = true;
    pmu::pebs_arm pebs_arm = pmu::pebs_arm::same;
    // Core clocks of a record, beside those of its accesses.
    std::uint32_t pebs_clocks = 200;
};

// A Pentium with MMX: whether the time-stamp counter counts in HLT.
enum class tsc_in_hlt : std::uint8_t { stops, runs };

// What the pins PM0 and PM1 are wired to: nothing; a pin of the local APIC: LINT1, which is NMI, or
// LINT0, which is INTR; input n of the card's I/O APIC, which is io_apic + n.
enum class pm_target : std::uint8_t { none, nmi, intr, io_apic };
constexpr pm_target to_io_apic(unsigned input) {
    return static_cast<pm_target>(static_cast<unsigned>(pm_target::io_apic) + input);
}
constexpr bool leads_to_io_apic(pm_target t) {
    return t >= pm_target::io_apic;
}
constexpr unsigned io_apic_input(pm_target t) {
    return static_cast<unsigned>(t) - static_cast<unsigned>(pm_target::io_apic);
}

struct p55c_parameters {
    // An event that is a condition counts clocks under a clock code only, and its starts under the
    // others; false: clocks under both.
    bool duration_needs_clock_code = true;
    pmu::tsc_in_hlt tsc_in_hlt = pmu::tsc_in_hlt::stops;
    // The events that only the SDM has exist, too.
    bool manual_events = false;
    // Core clocks from what a pin shows to the pin, at least 1. SDM: about 5.
    std::uint32_t pm_pin_delay = 5;
    // Core clocks of a clock of the bus, for which a pin shows an overflow.
    std::uint32_t bus_ratio = 2;
    pm_target pm_to = pm_target::none;
};

struct parameters {
    // True in a library built with assertions.
    static bool default_audit();

    front_end_kind front_end = front_end_kind::knc;
    perfmon_parameters perfmon;
    p55c_parameters p55c;
    pmu::reserved_bits reserved_bits = pmu::reserved_bits::gp;
    pmu::contextless_pmi contextless_pmi = pmu::contextless_pmi::execution_stage;
    // Checks in each cycle the rules of knc/pmu/ledger_audit.h. Slow; no result depends on it.
    bool audit = default_audit();
};

}  // namespace knc::pmu

#endif
