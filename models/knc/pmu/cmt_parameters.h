// Cache monitoring: how many monitoring IDs (RMIDs) there are, and what the registers say. Each
// parameter has a configuration key of the same name under "cmt.".
//
// Source: Intel SDM vol. 3, resource monitoring; what it leaves open is a decision (docs/cmt.md).
#ifndef KNC_PMU_CMT_PARAMETERS_H
#define KNC_PMU_CMT_PARAMETERS_H

#include <cstdint>

namespace knc::pmu {

// The threads that have an event selection of their own.
enum class select_scope : std::uint8_t { thread, package };

struct cmt_parameters {
    bool enable = false;
    // RMIDs of a thread's register; 0: the smallest power of two of at least twice the threads, up
    // to most_rmids. Of these the L3 tells apart l3_rmids; 0: all.
    std::uint32_t rmids = 0, l3_rmids = 0;
    // Bytes for one unit of data, a multiple of 64.
    std::uint32_t upscale = 64;
    pmu::select_scope select_scope = pmu::select_scope::package;
    // Cycles after a write of IA32_QM_EVTSEL in which there are no data.
    std::uint32_t unavailable_clocks = 0;
    // Events 2 and 3, with counters of so many bits.
    bool bandwidth = false;
    std::uint32_t bandwidth_bits = 24;

    static constexpr std::uint32_t most_rmids = 1024;
};

// The same with all numbers, for a machine with so many hardware threads.
inline cmt_parameters resolved(cmt_parameters p, std::uint32_t threads) {
    if (p.rmids == 0)
        for (p.rmids = 1; p.rmids < 2 * threads && p.rmids < cmt_parameters::most_rmids;)
            p.rmids *= 2;
    if (p.l3_rmids == 0) p.l3_rmids = p.rmids;
    return p;
}

// The width of the RMID fields: ceil(log2(rmids)).
constexpr unsigned rmid_bits(std::uint32_t rmids) {
    unsigned bits = 0;
    while ((std::uint32_t{1} << bits) < rmids) ++bits;
    return bits;
}

}  // namespace knc::pmu

#endif
