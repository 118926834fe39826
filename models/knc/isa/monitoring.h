// The L3 and cache monitoring as an instruction sees them: what CPUID says, and the MSRs of the
// whole package.
//
// Models: the numbers of leaves 4 and 0FH, the rules for IA32_QM_EVTSEL and IA32_QM_CTR that need
// no other state. Leaves out: the registers (knc/pmu/quality_registers.h). Source: Intel SDM vol. 2
// and 3, resource monitoring; docs/cmt.md.
#ifndef KNC_ISA_MONITORING_H
#define KNC_ISA_MONITORING_H

#include <cstdint>

namespace knc::isa {

struct monitoring {
    std::uint32_t rmids = 0;        // of a thread's register; 0: there is no monitoring
    std::uint32_t l3_rmids = 0;     // of these, the L3 tells apart
    std::uint32_t upscale = 0;      // bytes for one unit of data
    bool bandwidth = false;         // events 2 and 3
    std::uint64_t select_bits = 0;  // of IA32_QM_EVTSEL
    std::uint32_t l3_kilobytes = 0, l3_ways = 0;  // 0: there is no L3

    static constexpr std::uint32_t evtsel = 0xc8d, ctr = 0xc8e;
    // An MSR of the package: the access leaves the core.
    bool is_of_package(std::uint32_t msr) const {
        return rmids != 0 && (msr == evtsel || msr == ctr);
    }
    // Whether WRMSR of `value` raises no #GP(0).
    bool accepts(std::uint32_t msr, std::uint64_t value) const {
        return msr == evtsel && (value & ~select_bits) == 0;
    }
};

}  // namespace knc::isa

#endif
