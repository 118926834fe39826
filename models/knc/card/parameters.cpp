#include <knc/card/parameters.h>

#include <knc/base/event.h>
#include <knc/isa/state.h>
#include <knc/sbox/io_apic.h>
#include <knc/sbox/uart.h>

namespace knc::card {

std::string impossible(const parameters& p) {
    if (p.core.threads != base::threads_per_core && p.tiles != 1)
        return "card.threads: cores of a card with several tiles have four";
    if (p.pmu.front_end != pmu::front_end_kind::p55c) return {};
    if (p.profile != isa::profile::p55c)
        return "pmu.front_end: p55c needs the instruction set of card.profile = p55c";
    if (p.core.threads != 1) return "pmu.front_end: p55c needs card.threads = 1";
    const pmu::pm_target to = p.pmu.p55c.pm_to;
    if (!pmu::leads_to_io_apic(to)) return {};
    if (pmu::io_apic_input(to) >= sbox::io_apic::pins)
        return "p55c.pm_to: the I/O APIC has no such input";
    if (p.testdev_enable && pmu::io_apic_input(to) == sbox::uart::interrupt_pin)
        return "p55c.pm_to: this input of the I/O APIC is the UART's";
    return {};
}

parameters settled(parameters p) {
    p.pmu.perfmon.l3 = p.has_l3();
    p.pentium.l1d = p.cache.l1d;
    p.pentium.l1i = p.cache.l1i;
    p.pentium.bus_ratio = p.pmu.p55c.bus_ratio;
    return p;
}

pmu::cmt_parameters monitoring_of(const parameters& p) {
    return resolved(p.cmt, p.tiles * static_cast<std::uint32_t>(base::threads_per_core));
}

std::uint32_t signature(const parameters& p) {
    if (p.pmu.front_end != pmu::front_end_kind::perfmon)
        return isa::signature(p.stepping, p.profile);
    constexpr std::uint32_t family = 6;
    const std::uint32_t model = p.pmu.perfmon.model;
    return (model >> 4) << 16 | family << 8 | (model & 15) << 4 | (p.stepping & 15);
}

}  // namespace knc::card
