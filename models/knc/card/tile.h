// One tile: a core with four threads, its PMU and its four local APICs.
//
// Models: the wiring between them. Leaves out: L1s, L2 and directory slice (the memory is flat).
#ifndef KNC_CARD_TILE_H
#define KNC_CARD_TILE_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include <systemc>

#include <knc/apic/module.h>
#include <knc/apic/probe.h>
#include <knc/base/event.h>
#include <knc/base/signal.h>
#include <knc/card/parameters.h>
#include <knc/core/core.h>
#include <knc/pmu/module.h>
#include <knc/pmu/probe.h>

namespace knc::card {

class tile : public sc_core::sc_module {
  public:
    static constexpr std::size_t threads = base::threads_per_core;

    tile(sc_core::sc_module_name, std::uint16_t index, const parameters&, const base::clock&,
         isa::code_map&, core::outside&);

    core::core& cpu() { return core_; }
    const core::core& cpu() const { return core_; }
    pmu::unit& pmu() { return pmu_.logic(); }
    const pmu::unit& pmu() const { return pmu_.logic(); }
    apic::unit& apic(std::size_t thread) { return apics_[thread]->logic(); }
    const apic::unit& apic(std::size_t thread) const { return apics_[thread]->logic(); }
    apic::module& apic_module(std::size_t thread) { return *apics_[thread]; }

    // Lets the core see PMU and APICs; once, after elaboration.
    void connect();
    void list_signals(const std::string& prefix, base::signal_list&) const;
    // Refreshes the signals' values: the state after the clock before core().now().
    void sample();

  private:
    base::ledger ledger_;
    core::core core_;
    pmu::module pmu_;
    std::array<std::unique_ptr<apic::module>, threads> apics_;
    pmu::probe pmu_probe_;
    std::array<apic::probe, threads> apic_probes_;
};

}  // namespace knc::card

#endif
