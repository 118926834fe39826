// A stop of the ring, at a tile or at the SBOX.
//
// Models: the choice of the receiver at the stop by the kind of the message; messages of the agents
// at the stop go to the ring. Leaves out: time; the ring has the injection queues of all stops.
#ifndef KNC_RING_STOP_H
#define KNC_RING_STOP_H

#include <systemc>

#include <knc/coherence/types.h>

namespace knc::ring {

class stop : public sc_core::sc_module {
  public:
    // Messages from and to the L2, or another agent that reads and writes memory at this stop,
    // including the responses to uncached accesses to memory.
    coherence::target_socket l2{"l2"};
    // Accesses of the core to devices, and their responses.
    coherence::target_socket core{"core"};
    coherence::target_socket directory{"directory"};
    // Accesses to devices at this stop, and their responses.
    coherence::target_socket devices{"devices"};
    coherence::initiator_socket ring{"ring"};

    explicit stop(sc_core::sc_module_name);

    // Keeps messages of the agents at the stop that may not go to the ring at once.
    class keeper {
      public:
        // A later call of send() brings the message to the ring.
        virtual void keep(tlm::tlm_generic_payload&, const tlm::tlm_phase&,
                          const sc_core::sc_time& delay) = 0;

      protected:
        ~keeper() = default;
    };
    // Messages go to `k` while `when` is true. Called before the end of elaboration.
    void keep_in(keeper& k, const bool& when) {
        keeper_ = &k;
        keeps_ = &when;
    }
    tlm::tlm_sync_enum send(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay) {
        return ring->nb_transport_fw(p, phase, delay);
    }

  private:
    struct entrance final : coherence::forward_end, coherence::direct_end_if {
        explicit entrance(stop& s) : at(s) {}
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                           sc_core::sc_time&) override;
        bool is_direct() const override;
        bool pass(tlm::tlm_generic_payload&, coherence::packet&) override;
        coherence::direct_end_if* last_end(coherence::receiver_kind) override;
        stop& at;
    };
    struct from_ring final : coherence::backward_end, coherence::direct_end_if {
        explicit from_ring(stop& s) : at(s) {}
        tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                           sc_core::sc_time&) override;
        bool is_direct() const override;
        bool pass(tlm::tlm_generic_payload&, coherence::packet&) override;
        coherence::direct_end_if* last_end(coherence::receiver_kind) override;
        stop& at;
    };

    // The module bound to a socket, or nullptr; the same, if it is direct.
    struct receiver {
        coherence::backward_if* end = nullptr;
        coherence::direct_end_if* direct = nullptr;
    };

    void end_of_elaboration() override;
    void start_of_simulation() override;
    const receiver& receiver_of(coherence::receiver_kind) const;
    const receiver& receiver_of(coherence::message_kind) const;

    entrance entrance_;
    from_ring from_ring_;
    keeper* keeper_ = nullptr;
    static constexpr bool never = false;
    const bool* keeps_ = &never;  // whether it keeps them now
    receiver to_l2_, to_core_, to_directory_, to_devices_;
    coherence::direct_end_if* to_ring_ = nullptr;  // if it is direct
};

}  // namespace knc::ring

#endif
