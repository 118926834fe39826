// The protocol of the sockets between caches, ring stops, directory slices and memory controllers.
//
// Models: coherence messages as TLM-2.0 transactions. A message is one transaction: one call of
// nb_transport_fw in phase BEGIN_REQ passes it to the network, one call of nb_transport_bw in phase
// BEGIN_RESP passes it to its receiver. The payload is a write of one line (the data of the
// message, meaningless for kinds without data) to the address of the line. It has a memory manager
// and the mandatory extension `packet`. The sc_time argument says when the message may leave or
// when it arrives, as a delay from the present SystemC time. The extension says the same in cycles,
// without rounding. Leaves out: flow control; every receiver accepts every message. Source:
// docs/integration.md has the rules for a module of one's own.
#ifndef KNC_COHERENCE_TYPES_H
#define KNC_COHERENCE_TYPES_H

#include <tlm>

#include <knc/base/aligned_vector.h>
#include <knc/base/clock.h>
#include <knc/coherence/message.h>

namespace knc::coherence {

// A traits class of its own, so that a socket of another protocol, even the base protocol, cannot
// be bound.
struct coherence_types {
    using tlm_payload_type = tlm::tlm_generic_payload;
    using tlm_phase_type = tlm::tlm_phase;
};

inline constexpr unsigned socket_width = 8 * line_bytes;

// Towards the network. Only a socket with the other port policy may stay unbound.
using initiator_socket = tlm::tlm_initiator_socket<socket_width, coherence_types>;
// On the network's side. It may stay unbound.
using target_socket =
    tlm::tlm_target_socket<socket_width, coherence_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

using forward_if = tlm::tlm_fw_transport_if<coherence_types>;
using backward_if = tlm::tlm_bw_transport_if<coherence_types>;

// The module bound to the socket; nullptr if none. Valid after elaboration.
inline backward_if* bound_to(target_socket& s) {
    return s.get_base_port().size() != 0 ? s.operator->() : nullptr;
}

// All but most of the data is in one line of the host's cache.
struct alignas(base::host_line_bytes) packet : tlm::tlm_extension<packet> {
    // Towards the network: the first cycle in which the message may leave. From the network: the
    // cycle of its arrival.
    base::cycle_t cycle = 0;
    message content;

    tlm::tlm_extension_base* clone() const override { return new packet(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const packet&>(other);
    }
};

// The packet of a call that passes a message to the network. If the call breaks a rule above,
// returns nullptr and sets an error response; the called module then returns TLM_COMPLETED.
packet* sent_packet(tlm::tlm_generic_payload&, const tlm::tlm_phase&);

// The same for a call that passes a message to its receiver. The receiver relies on the network for
// the other rules.
inline packet* arrived_packet(tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase) {
    packet* const found = phase == tlm::BEGIN_RESP ? p.get_extension<packet>() : nullptr;
    p.set_response_status(found != nullptr ? tlm::TLM_OK_RESPONSE
                                           : tlm::TLM_GENERIC_ERROR_RESPONSE);
    return found;
}

// An end of the card's own. It does not need what a call of the transport interface has beside the
// message: phase, annotation, response status, look-up of the extension.
class direct_end_if {
  public:
    // Whether those behind this end need no more. Valid after elaboration.
    virtual bool is_direct() const { return true; }
    // Does what nb_transport_fw or nb_transport_bw would do with this transaction, if is_direct().
    // Returns false where they would set an error response.
    virtual bool pass(tlm::tlm_generic_payload&, packet&) = 0;
    // The end to which this one passes all messages for such a receiver as they are, if
    // is_direct(). This end itself: it does more. Valid after elaboration.
    virtual direct_end_if* last_end(receiver_kind) { return this; }
    // The message is under way to this end. A hint, so that the host has fetched what the receiver
    // will read; it changes nothing in the model.
    virtual void expect(const message&) const {}

  protected:
    ~direct_end_if() = default;
};

// The end to which a message can be passed in that way; nullptr: it needs the transport interface.
// Valid after elaboration.
template <class If>
direct_end_if* direct_end(If* end) {
    auto* const direct = dynamic_cast<direct_end_if*>(end);
    return direct != nullptr && direct->is_direct() ? direct : nullptr;
}

// The receiving end of an initiator socket. Leaves out: direct memory access.
class backward_end : public backward_if {
  public:
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

// The receiving end of a target socket. Leaves out: blocking transport, debug transport and direct
// memory access.
class forward_end : public forward_if {
  public:
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) override {
        p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
};

}  // namespace knc::coherence

#endif
