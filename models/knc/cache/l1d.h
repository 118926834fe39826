// The L1 data cache of a tile as a module.
//
// Models: the connections of l1_data, which has the logic. Leaves out: the same as l1_data. Source:
// docs/hierarchy.md.
#ifndef KNC_CACHE_L1D_H
#define KNC_CACHE_L1D_H

#include <systemc>

#include <knc/cache/l1_data.h>
#include <knc/cache/l1_module.h>

namespace knc::cache {

class l1d final : public l1_module<l1_data> {
  public:
    // Towards the core.
    sc_core::sc_export<l1d_if> core{"core"};
    // The L2's own events in time; an L2 without such events may leave it unbound.
    sc_core::sc_port<l2_events_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> l2_events{"l2_events"};
    // Towards the L1 code cache.
    sc_core::sc_export<l1d_stores_if> stores{"stores"};
    sc_core::sc_port<l1i_copies_if> code{"code"};

    // See l1_module.
    l1d(sc_core::sc_module_name, const parameters&, base::ledger&, line_pins& pins,
        const base::clock&);

    // The state after power-on: all lines and stores are lost. Called after elaboration.
    void reset();

  private:
    void end_of_elaboration() override { connect(); }
    void connect();
    bool execute(level_message&, tlm::tlm_generic_payload&) override;
};

}  // namespace knc::cache

#endif
