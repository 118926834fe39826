// Carries interrupt messages between the local APICs of a card, from its I/O APIC, and their EOIs
// to it.
//
// Models: destination match and lowest-priority arbitration over all local APICs, one fixed
// latency. While all tiles stand at one cycle, the fabric resolves the destinations and the
// arbitration when it accepts a message. Where tiles run ahead of each other, or of the I/O APIC,
// it does so at the next cycle all of them stop at. Leaves out: the ring the messages travel on.
// Source: Intel SDM vol. 3, 10.6; latency unverified.
#ifndef KNC_CARD_INTERRUPT_FABRIC_H
#define KNC_CARD_INTERRUPT_FABRIC_H

#include <cstdint>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <knc/apic/apic.h>
#include <knc/base/access.h>
#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/card/ports.h>
#include <knc/sbox/ports.h>

namespace knc::card {

class interrupt_fabric : public sc_core::sc_module,
                         public arbiter_if,
                         public sbox::interrupt_sink_if {
  public:
    // From the APICs: 8-byte writes at apic::fabric addresses, with the clock in base::access.
    tlm_utils::multi_passthrough_target_socket<interrupt_fabric> in{"in"};
    // To the APICs, in the order attach() was called: the same with the clock of arrival.
    tlm_utils::multi_passthrough_initiator_socket<interrupt_fabric> out{"out"};

    // Takes the EOIs of level-triggered interrupts.
    sc_core::sc_port<sbox::eoi_if> io_apic{"io_apic"};
    // Told that an EOI has been passed on.
    sc_core::sc_port<base::synchronize_if> scheduler{"scheduler"};

    // `latency` of a message in cycles. `interval`: the fabric arbitrates in cycles that are its
    // multiples, after a message was sent and at most `latency` after; 0: it arbitrates messages
    // of local APICs at once, the others in the next cycle. The SBOX sends a message
    // `sbox_latency` cycles after its cause.
    interrupt_fabric(sc_core::sc_module_name, base::cycle_t latency, base::cycle_t interval,
                     base::cycle_t sbox_latency);

    // sbox::interrupt_sink_if. No tile has passed now + sbox_latency.
    void send(const sbox::interrupt&, base::cycle_t now) override;
    // arbiter_if
    base::cycle_t next_arbitration() const override;
    void arbitrate(base::cycle_t now) override;

    // Messages under way are lost.
    void reset() { waiting_.clear(); }

    // Connects an APIC both ways.
    void attach(apic::apic&);

  private:
    void b_transport(int, tlm::tlm_generic_payload&, sc_core::sc_time&);
    // The source of what the SBOX sends; the others' are the indices of their APICs.
    static constexpr int from_sbox = -1;
    struct sent {
        base::cycle_t clock;
        int source;
        bool eoi;
        apic::interrupt_message content;
    };

    void deliver(const sent&);
    void forward(std::size_t target, const apic::interrupt_message&, base::cycle_t at);

    base::cycle_t latency_, interval_, sbox_latency_;
    std::vector<sent> waiting_;
    std::vector<apic::local_apic*> apics_;
};

}  // namespace knc::card

#endif
