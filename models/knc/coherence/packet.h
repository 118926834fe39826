// A coherence message on a TLM-2.0 socket.
//
// Models: one nb_transport_fw call per message, phase BEGIN_REQ, answered TLM_COMPLETED at once: a
// write of 64 bytes (the message's data, meaningless for kinds without) to the line's address, with
// the mandatory extension `packet`, which has everything. Time is the extension's clock: both sides
// run ahead of SystemC time, and sc_time would lose the clock to rounding. Leaves out: flow
// control; whoever receives has room.
#ifndef KNC_COHERENCE_PACKET_H
#define KNC_COHERENCE_PACKET_H

#include <tlm>

#include <knc/base/clock.h>
#include <knc/coherence/message.h>

namespace knc::coherence {

struct packet : tlm::tlm_extension<packet> {
    message content;
    // Towards the ring: from when the message may leave. From the ring: when it arrived.
    base::cycle_t clock = 0;

    tlm::tlm_extension_base* clone() const override { return new packet(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const packet&>(other);
    }
};

// Sends messages, each in the same payload: not while a send() of the same object is under way.
class packet_sender : tlm::tlm_mm_interface {
  public:
    packet_sender();
    ~packet_sender() override;
    packet_sender(const packet_sender&) = delete;
    packet_sender& operator=(const packet_sender&) = delete;

    // Returns whether the target took it.
    bool send(tlm::tlm_fw_transport_if<>& target, const message&, base::cycle_t clock);

  private:
    // The payload is a member, so nothing is to be freed.
    void free(tlm::tlm_generic_payload*) override {}

    packet packet_;
    tlm::tlm_generic_payload payload_;
};

// The packet in a call of nb_transport_fw, with response OK set in the payload; nullptr, and an
// error response, if the call is anything but what packet_sender makes. Valid during the call. The
// target returns TLM_COMPLETED in either case.
const packet* packet_of(tlm::tlm_generic_payload&, const tlm::tlm_phase&);

}  // namespace knc::coherence

#endif
