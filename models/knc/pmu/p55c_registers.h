// The performance monitoring registers of a Pentium with MMX.
//
// Models: address, name, width, access, bits of the MSRs, and the effect of a read and a write of
// each (p55c_registers.cpp). Leaves out: the effect of CESR's bits (knc/pmu/p55c_front_end.h).
// Source: Intel SDM vol. 3, performance monitoring of Pentium processors; docs/p55c.md for what it
// leaves open.
#ifndef KNC_PMU_P55C_REGISTERS_H
#define KNC_PMU_P55C_REGISTERS_H

#include <cstddef>
#include <cstdint>

#include <knc/base/bits.h>
#include <knc/base/register_table.h>

namespace knc::pmu {

class p55c_front_end;

namespace p55c {

inline constexpr std::size_t counters = 2;
inline constexpr unsigned width = 40;

// CESR: a field of 16 bits for each counter.
namespace control {
inline constexpr unsigned stride = 16;
inline constexpr unsigned event_high = 5, pin = 9;
inline constexpr unsigned below_3 = 6, at_3 = 7, clocks = 8;  // CC
inline constexpr std::uint64_t of_one = base::mask(10);
}  // namespace control

}  // namespace p55c

struct p55c_register : base::register_row<std::uint64_t, p55c_front_end> {
    unsigned width;  // bits
};

const base::register_table<p55c_register>& p55c_registers();

}  // namespace knc::pmu

#endif
