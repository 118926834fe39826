// The registers of architectural performance monitoring.
//
// Models: the MSRs that a thread sees: address, name, width, access, bits, reset value, and the
// effect of a read and a write of each (perfmon_registers.cpp). The event selects have the layout
// of knc/pmu/knc_registers.h, except for bits 19 and 34. Leaves out: LBR, BTS, load latency; the
// effect of the bits (knc/pmu/perfmon_front_end.h). Source: Intel SDM vol. 3 and 4; docs/perfmon.md
// for the cases that they leave open.
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

// Counter `n` of a thread, general ones first: its bit in GLOBAL_CTRL and its like; bit `which` of
// its four, or fixed_adaptive, in IA32_FIXED_CTR_CTRL, if it is a fixed one.
inline constexpr unsigned position(std::size_t n) {
    return static_cast<unsigned>(n < general_counters ? n : first_fixed + n - general_counters);
}
inline constexpr bool fixed_bit(std::uint64_t control, std::size_t n, unsigned which) {
    const auto j = static_cast<unsigned>(n - general_counters);
    return base::test(control, fixed_control::stride * j + which);
}

// IA32_DEBUGCTL.
inline constexpr unsigned step_branches = 1, freeze_on_pmi = 12;

// Bits of GLOBAL_STATUS and OVF_CTRL beside those of the counters.
inline constexpr unsigned buffer_full = 62, condition_changed = 63;

// A counter asks for the groups of MSR_PEBS_DATA_CFG: bit of its event select, or of
// IA32_FIXED_CTR_CTRL, where that of fixed counter j is 4j further.
inline constexpr unsigned adaptive = 34, fixed_adaptive = 32;

// MSR_PEBS_DATA_CFG: the groups after the basic one, and the number of LBR entries less 1.
namespace pebs_config {
inline constexpr unsigned memory = 0, registers = 1, xmm = 2, lbr = 3;
inline constexpr unsigned last_lbr_entry = 24;  // 31:24
inline constexpr std::uint64_t bits = base::mask(4) | base::mask(8) << last_lbr_entry;
}  // namespace pebs_config

// ECX of RDPMC.
inline constexpr unsigned rdpmc_fixed = 30, rdpmc_fast = 31;

}  // namespace perfmon

struct perfmon_register : base::register_row<std::uint64_t, perfmon_front_end, perfmon_parameters> {
    unsigned width;               // bits
    bool threaded;                // one per thread; otherwise one per core
    std::uint64_t any_bits = 0;   // of `writable`: from version 3 on
    std::uint64_t pebs_bits = 0;  // of `writable`: with perfmon_parameters::pebs
    // Exists only if this is true; nullptr: always.
    bool perfmon_parameters::*needs = nullptr;

    bool exists(const perfmon_parameters& p) const { return needs == nullptr || p.*needs; }
    std::uint64_t bits(const perfmon_parameters& p) const {
        return writable & ~(p.version >= 3 ? 0 : any_bits) & ~(p.pebs ? 0 : pebs_bits);
    }
};

const base::register_table<perfmon_register>& perfmon_registers();

}  // namespace knc::pmu

#endif
