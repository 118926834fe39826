// The registers of the Knights Corner core PMU.
//
// Models: the nine MSRs that a thread sees: address, name, width, access, writable bits, reset
// value, and the effect of a read and a write of each (knc_registers.cpp); the layout of the
// event-select register. Leaves out: the effect of the bits (knc/pmu/knc_front_end.h). Source:
// Intel 327357-001, tables 1-2 to 1-10.
#ifndef KNC_PMU_KNC_REGISTERS_H
#define KNC_PMU_KNC_REGISTERS_H

#include <cstddef>
#include <cstdint>

#include <knc/base/bits.h>
#include <knc/base/register_table.h>
#include <knc/pmu/counter.h>

namespace knc::pmu {

class knc_front_end;

inline constexpr std::size_t counters_per_thread = 2;
inline constexpr unsigned counter_width = 40;

struct knc_register : base::register_row<std::uint64_t, knc_front_end> {
    unsigned width;  // bits
    bool threaded;   // one per thread; otherwise one per core
};

// PERF_SPFLT_CONTROL; bit N below: counter N is under SPFLT control.
namespace spflt_control {
inline constexpr unsigned user_pref = 63;
}

// IA32_PerfEvtSel0/1; event select in 7:0, unit mask in 15:8, counter mask in 31:24.
namespace event_select {
inline constexpr unsigned usr = 16;
inline constexpr unsigned os = 17;
inline constexpr unsigned edge = 18;
inline constexpr unsigned reserved = 19;
inline constexpr unsigned interrupt = 20;
inline constexpr unsigned any_thread = 21;
inline constexpr unsigned enable = 22;
inline constexpr unsigned invert = 23;

// How an enabled counter with this event select counts, as 31:16 say; without an event. Inversion
// without a counter mask is ignored.
selection conditions(std::uint64_t value);
// The same with its event; an event that does not exist selects nothing.
selection decode(std::uint64_t value);
}  // namespace event_select

// One bit per counter, as in GLOBAL_CTRL, GLOBAL_STATUS and OVF_CONTROL.
inline constexpr std::uint64_t counter_bits = base::mask(counters_per_thread);

const base::register_table<knc_register>& knc_registers();

}  // namespace knc::pmu

#endif
