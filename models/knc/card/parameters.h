// The parameters of a card: everything that a preset or a configuration key can set.
#ifndef KNC_CARD_PARAMETERS_H
#define KNC_CARD_PARAMETERS_H

#include <cstdint>
#include <string>

#include <knc/apic/parameters.h>
#include <knc/cache/parameters.h>
#include <knc/card/uncore_parameters.h>
#include <knc/core/parameters.h>
#include <knc/isa/profile.h>
#include <knc/pentium/parameters.h>
#include <knc/pmu/cmt_parameters.h>
#include <knc/pmu/parameters.h>
#include <knc/sbox/parameters.h>
#include <knc/sbox/uart_registers.h>

namespace knc::card {

struct parameters {
    // Tiles, 1-62 (62 cores on the die).
    std::uint32_t tiles = 2;
    // Core clock in Hz.
    std::uint64_t clock_hz = 1'100'000'000;
    // Bytes of GDDR5, a multiple of 4 KB.
    std::uint64_t memory_size = 256ull << 20;
    // The core whose thread 0 is the boot processor; on real cards the one with the highest index.
    std::uint32_t boot_core = 0;
    // Cycles of an interrupt message between two local APICs, unverified.
    std::uint32_t ipi_cycles = 100;
    // The test device page at 0xFEF00000, in profile compat also its ports; a real card has
    // neither.
    bool testdev_enable = true;
    // Stepping in the signature of CPUID leaf 1 and of EDX after reset, 0-15: that of the 3120A on
    // which the leaves were measured.
    std::uint32_t stepping = 2;
    // Instruction set.
    isa::profile profile = isa::profile::knc;
    // Caches, ring and GDDR5, or caches and bus of a Pentium. Without them, memory is ideal: it
    // responds in the cycle of the access.
    bool caches = true;
    cache::parameters cache;
    // Of a Pentium: the geometries and the bus ratio come from elsewhere, see settled().
    pentium::parameters pentium;
    uncore_parameters uncore;
    core::parameters core;
    pmu::parameters pmu;
    // Cache monitoring, if there is an L3.
    pmu::cmt_parameters cmt;
    apic::parameters apic;
    sbox::parameters sbox;
    sbox::uart_parameters uart;

    // The L1s are those of a Pentium on a bus to memory: no L2, no ring, no GDDR5.
    bool on_bus() const { return caches && pmu.front_end == pmu::front_end_kind::p55c; }
    // The tiles have L1 and L2, on a ring.
    bool has_ring() const { return caches && !on_bus(); }
    bool has_l3() const { return has_ring() && uncore.l3.exists(); }
    bool monitored() const { return cmt.enable && has_l3(); }
};

// Why no card has these parameters together, in one line; empty: one may.
std::string impossible(const parameters&);
// With what follows from other parameters: whether the PMU has the events of an L3.
parameters settled(parameters);
// The parameters of cache monitoring with all numbers.
pmu::cmt_parameters monitoring_of(const parameters&);

// CPUID leaf 1, EAX.
std::uint32_t signature(const parameters&);

}  // namespace knc::card

#endif
