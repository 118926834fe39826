// The L1 data cache of a tile as a module.
//
// Models: the connections of l1_data, which has the logic. Leaves out: what l1_data leaves out.
#ifndef KNC_CACHE_L1D_H
#define KNC_CACHE_L1D_H

#include <optional>

#include <systemc>

#include <knc/cache/l1_data.h>
#include <knc/cache/l2_link.h>

namespace knc::cache {

class l1d final : public sc_core::sc_module, private level_backward_if {
  public:
    // The core's side.
    sc_core::sc_export<l1d_if> core{"core"};
    // The L2, and what it does of its own accord; an L2 that does nothing may leave it unbound.
    level_initiator_socket l2{"l2"};
    sc_core::sc_port<l2_events_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> l2_events{"l2_events"};
    // The L1 code cache.
    sc_core::sc_export<l1d_stores_if> stores{"stores"};
    sc_core::sc_port<l1i_copies_if> code{"code"};

    // Of possible parameters; see impossible(). `pins` are those of the tile.
    l1d(sc_core::sc_module_name, const parameters&, base::ledger&, line_pins& pins, l1_client_if&);

    // As after power-on: all lines and stores are lost. After elaboration.
    void reset();
    l1_data& logic() { return *logic_; }
    const l1_data& logic() const { return *logic_; }

  private:
    void end_of_elaboration() override { connect(); }
    void connect();
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    const parameters p_;
    base::ledger& ledger_;
    line_pins& pins_;
    l1_client_if& client_;
    l2_link link_;
    std::optional<l1_data> logic_;  // always at the same place
};

}  // namespace knc::cache

#endif
