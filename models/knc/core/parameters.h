// Timing figures and options of one core. Each has a configuration key of the same name under
// "core.".
//
// Source of each default: the comment beside it; "unverified" marks a figure no document at hand
// gives.
#ifndef KNC_CORE_PARAMETERS_H
#define KNC_CORE_PARAMETERS_H

#include <cstdint>
#include <string>

#include <knc/core/branch_predictor.h>
#include <knc/core/tlb.h>

namespace knc::core {

struct parameters {
    // Clocks between two issues of one thread: the two-clock decoder cannot serve a thread in
    // back-to-back clocks (system software developer's guide 2.1.2).
    std::uint32_t issue_interval = 2;
    // Clocks of RDTSC: 4-5 (PMU guide, table 1-1).
    std::uint32_t rdtsc_cycles = 4;
    // Clocks of RDPMC and of SPFLT, taken to be as RDTSC, unverified.
    std::uint32_t rdpmc_cycles = 4;
    std::uint32_t spflt_cycles = 4;
    // Clocks from the rise of the PMU's line, the clock after the overflow, to the local APIC.
    // Nothing is known of them: unverified.
    std::uint32_t pmi_cycles = 0;
    // Clocks from an event (exception or interrupt) to the first instruction of its handler,
    // unverified.
    std::uint32_t event_entry_cycles = 40;
    // Clocks lost when the pipeline is refilled after a segment load, from the P54C's 4-clock
    // mispredict.
    std::uint32_t flush_cycles = 3;
    // Clocks lost when an address register was written by the issue before (P54C).
    std::uint32_t agi_cycles = 1;
    // Banks of the L1D and their width in bytes; clocks lost when a pair needs one bank twice
    // (P54C).
    std::uint32_t banks = 8;
    std::uint32_t bank_bytes = 4;
    std::uint32_t bank_conflict_cycles = 1;
    // Branch prediction of one thread.
    branch_parameters branch;
    // Translations.
    tlb_parameters tlb;
    // Bytes an instruction fetch request brings into a prefetch buffer, unverified.
    std::uint32_t fetch_bytes = 32;
    // Longest DELAY in clocks (comment in Intel's card kernel).
    std::uint32_t delay_limit = 1023;
    // Clocks an access to a device (uncached) takes from its arrival there to the answer, beside
    // the ways on the ring; if there are no caches and no ring, each way. Unverified.
    std::uint32_t device_cycles = 50;
    // Clocks of an access to the local APIC page, unverified.
    std::uint32_t apic_cycles = 10;
    // Clocks an access to memory that may not be cached takes, and a fetch request to it: as a miss
    // of all caches, published measurements of 5110P, unverified.
    std::uint32_t uncached_cycles = 300;
};

// What makes a core with these parameters impossible, in one line that names the members; empty if
// nothing does.
std::string impossible(const parameters&);

}  // namespace knc::core

#endif
