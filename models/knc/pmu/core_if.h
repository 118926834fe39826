// The interface between a core and its PMU, beside MSR accesses (sc_port<core_if> to pmu::core).
//
// Models: RDPMC, SPFLT, the time-stamp counter, and the counters that the core settles. Leaves out:
// RDMSR and WRMSR (the socket pmu::msr), PMIs (pmi_listener_if). Source: Intel 327357-001, 1.4.
#ifndef KNC_PMU_CORE_IF_H
#define KNC_PMU_CORE_IF_H

#include <cstdint>

#include <systemc>

#include <knc/base/access.h>
#include <knc/base/clock.h>
#include <knc/pmu/counter_bank.h>

namespace knc::pmu {

class pebs_if;

// The accesses obey the rule of base::access::retires, as MSR accesses do.
struct core_if : virtual sc_core::sc_interface {
    // The core settles the counters by their deadline. The reference stays valid.
    virtual counter_bank& counters() = 0;
    // `index`: ECX. Returns false for #GP(0).
    virtual bool rdpmc(base::access&, std::uint32_t index, std::uint64_t& value) = 0;
    // `enable`: bit 0 of the operand.
    virtual void spflt(base::access&, bool enable) = 0;
    virtual std::uint64_t tsc(base::cycle_t now) const = 0;
    // Records of instructions; nullptr: the PMU asks for none. Stays valid.
    virtual pebs_if* pebs() { return nullptr; }
    // See front_end_if::sleeps().
    virtual void sleeps([[maybe_unused]] bool on, [[maybe_unused]] base::cycle_t now) {}
};

}  // namespace knc::pmu

#endif
