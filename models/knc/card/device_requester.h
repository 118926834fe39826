// Sends a core's accesses to devices as messages to the SBOX's stop of the ring.
//
// Models: the transport through the tile, which takes a fixed time
// (cache::parameters::request_cycles). Leaves out: the receiving end (device_agent). Source:
// docs/hierarchy.md.
#ifndef KNC_CARD_DEVICE_REQUESTER_H
#define KNC_CARD_DEVICE_REQUESTER_H

#include <string>

#include <systemc>

#include <knc/base/clock.h>
#include <knc/coherence/endpoint.h>
#include <knc/coherence/network_if.h>
#include <knc/core/ports.h>

namespace knc::card {

class device_requester final : public sc_core::sc_module,
                               private core::device_if,
                               private coherence::endpoint::owner {
  public:
    sc_core::sc_export<core::device_if> requests{"requests"};
    sc_core::sc_port<core::device_client_if> core{"core"};
    coherence::endpoint network;
    coherence::error_port errors{"errors"};

    // `latency` in cycles, from an access to its message.
    device_requester(sc_core::sc_module_name, const base::clock&, base::cycle_t latency);

  private:
    // core::device_if
    void post(const core::device_request&) override;
    // coherence::endpoint::owner
    void receive(const coherence::message&, base::cycle_t) override;
    void protocol_error(const std::string& text) override { coherence::report(errors, text); }

    const base::cycle_t latency_;
};

}  // namespace knc::card

#endif
