// The common base of the L2 modules of a tile: the card's own (l2.h), or one of the user.
//
// Models: the sockets to the L1s (level_types.h). Transactions of the L1s become calls of the l2_if
// that serve() sets. Calls of to_data() and to_code() become transactions to the L1s. Leaves out:
// the cache. Source: docs/integration.md, "An L2 of your own".
#ifndef KNC_CACHE_L2_BASE_H
#define KNC_CACHE_L2_BASE_H

#include <cstddef>
#include <cstdint>
#include <functional>

#include <systemc>

#include <knc/base/clock.h>
#include <knc/base/recorder.h>
#include <knc/cache/l1_data.h>
#include <knc/cache/l1_if.h>
#include <knc/cache/l1_link.h>
#include <knc/coherence/debug_view.h>
#include <knc/coherence/l2_protocol.h>
#include <knc/coherence/types.h>

namespace knc::cache {

// Its interfaces are not private: the modules destroy the virtual bases of one, and the L1s ask the
// object behind their sockets for the other.
class l2_base : public sc_core::sc_module, public level_forward_if, public level_end_if {
  public:
    level_target_socket l1d{"l1d"}, l1i{"l1i"};
    // The L2's events in time, for the L1 data cache.
    sc_core::sc_export<l2_events_if> events{"events"};
    // The core of the tile.
    sc_core::sc_port<l1_client_if> client{"client"};

    // The socket to the network (knc/coherence/types.h); nullptr: none.
    virtual coherence::initiator_socket* network_socket() { return nullptr; }
    // The state after power-on: all lines and requests are lost.
    virtual void reset() = 0;
    // Whether a message from the network is not processed yet. `true` is always right, and slow.
    virtual bool replies_pending() const { return true; }

    // Debug accesses (docs/coherence.md). view() offers the copies of the line in the L1 data cache
    // and the L2. debug_write() overwrites bytes of the line in the L2.
    virtual void view(const l1_data& above, coherence::debug_view&) const = 0;
    virtual void debug_write(line_t, const std::uint8_t* data, coherence::byte_mask) = 0;

    // Calls `f` for each line that the tile's caches have; nothing is in flight. Returns false if
    // the L2 does not know its lines: the card then cannot fast-forward.
    virtual bool each_line(const std::function<void(line_t)>&) const { return false; }

    // For a waveform: MSHRs, victim buffers and prefetch streams in use, messages and snoops that
    // wait; the state of a line.
    struct occupancy {
        std::uint64_t mshrs = 0, victims = 0, streams = 0, messages = 0, deferred = 0;
    };
    virtual occupancy used() const { return {}; }
    virtual coherence::l2_state state_of(line_t) const { return coherence::l2_state::i; }
    // From now on, the recorder learns of the requests of the tile's L2.
    virtual void attach(base::recorder_if&) {}

  protected:
    l2_base(sc_core::sc_module_name, const base::clock&);
    // Sets the receiver of the L1s' requests, which also has the L2's own events. Called once, in
    // the constructor of the derived class.
    void serve(l2_if&);
    l1d_snoop_if& to_data() { return to_data_; }
    l1i_snoop_if& to_code() { return to_code_; }

  private:
    void start_of_simulation() override;
    bool execute(level_message&, tlm::tlm_generic_payload&) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override;
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) override {
        p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

    l1d_link to_data_;
    l1i_link to_code_;
    l2_if* logic_ = nullptr;
};

}  // namespace knc::cache

#endif
