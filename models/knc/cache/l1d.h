// The L1 data cache of a tile as a module.
//
// Models: the connections of l1_data, which has the logic. Leaves out: what l1_data leaves out.
#ifndef KNC_CACHE_L1D_H
#define KNC_CACHE_L1D_H

#include <systemc>

#include <knc/cache/l1_data.h>
#include <knc/cache/l1_module.h>

namespace knc::cache {

class l1d final : public l1_module<l1_data> {
  public:
    // The core's side.
    sc_core::sc_export<l1d_if> core{"core"};
    // What the L2 does of its own accord; an L2 that does nothing may leave it unbound.
    sc_core::sc_port<l2_events_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> l2_events{"l2_events"};
    // The L1 code cache.
    sc_core::sc_export<l1d_stores_if> stores{"stores"};
    sc_core::sc_port<l1i_copies_if> code{"code"};

    // See l1_module.
    l1d(sc_core::sc_module_name, const parameters&, base::ledger&, line_pins& pins,
        const base::clock&);

    // As after power-on: all lines and stores are lost. After elaboration.
    void reset();

  private:
    void end_of_elaboration() override { connect(); }
    void connect();
    bool serve(level_message&, tlm::tlm_generic_payload&) override;
};

}  // namespace knc::cache

#endif
