// The stop of the ring at a tile, or at the SBOX: what the parts there send goes to the ring, what
// comes from the ring goes to the part it is for.
//
// Models: the choice of the receiver by the kind of the message. Leaves out: time; the ring has the
// injection queues of all stops.
#ifndef KNC_RING_STOP_H
#define KNC_RING_STOP_H

#include <systemc>

#include <knc/coherence/types.h>

namespace knc::ring {

class stop : public sc_core::sc_module {
  public:
    // Messages of and for the L2, or whoever else reads and writes memory here: the answers to
    // uncached accesses to memory are among them.
    coherence::target_socket l2{"l2"};
    // Accesses of the core to devices, and their answers.
    coherence::target_socket core{"core"};
    coherence::target_socket directory{"directory"};
    // Accesses to devices that are here.
    coherence::target_socket devices{"devices"};
    coherence::initiator_socket ring{"ring"};

    explicit stop(sc_core::sc_module_name);

  private:
    struct entrance final : coherence::forward_end {
        explicit entrance(stop& s) : at(s) {}
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                           sc_core::sc_time&) override;
        stop& at;
    };
    struct from_ring final : coherence::backward_end {
        explicit from_ring(stop& s) : at(s) {}
        tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                           sc_core::sc_time&) override;
        stop& at;
    };

    void end_of_elaboration() override;
    coherence::backward_if* receiver_of(const coherence::message&) const;

    entrance entrance_;
    from_ring from_ring_;
    // Who is bound to the sockets, or nullptr.
    coherence::backward_if *to_l2_ = nullptr, *to_core_ = nullptr, *to_directory_ = nullptr,
                           *to_devices_ = nullptr;
};

}  // namespace knc::ring

#endif
