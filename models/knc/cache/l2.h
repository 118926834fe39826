// The L2 cache of a tile as a module.
//
// Models: the connections of l2_cache, which has the logic. Leaves out: the same as l2_cache.
// Source: docs/hierarchy.md.
#ifndef KNC_CACHE_L2_H
#define KNC_CACHE_L2_H

#include <optional>

#include <systemc>

#include <knc/cache/l1_if.h>
#include <knc/cache/l1_link.h>
#include <knc/cache/l2_cache.h>
#include <knc/coherence/endpoint.h>
#include <knc/coherence/network_if.h>

namespace knc::cache {

class l2 final : public sc_core::sc_module,
                 private level_forward_if,
                 private knc::cache::network,
                 private coherence::endpoint::owner {
  public:
    level_target_socket l1d{"l1d"}, l1i{"l1i"};
    // The L2's events in time, for the L1 data cache.
    sc_core::sc_export<l2_events_if> events{"events"};
    // The network between the tiles (knc/coherence/types.h).
    coherence::endpoint network;
    coherence::error_port errors{"errors"};

    // The parameters must be possible; see impossible(). `pins` are those of the tile. `client` is
    // notified when a message has arrived.
    l2(sc_core::sc_module_name, std::uint8_t tile, const parameters&,
       const coherence::address_hash&, base::ledger&, line_pins& pins, l1_client_if& client,
       const base::clock&);

    // The state after power-on: all lines and requests are lost.
    void reset();
    l2_cache& logic() { return *logic_; }
    const l2_cache& logic() const { return *logic_; }

  private:
    // cache::network
    void send(const coherence::message& m, base::cycle_t leaves) override {
        network.send(m, leaves);
    }
    // cache::network, coherence::endpoint::owner
    void protocol_error(const std::string& text) override { coherence::report(errors, text); }
    // coherence::endpoint::owner
    void receive(const coherence::message&, base::cycle_t) override;

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override;
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) override {
        p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

    const std::uint8_t tile_;
    const parameters p_;
    const coherence::address_hash& hash_;
    base::ledger& ledger_;
    line_pins& pins_;
    l1_client_if& client_;
    l1d_link to_data_;
    l1i_link to_code_;
    std::optional<l2_cache> logic_;  // its address never changes
};

}  // namespace knc::cache

#endif
