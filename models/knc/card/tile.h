// One tile: a core with four threads, its PMU and its four local APICs.
#ifndef KNC_CARD_TILE_H
#define KNC_CARD_TILE_H

#include <memory>
#include <systemc>

#include <knc/apic/module.h>
#include <knc/base/signal.h>
#include <knc/core/core.h>
#include <knc/pmu/module.h>

namespace knc::card {

struct parameters;

class tile : public sc_core::sc_module {
  public:
    core::core& cpu();
    const core::core& cpu() const;
    pmu::unit& pmu();
    apic::unit& apic(std::size_t thread);
};

}  // namespace knc::card

#endif
