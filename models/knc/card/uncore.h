// The part of the card outside its tiles, with TLM-2.0 sockets: ring, directory slices, memory
// controllers.
//
// Models: memory_fabric; each message from or to a tile is one nb_transport call
// (knc/coherence/packet.h). Has no process: whoever conducts the tiles calls run(). Leaves out:
// devices, interrupt messages.
#ifndef KNC_CARD_UNCORE_H
#define KNC_CARD_UNCORE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <knc/base/clock.h>
#include <knc/base/signal.h>
#include <knc/card/fabric_probe.h>
#include <knc/card/memory_fabric.h>
#include <knc/card/uncore_parameters.h>
#include <knc/coherence/packet.h>

namespace knc::card {

class uncore : public sc_core::sc_module, memory_fabric::observer {
  public:
    // Bound by the tiles in order of index, then by the agent at the SBOX's stop if there is one.
    // A message whose source is not who is bound there, that leaves before now(), or that goes to
    // nobody is refused with an error response.
    tlm_utils::multi_passthrough_target_socket<uncore> in{"in"};
    // To the same, in the same order.
    tlm_utils::multi_passthrough_initiator_socket<uncore> out{"out"};

    // The store has the bytes of the memory. Throws std::invalid_argument: impossible parameters.
    uncore(sc_core::sc_module_name, const uncore_parameters&, unsigned tiles,
           std::uint64_t clock_hz, coherence::line_store&,
           std::function<void(const std::string&)> protocol_error);

    memory_fabric& logic() { return fabric_; }
    const memory_fabric& logic() const { return fabric_; }

    // See memory_fabric.
    void run(base::cycle_t until) { fabric_.run(until); }
    void reset(base::cycle_t now) { fabric_.reset(now); }
    base::cycle_t now() const { return fabric_.now(); }
    base::cycle_t next_event() const { return fabric_.next_event(); }
    base::cycle_t next_delivery() const { return fabric_.next_delivery(); }

    // See fabric_probe.
    void list_signals(const std::string& prefix, base::signal_list& list) const {
        probe_.list_signals(prefix, list);
    }
    void sample() { probe_.sample(); }

  private:
    tlm::tlm_sync_enum nb_transport_fw(int, tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&);
    void b_transport(int, tlm::tlm_generic_payload&, sc_core::sc_time&);

    // memory_fabric::observer
    void deliver(unsigned tile, const coherence::message&, base::cycle_t) override;
    void deliver_to_agent(const coherence::message&, base::cycle_t) override;
    void protocol_error(const std::string&) override;
    void pass_on(unsigned index, const coherence::message&, base::cycle_t);

    memory_fabric fabric_;
    fabric_probe probe_;
    const unsigned tiles_;
    std::function<void(const std::string&)> protocol_error_;
    coherence::packet_sender sender_;
};

}  // namespace knc::card

#endif
