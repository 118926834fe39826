// Carries interrupt messages between the local APICs of a card, from its I/O APIC, and their EOIs
// to it.
//
// Models: destination match and lowest-priority arbitration over all local APICs, one fixed
// latency. Leaves out: the ring the messages travel on. Whom a message is for, and who has the
// lowest priority, is looked at at once while all tiles stand at one clock; where tiles run ahead
// of each other, or of the I/O APIC, at the next clock they all stop at. Source: Intel SDM vol.
// 3, 10.6; latency unverified.
#ifndef KNC_CARD_INTERRUPT_FABRIC_H
#define KNC_CARD_INTERRUPT_FABRIC_H

#include <cstdint>
#include <functional>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <knc/apic/apic.h>
#include <knc/base/access.h>
#include <knc/base/clock.h>

namespace knc::card {

class interrupt_fabric : public sc_core::sc_module {
  public:
    // From the APICs: 8-byte writes at apic::fabric addresses, with the clock in base::access.
    tlm_utils::multi_passthrough_target_socket<interrupt_fabric> in{"in"};
    // To the APICs, in the order attach() was called: the same with the clock of arrival.
    tlm_utils::multi_passthrough_initiator_socket<interrupt_fabric> out{"out"};

    struct callbacks {
        // A message was put into the APIC with this index.
        std::function<void(std::size_t)> arrives;
        // An APIC's EOI of a level-triggered `vector` reaches the I/O APIC at clock `at`, which is
        // not before the present clock of the tiles.
        std::function<void(std::uint8_t vector, base::cycle_t at)> ended;
    };

    // `latency` in clocks. `interval`: messages are looked at in clocks that are its multiples, not
    // before they were sent, and at most as long as `latency`; 0: those of local APICs at once, the
    // others in the next clock.
    interrupt_fabric(sc_core::sc_module_name, base::cycle_t latency, base::cycle_t interval,
                     callbacks);

    // A message that leaves no local APIC, but the SBOX, in clock `at`, which no tile has passed.
    void post(const apic::interrupt_message&, base::cycle_t at);

    // The clock in which tiles must stop for arbitrate(); base::never: no message waits.
    base::cycle_t next_arbitration() const;
    // All tiles stand at clock `now`.
    void arbitrate(base::cycle_t now);

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

    base::cycle_t latency_, interval_;
    std::vector<sent> waiting_;
    callbacks callbacks_;
    std::vector<apic::local_apic*> units_;
};

}  // namespace knc::card

#endif
