// CPUID of a Knights Corner thread.
//
// Models: basic leaves 0-4, 0x20000000-1 and 0x80000000-8; a leaf outside them reads as zeros.
// Profile compat adds the bits of the instructions it adds.
// VME, MCE and MCA, whose bits no source confirms, are reported absent. Leaf 2 and the reserved
// parts of 0x20000001 and 0x80000006 are inferred from the cache geometry; no dump of a real card
// was at hand. Source: Intel SDM vol. 2, CPUID; measurements on a 3120A, stepping 2.
#ifndef KNC_ISA_CPUID_H
#define KNC_ISA_CPUID_H

#include <cstdint>

#include <knc/isa/profile.h>

namespace knc::isa {

struct cpuid_result {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// `signature` is EAX of leaf 1; of `apic_id` leaf 1 has room for eight bits.
cpuid_result cpuid(std::uint32_t leaf, std::uint32_t subleaf, profile p, std::uint32_t signature,
                   std::uint32_t apic_id);

}  // namespace knc::isa

#endif
