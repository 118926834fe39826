// The state of a local APIC as waveform signals.
//
// Models: IRR, ISR, LVT, priorities and the timer's count, as of the last sample(). Leaves out: the
// other registers.
#ifndef KNC_APIC_PROBE_H
#define KNC_APIC_PROBE_H

#include <array>
#include <cstdint>
#include <string>

#include <knc/apic/local_apic.h>
#include <knc/base/signal.h>

namespace knc::apic {

struct probe {
    std::array<std::uint64_t, 4> irr{}, isr{};       // 64 vectors each, lowest first
    std::uint64_t irr_highest = 0, isr_highest = 0;  // vectors, 0 if none
    std::array<std::uint64_t, lvt_entries> lvt{};    // from 0x320 on
    std::uint64_t lvt_masked = 0;                    // bit n: entry n is masked
    std::uint64_t tpr = 0, ppr = 0, svr = 0, timer_count = 0;
    std::uint64_t icr = 0, esr = 0, timer_initial = 0;
    std::uint64_t interrupt = 0, pending = 0;

    // Copies the values of `u` in cycle `now`.
    void sample(const local_apic& u, base::cycle_t now);
    // The signals, named `prefix` + "irr0", ...; they refer to this object.
    base::signal_list signals(const std::string& prefix) const;
};

}  // namespace knc::apic

#endif
