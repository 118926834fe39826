// The agent at the SBOX's stop of the ring that makes the uncached accesses of all cores, each at
// its time.
//
// Models: a fixed latency of the response; accesses that arrive in the same cycle are made in order
// of core and thread. A read of an address without a target returns all ones, with a warning. A
// port without a target causes no warning, because programs probe ports. Without a ring, requests
// are posted with the cycle of their arrival. Leaves out: the ring (knc/ring). Source:
// docs/architecture.md, "Time".
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
#include <knc/card/package_registers_if.h>
#include <knc/card/shared_cache_if.h>
#include <knc/coherence/endpoint.h>
#include <knc/coherence/network_if.h>
#include <knc/core/ports.h>

namespace knc::card {

class device_agent : public sc_core::sc_module,
                     public base::pending_if,
                     public core::immediate_devices_if,
                     private core::device_if,
                     private coherence::endpoint::owner {
  public:
    // Physical addresses. The target may call wait().
    tlm_utils::simple_initiator_socket<device_agent> devices{"devices"};
    // Port numbers; 1, 2 or 4 bytes. Unbound: no port has a target.
    tlm_utils::simple_initiator_socket_optional<device_agent> ports{"ports"};

    // MSRs of the package. They answer in the cycle in which the access arrives, before SystemC
    // time has reached it: what they tell is the state of the network in that cycle.
    sc_core::sc_port<package_registers_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> registers{
        "registers"};
    // The L3, for WBINVD; unbound: there is none.
    sc_core::sc_port<shared_cache_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> shared_cache{
        "shared_cache"};
    // With a ring, the connection to it; nullptr without one.
    std::unique_ptr<coherence::endpoint> network;
    coherence::error_port errors{"errors"};
    // Without a ring: the requests of the cores; the cores, in the order of their numbers.
    sc_core::sc_export<core::device_if> requests{"requests"};
    sc_core::sc_port<core::device_client_if, 0, sc_core::SC_ZERO_OR_MORE_BOUND> cores{"cores"};
    // SystemC time must reach the cycle of a request.
    sc_core::sc_port<base::synchronize_if> scheduler{"scheduler"};
    core::diagnostics_port diagnostics{"diagnostics"};

    // `latency` in cycles, from an access to its response; at least 1.
    device_agent(sc_core::sc_module_name, const base::clock&, base::cycle_t latency, bool ring);

    // An access is in flight: its response may come in any cycle from the present one + latency on.
    base::cycle_t pending_from() const override {
        return queue_.empty() && !transporting_ ? base::never : 0;
    }
    // core::immediate_devices_if: SystemC time reaches the cycle of the access first, unless it
    // has. To be called in an SC_THREAD.
    void access(core::device_request&, base::cycle_t now) override;

    // For a waveform: accesses that have arrived, and whether a device is processing one.
    std::size_t waiting() const { return queue_.size(); }
    bool transporting() const { return transporting_; }
    // Accesses in flight are lost, including the response of the one that a device is processing.
    void reset();

  private:
    struct entry {
        base::cycle_t at;
        core::device_request request;
        coherence::message message;  // the message that carried it
        bool operator<(const entry&) const;
    };

    // core::device_if
    void post(const core::device_request&) override;
    // coherence::endpoint::owner
    void receive(const coherence::message&, base::cycle_t) override;
    void protocol_error(const std::string& text) override { coherence::report(errors, text); }
    void run();
    base::cycle_t transport(core::device_request&, base::cycle_t at);
    void answer(const entry&, base::cycle_t at);
    void enter(const core::device_request&, const coherence::message&, base::cycle_t at);
    void schedule();

    const base::clock clock_;
    const base::cycle_t latency_;
    std::set<entry> queue_;
    bool transporting_ = false;
    bool answer_lost_ = false;  // the response of the access in progress is to be dropped
    sc_core::sc_event due_;
};

}  // namespace knc::card

#endif
