// The ring between the tiles, the memory controllers and the SBOX.
//
// Models: carrier, with a socket at each stop (knc/coherence/types.h). The module has no process:
// the scheduler of the tiles calls run(). Leaves out: what the agents at the stops do with a
// message. Source: docs/hierarchy.md.
#ifndef KNC_RING_RING_H
#define KNC_RING_RING_H

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include <knc/base/clock.h>
#include <knc/base/clocked_if.h>
#include <knc/coherence/annotation.h>
#include <knc/coherence/network_if.h>
#include <knc/coherence/types.h>
#include <knc/ring/carrier.h>

namespace knc::ring {

class ring : public sc_core::sc_module, public coherence::network_if, carrier::receivers {
  public:
    // The controllers, in their order; see carrier::attach().
    sc_core::sc_port<base::clocked_if, 0, sc_core::SC_ZERO_OR_MORE_BOUND> clocked{"clocked"};
    coherence::error_port errors{"errors"};

    // Throws std::invalid_argument; see carrier.
    ring(sc_core::sc_module_name, const parameters&, unsigned tiles, unsigned controllers,
         const base::clock&);

    // The sockets of the stops: tileN, controllerN, sbox. The ring rejects a message with an error
    // response if its source is not the node bound to the socket, if it leaves before now(), or if
    // no stop belongs to its destination.
    coherence::target_socket& tile(unsigned n) { return stop(stops().tile(n)); }
    coherence::target_socket& controller(unsigned n) { return stop(stops().controller(n)); }
    coherence::target_socket& sbox() { return stop(topology::sbox()); }

    void reset(base::cycle_t now);
    // Home slices are what all requests have to pass, and each takes at least `cycles`. Without
    // this call, any message may have any effect at once.
    void set_home_cycles(base::cycle_t cycles) { home_cycles_ = cycles; }

    // coherence::network_if
    base::cycle_t next_activity() const override { return carrier_.next_event(); }
    base::cycle_t next_delivery() const override { return carrier_.next_delivery(); }
    base::cycle_t run_to_delivery(base::cycle_t until) override {
        return carrier_.run_to_delivery(until);
    }
    std::uint64_t reachable(std::uint64_t tiles, base::cycle_t before) const override {
        return carrier_.reachable(tiles, before, home_cycles_);
    }
    void run(base::cycle_t until) override { carrier_.run(until); }
    bool begin_parts(base::cycle_t until, base::cycle_t far,
                     base::host_threads_if& threads) override {
        carrier_.begin_parts(until, far, threads, home_cycles_);
        return true;
    }
    void run_parts(std::size_t thread) override { carrier_.run_parts(thread); }
    void end_parts() override { carrier_.end_parts(); }
    base::cycle_t now() const override { return carrier_.now(); }

    carrier& logic() { return carrier_; }
    const carrier& logic() const { return carrier_; }

  private:
    struct link final : coherence::forward_end, coherence::direct_end_if {
        link(ring&, const std::string& name, coherence::node_t, const base::clock&);
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                           sc_core::sc_time&) override;
        bool pass(tlm::tlm_generic_payload&, coherence::packet&) override;
        bool transport(tlm::tlm_generic_payload&, base::cycle_t);
        ring& at;
        const coherence::node_t node;
        coherence::target_socket socket;
        coherence::annotation annotation;
        coherence::backward_if* receiver = nullptr;  // the module bound to the socket
    };
    // Who takes the messages at a stop, behind whatever is between; nullptr: nobody directly.
    using last_ends = std::array<coherence::direct_end_if*, coherence::receiver_kinds>;

    const topology& stops() const { return carrier_.stops(); }
    coherence::target_socket& stop(unsigned s) { return links_[s]->socket; }
    coherence::direct_end_if* end_of(unsigned stop, coherence::receiver_kind who) const {
        return ends_[stop][static_cast<std::size_t>(who)];
    }
    void end_of_elaboration() override;
    void start_of_simulation() override;
    // carrier::receivers
    void expect(unsigned stop, coherence::receiver_kind who,
                const coherence::message& m) const override {
        const coherence::direct_end_if* const to = end_of(stop, who);
        if (to != nullptr) to->expect(m);
    }
    void deliver(unsigned stop, coherence::receiver_kind, tlm::tlm_generic_payload&,
                 coherence::packet&, base::cycle_t) override;
    [[gnu::noinline]] void transport(unsigned stop, tlm::tlm_generic_payload&, coherence::packet&,
                                     base::cycle_t);
    [[gnu::cold]] void refused(coherence::node_t, coherence::message_kind, coherence::line_t);

    carrier carrier_;
    base::cycle_t home_cycles_ = 0;
    std::vector<std::unique_ptr<link>> links_;  // one per stop
    std::vector<last_ends> ends_;               // likewise
};

}  // namespace knc::ring

#endif
