// CPUID of a Knights Corner thread.
//
// Models: basic leaves 0-4 and 0xA, 0x20000000-1 and 0x80000000-8; a leaf outside them reads as
// zeros. Profile compat adds the bits of the instructions it adds. Profile p55c has leaves 0 and 1
// of a Pentium with MMX; their feature bits are unverified. A local APIC that is globally disabled
// is not announced. VME, MCE and MCA of the card, whose bits no source confirms, are reported
// absent. Leaf 2 and the reserved parts of 0x20000001 and 0x80000006 are inferred from the cache
// geometry, because no dump of a card was available. Source: Intel SDM vol. 2, CPUID; measurements
// on a 3120A, stepping 2.
#ifndef KNC_ISA_CPUID_H
#define KNC_ISA_CPUID_H

#include <cstdint>

#include <knc/isa/monitoring.h>
#include <knc/isa/profile.h>

namespace knc::isa {

struct cpuid_result {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// The facts that differ between threads. `signature` is EAX of leaf 1. Leaf 1 shows eight bits of
// `apic_id`. `apic_enabled`: IA32_APIC_BASE says that there is a local APIC. `announce_sse`:
// profile compat says that it has SSE and SSE2, although it has not. `perfmon_version`: of
// architectural performance monitoring (leaf 0AH); 0: it has none, and leaf 4 is the last.
// `debug_store`: there is a debug store (IA32_DS_AREA), with fields of 64 bits.
struct cpuid_thread {
    std::uint32_t signature = 0, apic_id = 0;
    bool apic_enabled = true;
    bool announce_sse = false;
    std::uint8_t perfmon_version = 0;
    bool debug_store = false;
    monitoring cache_monitoring{};  // leaf 0FH; the L3 itself: leaf 4
};

cpuid_result cpuid(std::uint32_t leaf, std::uint32_t subleaf, profile p, const cpuid_thread&);

}  // namespace knc::isa

#endif
