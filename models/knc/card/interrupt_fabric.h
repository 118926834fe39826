// The transport of interrupt messages between the local APICs of a card and from its I/O APIC, and
// of EOIs and of the PMU's edges to the I/O APIC.
//
// Models: destination match and lowest-priority arbitration over all local APICs, one fixed
// latency. While all tiles are at one cycle, the fabric resolves the destinations and the
// arbitration when it accepts a message. While tiles are ahead of each other, or of the I/O APIC,
// it does so at the next cycle at which all of them stop. Leaves out: the messages' route on the
// ring. Source: Intel SDM vol. 3, 10.6; latency unverified.
#ifndef KNC_CARD_INTERRUPT_FABRIC_H
#define KNC_CARD_INTERRUPT_FABRIC_H

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <knc/apic/apic.h>
#include <knc/base/access.h>
#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/base/recorder.h>
#include <knc/card/departures.h>
#include <knc/card/ports.h>
#include <knc/core/ports.h>
#include <knc/sbox/ports.h>

namespace knc::card {

class interrupt_fabric : public sc_core::sc_module,
                         public arbiter_if,
                         public core::pmu_wire_if,
                         public sbox::interrupt_sink_if {
  public:
    // From the APICs: 8-byte writes at apic::fabric addresses, with the cycle in base::access.
    tlm_utils::multi_passthrough_target_socket<interrupt_fabric> in{"in"};
    // To the APICs, in the order of the calls of attach(): the same writes, with the cycle of
    // arrival.
    tlm_utils::multi_passthrough_initiator_socket<interrupt_fabric> out{"out"};

    // Receives the EOIs of level-triggered interrupts, and the PMU's edges.
    sc_core::sc_port<sbox::io_apic_if> io_apic{"io_apic"};
    // Notified when one of these has been forwarded.
    sc_core::sc_port<base::synchronize_if> scheduler{"scheduler"};

    // `latency` of a message in cycles. `interval`: the fabric arbitrates in cycles that are
    // multiples of it, after a message was sent and at most `latency` after. With an interval of 0
    // it arbitrates messages of local APICs at once, the others in the next cycle. The SBOX sends a
    // message `sbox_latency` cycles after its cause.
    interrupt_fabric(sc_core::sc_module_name, base::cycle_t latency, base::cycle_t interval,
                     base::cycle_t sbox_latency);

    // sbox::interrupt_sink_if. No tile has passed cycle now + sbox_latency.
    void send(const sbox::interrupt&, base::cycle_t now) override;
    // The input of the I/O APIC to which the wire from the PMU's pins leads.
    void wire_pmu(unsigned input) { pmu_input_ = static_cast<std::uint8_t>(input); }
    // core::pmu_wire_if. An edge takes as long as an EOI.
    void pin_rises(base::cycle_t at) override;
    // arbiter_if
    base::cycle_t next_arbitration() const override;
    void arbitrate(base::cycle_t now) override;

    // Messages in flight are lost.
    void reset() {
        waiting_.clear();
        forwarded_.clear();
    }

    void serialize(base::archive&);

    // A message on its way in cycle `now`, for a report. `target`: none while it waits for
    // arbitration, which then is in cycle `at`.
    struct under_way {
        int source;  // index of an APIC; negative: not a local APIC
        std::optional<std::size_t> target;
        apic::interrupt_message content;
        base::cycle_t at;

        void serialize(base::archive&);
    };
    std::vector<under_way> messages(base::cycle_t now) const;

    // For a waveform: messages that are not arbitrated yet.
    std::size_t waiting() const { return waiting_.size(); }
    // From now on, `r` learns of messages on their way.
    void attach(base::recorder_if& r) { recorder_ = &r; }

    // Connects an APIC in both directions.
    void attach(apic::apic&);

    // While tiles run on several host threads, messages of their APICs are kept. release() accepts
    // them, tile by tile.
    void keep_in(departures& d) { departures_ = &d; }
    void release();

  private:
    void b_transport(int, tlm::tlm_generic_payload&, sc_core::sc_time&);
    // The source of the SBOX's messages; the other sources are the indices of their APICs.
    static constexpr int from_sbox = -1;
    enum class sort : std::uint8_t { interrupt, eoi, edge };
    struct sent {
        base::cycle_t clock;
        int source;
        sort what;
        apic::interrupt_message content;  // of an edge, nothing

        void serialize(base::archive&);
    };

    void deliver(const sent&);
    void forward(std::size_t target, const sent&, base::cycle_t at);

    base::cycle_t latency_, interval_, sbox_latency_;
    std::vector<sent> waiting_;
    departures* departures_ = nullptr;
    std::vector<std::vector<sent>> kept_;  // by tile
    std::deque<under_way> forwarded_;      // those that have not arrived when the next one is sent
    std::vector<apic::local_apic*> apics_;
    base::recorder_if* recorder_ = nullptr;
    std::uint8_t pmu_input_ = 0;
};

}  // namespace knc::card

#endif
