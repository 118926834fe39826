// Makes the uncached accesses of all cores, each at its time.
//
// Models: the agent at the SBOX's stop of the ring, which takes a fixed time for its answer;
// accesses that arrive in the same clock are made in order of core and thread. What nobody answers
// at reads as all ones; where it is a port, that is ordinary for the programs that read it, and no
// warning. Without a ring, requests are posted with the clock of their arrival.
#ifndef KNC_CARD_DEVICE_AGENT_H
#define KNC_CARD_DEVICE_AGENT_H

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/coherence/endpoint.h>
#include <knc/coherence/network_if.h>
#include <knc/core/ports.h>

namespace knc::card {

class device_agent : public sc_core::sc_module,
                     public base::pending_if,
                     private core::device_if,
                     private coherence::endpoint::owner {
  public:
    // Physical addresses. The target may wait.
    tlm_utils::simple_initiator_socket<device_agent> devices{"devices"};
    // Port numbers, 1, 2 or 4 bytes. Unbound: no port answers.
    tlm_utils::simple_initiator_socket_optional<device_agent> ports{"ports"};

    // With a ring, else nullptr: messages from and to it.
    std::unique_ptr<coherence::endpoint> network;
    coherence::error_port errors{"errors"};
    // Without a ring: requests of the cores, and the cores in the order of their numbers.
    sc_core::sc_export<core::device_if> requests{"requests"};
    sc_core::sc_port<core::device_client_if, 0, sc_core::SC_ZERO_OR_MORE_BOUND> cores{"cores"};
    // SystemC time must reach the cycle of a request.
    sc_core::sc_port<base::synchronize_if> scheduler{"scheduler"};
    core::diagnostics_port diagnostics{"diagnostics"};

    // `latency` in cycles, from an access to its answer, at least 1.
    device_agent(sc_core::sc_module_name, const base::clock&, base::cycle_t latency, bool ring);

    // An access is under way: its answer may come at any clock from the present + latency on.
    bool pending() const override { return !queue_.empty() || transporting_; }
    // Accesses under way are lost, the answer of the one that is with a device, too.
    void reset();

  private:
    struct access {
        base::cycle_t at;
        core::device_request request;
        coherence::message message;  // it came with
        bool operator<(const access&) const;
    };

    // core::device_if
    void post(const core::device_request&) override;
    // coherence::endpoint::owner
    void receive(const coherence::message&, base::cycle_t) override;
    void protocol_error(const std::string& text) override { coherence::report(errors, text); }
    void run();
    void transport(access&);
    void answer(const access&, base::cycle_t at);
    void enter(const core::device_request&, const coherence::message&, base::cycle_t at);
    void schedule();

    const base::clock clock_;
    const base::cycle_t latency_;
    std::set<access> queue_;
    bool transporting_ = false;
    bool answer_lost_ = false;  // of the access being transported
    sc_core::sc_event due_;
};

}  // namespace knc::card

#endif
