// Options of a local APIC. Each has a configuration key of the same name under "apic.".
//
// Source of each default: the comment beside it; "unverified" marks what no document at hand gives.
#ifndef KNC_APIC_PARAMETERS_H
#define KNC_APIC_PARAMETERS_H

#include <cstdint>

namespace knc::apic {

struct parameters {
    // Delivering a performance-counter interrupt sets the mask bit of its LVT entry (PMU guide
    // 327357, "interrupt handling"; SDM vol. 3, figure 10-8). false suits drivers that never
    // unmask, such as the Linux knc PMU driver.
    bool lvtpc_automask = true;
    // There is an LVT entry of performance counters, at 0x340.
    bool performance_lvt = true;
    // Core cycles per cycle of the timer, before the divide configuration; at least 1. The card's
    // kernel rescales the timer in proportion to the core clock, so the timer runs from that clock;
    // the ratio itself is unverified.
    std::uint32_t timer_clock_ratio = 1;
    // The version field: 0x10-0x15 for an integrated APIC. The card's kernel treats 0x14 and above
    // as an xAPIC. The exact value is unverified.
    std::uint8_t version = 0x14;
    // Bits of the APIC ID, 9 or 8. 9 is the card's: the ID is at 31:23, the destination of the ICR
    // and the logical ID at 31:16. 8 is the PC's: all three are at 31:24, and destination 0xFF is a
    // broadcast (SDM vol. 3, 10.6).
    std::uint8_t id_bits = 9;
    // The number of low bits of a logical ID that select members in the cluster model, 1-15;
    // the other bits are the cluster. 4 as in the 8-bit xAPIC (SDM vol. 3, 10.6.2.2), unverified
    // for the 16-bit field.
    std::uint8_t cluster_member_bits = 4;
};

}  // namespace knc::apic

#endif
