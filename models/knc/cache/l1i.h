// The L1 code cache of a tile as a module.
//
// Models: the connections of l1_code, which has the logic. Leaves out: what l1_code leaves out.
#ifndef KNC_CACHE_L1I_H
#define KNC_CACHE_L1I_H

#include <optional>

#include <systemc>

#include <knc/cache/l1_code.h>
#include <knc/cache/l2_link.h>

namespace knc::cache {

class l1i final : public sc_core::sc_module, private level_backward_if {
  public:
    // The core's side.
    sc_core::sc_export<l1i_if> core{"core"};
    level_initiator_socket l2{"l2"};
    // The L1 data cache.
    sc_core::sc_export<l1i_copies_if> copies{"copies"};
    sc_core::sc_port<l1d_stores_if> data{"data"};

    // Of possible parameters; see impossible(). `pins` are those of the tile.
    l1i(sc_core::sc_module_name, const parameters&, base::ledger&, line_pins& pins, l1_client_if&);

    // As after power-on: all lines are lost. After elaboration, and after l1d::reset().
    void reset();
    l1_code& logic() { return *logic_; }
    const l1_code& logic() const { return *logic_; }

  private:
    void end_of_elaboration() override { logic_->connect(link_, *data.operator->()); }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    const parameters p_;
    base::ledger& ledger_;
    line_pins& pins_;
    l1_client_if& client_;
    l2_link link_;
    std::optional<l1_code> logic_;  // always at the same place
};

}  // namespace knc::cache

#endif
