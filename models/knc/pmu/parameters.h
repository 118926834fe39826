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

struct parameters {
    // True in a library built with assertions.
    static bool default_audit();

    pmu::reserved_bits reserved_bits = pmu::reserved_bits::gp;
    pmu::contextless_pmi contextless_pmi = pmu::contextless_pmi::execution_stage;
    // Checks in each cycle the rules of knc/pmu/ledger_audit.h. Slow; no result depends on it.
    bool audit = default_audit();
};

}  // namespace knc::pmu

#endif
