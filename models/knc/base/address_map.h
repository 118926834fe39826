// Constants of the physical address space: the line size, and the hole in RAM below 4 GB.
//
// Models: the values that several directories share. Leaves out: the devices in the hole
// (knc/card/router.h). Source: Hot Chips 2012 for the line; Intel SDM vol. 3, 10.4.1 for the local
// APIC page; the hole is the card's memory map.
#ifndef KNC_BASE_ADDRESS_MAP_H
#define KNC_BASE_ADDRESS_MAP_H

#include <cstdint>

namespace knc::base {

// A line of memory, as all caches, messages and memory controllers use it.
inline constexpr unsigned line_bits = 6;
inline constexpr std::uint64_t line_bytes = 1u << line_bits;

// RAM has no bytes at [hole_start, hole_end): local APIC, test device, flash.
inline constexpr std::uint64_t hole_start = 0xfee0'0000, hole_end = 0x1'0000'0000;
// The register page of each thread's local APIC.
inline constexpr std::uint64_t apic_page = hole_start;

}  // namespace knc::base

#endif
