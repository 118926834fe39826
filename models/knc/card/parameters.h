// What a card is made of: everything a preset or a configuration key can set.
#ifndef KNC_CARD_PARAMETERS_H
#define KNC_CARD_PARAMETERS_H

#include <cstdint>

#include <knc/apic/parameters.h>
#include <knc/core/parameters.h>
#include <knc/isa/profile.h>
#include <knc/pmu/parameters.h>

namespace knc::card {

struct parameters {
    std::uint32_t tiles = 2;                   // 1-62
    std::uint64_t clock_hz = 1'100'000'000;    // core clock
    std::uint64_t memory_size = 256ull << 20;  // bytes of GDDR5
    std::uint32_t boot_core = 0;               // core whose thread 0 is the boot processor
    std::uint32_t ipi_clocks =
        100;  // clocks of an interrupt message between two local APICs, unverified
    bool testdev_enable = true;                // the test device page at 0xFEF00000
    isa::profile profile = isa::profile::knc;  // instruction set
    core::parameters core;
    pmu::parameters pmu;
    apic::parameters apic;
};

}  // namespace knc::card

#endif
