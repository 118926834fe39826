// Makes the uncached accesses of all cores, each at its time.
//
// Models: one fixed latency each way; accesses that arrive in the same clock are made in order of
// core and thread. What nobody answers at reads as all ones. Leaves out: the ring; that an access
// to a port nobody answers at is ordinary for the programs that make it, so it is no warning.
#ifndef KNC_CARD_DEVICE_AGENT_H
#define KNC_CARD_DEVICE_AGENT_H

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include <knc/base/clock.h>
#include <knc/core/ports.h>

namespace knc::card {

class device_agent : public sc_core::sc_module {
  public:
    // Physical addresses. The target may wait.
    tlm_utils::simple_initiator_socket<device_agent> devices{"devices"};
    // Port numbers, 1, 2 or 4 bytes. Unbound: no port answers.
    tlm_utils::simple_initiator_socket_optional<device_agent> ports{"ports"};

    struct callbacks {
        std::function<void(const core::device_request& answer, base::cycle_t at)> done;
        std::function<void(const std::string&)> warning;
    };

    // `latency` in clocks, each way, at least 1.
    device_agent(sc_core::sc_module_name, const base::clock&, base::cycle_t latency, callbacks);

    // The access reaches its device at clock issued + latency, which is not in SystemC's past.
    void post(const core::device_request&);
    // An access is under way: its answer may come at any clock from the present + latency on.
    bool pending() const { return !queue_.empty() || transporting_; }

  private:
    struct earlier {
        bool operator()(const core::device_request& a, const core::device_request& b) const;
    };

    void run();
    void transport(core::device_request&);
    void schedule();

    const base::clock clock_;
    const base::cycle_t latency_;
    callbacks callbacks_;
    std::set<core::device_request, earlier> queue_;
    bool transporting_ = false;
    sc_core::sc_event due_;
};

}  // namespace knc::card

#endif
