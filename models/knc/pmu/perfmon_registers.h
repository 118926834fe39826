// The registers of architectural performance monitoring.
//
// Models: the MSRs that a thread sees: address, name, width, access, bits, reset value, and the
// effect of a read and a write of each (perfmon_registers.cpp). The event selects have the layout
// of knc/pmu/knc_registers.h, except for bit 19. Leaves out: PEBS (3F1H, 3F2H, 600H do not exist,
// so IA32_PERF_CAPABILITIES announces no record format), LBR, BTS and single-stepping on branches
// in IA32_DEBUGCTL; the effect of the bits (knc/pmu/perfmon_front_end.h). Source: Intel SDM vol. 3
// and 4; docs/perfmon.md for the cases that they leave open.
#ifndef KNC_PMU_PERFMON_REGISTERS_H
#define KNC_PMU_PERFMON_REGISTERS_H

#include <cstddef>
#include <cstdint>

#include <knc/base/bits.h>
#include <knc/base/register_table.h>
#include <knc/pmu/parameters.h>

namespace knc::pmu {

class perfmon_front_end;

// What all products with architectural performance monitoring have in common.
namespace perfmon {

inline constexpr std::size_t general_counters = 4, fixed_counters = 3;
inline constexpr std::size_t counters = general_counters + fixed_counters;  // of a thread
inline constexpr unsigned width = 48;
// Bit of fixed counter 0 in GLOBAL_CTRL, GLOBAL_STATUS and OVF_CTRL; general ones begin at 0.
inline constexpr unsigned first_fixed = 32;
inline constexpr std::uint64_t general_bits = base::mask(general_counters);
inline constexpr std::uint64_t fixed_bits = base::mask(fixed_counters) << first_fixed;
inline constexpr std::uint64_t counter_bits = general_bits | fixed_bits;

// IA32_FIXED_CTR_CTRL: four bits for each counter.
namespace fixed_control {
inline constexpr unsigned stride = 4;
inline constexpr unsigned os = 0, usr = 1, any = 2, pmi = 3;
}  // namespace fixed_control

inline constexpr unsigned freeze_on_pmi = 12;  // IA32_DEBUGCTL

// ECX of RDPMC.
inline constexpr unsigned rdpmc_fixed = 30, rdpmc_fast = 31;

}  // namespace perfmon

struct perfmon_register : base::register_row<std::uint64_t, perfmon_front_end> {
    unsigned width;                // bits
    bool threaded;                 // one per thread; otherwise one per core
    std::uint64_t any_bits = 0;    // of `writable`: from version 3 on
    bool only_full_width = false;  // exists with perfmon_parameters::full_width only

    bool exists(const perfmon_parameters& p) const { return !only_full_width || p.full_width; }
    std::uint64_t bits(const perfmon_parameters& p) const {
        return p.version >= 3 ? writable : writable & ~any_bits;
    }
};

const base::register_table<perfmon_register>& perfmon_registers();

}  // namespace knc::pmu

#endif
