// Timing figures and options of one core. Each has a configuration key of the same name under
// "core.", or under "p55c." if only that profile has it.
//
// Source of each default: the comment beside it; "unverified" marks a figure that no available
// document gives.
#ifndef KNC_CORE_PARAMETERS_H
#define KNC_CORE_PARAMETERS_H

#include <cstdint>
#include <string>

#include <knc/core/branch_predictor.h>
#include <knc/core/tlb.h>
#include <knc/isa/monitoring.h>

namespace knc::core {

// Profile p55c: the event of the return stack counts returns that find it empty, or calls that find
// it full.
enum class rsb_event : std::uint8_t { empty, overflow };

struct parameters {
    // Hardware threads, 1-4.
    std::uint32_t threads = 4;
    // Cycles between two issues of one thread: the two-cycle decoder cannot serve a thread in
    // consecutive cycles (system software developer's guide 2.1.2).
    std::uint32_t issue_interval = 2;
    // Cycles of RDTSC: 4-5 (PMU guide, table 1-1).
    std::uint32_t rdtsc_cycles = 4;
    // Cycles of RDPMC and of SPFLT, assumed equal to RDTSC, unverified.
    std::uint32_t rdpmc_cycles = 4;
    std::uint32_t spflt_cycles = 4;
    // Cycles from the rise of the PMU's line, the cycle after the overflow, to the local APIC. Not
    // documented: unverified.
    std::uint32_t pmi_cycles = 0;
    // Cycles from an event (exception or interrupt) to the first instruction of its handler,
    // unverified.
    std::uint32_t event_entry_cycles = 40;
    // Cycles lost for the pipeline refill after a segment load, from the P54C's misprediction
    // penalty of 4 clocks.
    std::uint32_t flush_cycles = 3;
    // Cycles lost if the preceding issue wrote an address register (P54C).
    std::uint32_t agi_cycles = 1;
    // Banks of the L1D and their width in bytes; cycles lost if a pair needs one bank twice (P54C).
    std::uint32_t banks = 8;
    std::uint32_t bank_bytes = 4;
    std::uint32_t bank_conflict_cycles = 1;
    // Cycles by which a vector register must be there earlier if it passes the conversion stages,
    // VC1 and VC2, before the first execution stage: swizzles, conversions, stores. Intel's
    // compiler leaves more than the latency there; the number is unverified.
    std::uint32_t vector_convert_cycles = 2;
    // Profile p55c: how long x87 instructions wait after an MMX instruction. Notes on the processor
    // say up to 50; unverified.
    std::uint32_t mmx_to_x87_clocks = 50;
    // Branch prediction, per thread.
    branch_parameters branch;
    // TLBs.
    tlb_parameters tlb;
    // Bytes that one instruction fetch request transfers into a prefetch buffer, unverified.
    std::uint32_t fetch_bytes = 32;
    // The longest DELAY in cycles (comment in Intel's card kernel).
    std::uint32_t delay_limit = 1023;
    // Cycles of an uncached access to a device from its arrival there to the response, without the
    // travel times on the ring; without caches and ring, for each direction. Unverified.
    std::uint32_t device_cycles = 50;
    // Cycles of an access to the local APIC page, unverified.
    std::uint32_t apic_cycles = 10;
    // Cycles of an access, or a fetch request, to memory that may not be cached: assumed equal to a
    // miss in all caches, from published measurements of the 5110P; unverified.
    std::uint32_t uncached_cycles = 300;
    // Profile compat: CPUID says that there are SSE and SSE2, without which kernels of PCs do not
    // start. There are none: a program that uses them gets #UD.
    bool announce_sse = false;
    // CPUID announces architectural performance monitoring of this version; 0: not. The PMU is then
    // one that has its MSRs, among them IA32_MISC_ENABLE.
    std::uint8_t perfmon_version = 0;
    // What CPUID says of cache monitoring, and which of its MSRs are behind the ring.
    isa::monitoring cache_monitoring;
    // A cache outside the tile: WBINVD and INVD reach it, too.
    bool shared_cache = false;
    // The ledger also has the cycles of each thread, and its reference cycles, of so many cycles of
    // the core; 0: it has not.
    std::uint32_t reference_divider = 0;
    // The ledger also has the retired loads, by the place that their data came from.
    bool counts_loads = false;
    // CPUID announces the debug store. The PMU may then ask for records of instructions (PEBS).
    bool debug_store = false;
    // Cycles of the microcode that writes such a record, beside its accesses, unverified.
    std::uint32_t pebs_cycles = 200;
    // A Pentium with MMX (profile p55c, one thread): the ledger has its events, and branches are
    // predicted as there.
    bool pentium = false;
    core::rsb_event rsb_event = rsb_event::empty;
    // The pins of the PMU are wired to this pin of the local APIC of thread 0; -1: to none.
    std::int8_t pmu_pins_to = -1;
};

// The reason why a core with these parameters is impossible, in one line that names the members;
// empty if it is possible.
std::string impossible(const parameters&);

}  // namespace knc::core

#endif
