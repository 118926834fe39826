// The host's accesses to the card's memory through the aperture of BAR0.
//
// Models: each line of an access is read or written coherently, without a copy in a cache. Its
// message leaves the SBOX's stop of the ring `latency` cycles after the access has reached the
// SBOX. Successive lines have the distance of the host link's rate. The access ends `latency`
// cycles after the last response. Several processes may have accesses in progress. Accesses to one
// line take place one after the other, in order of arrival. Leaves out: order between lines, the
// host's link itself. Source: fact sheet 7.3 (BAR0); times unverified.
#ifndef KNC_CARD_HOST_APERTURE_H
#define KNC_CARD_HOST_APERTURE_H

#include <cstdint>
#include <list>
#include <map>
#include <string>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <knc/base/clock.h>
#include <knc/card/ports.h>
#include <knc/coherence/endpoint.h>
#include <knc/coherence/network_if.h>
#include <knc/coherence/uncached_agent.h>

namespace knc::card {

class host_aperture : public sc_core::sc_module,
                      private coherence::port,
                      private coherence::endpoint::owner,
                      private coherence::uncached_agent::observer {
  public:
    // Card physical addresses of RAM. b_transport waits until the access has ended.
    tlm_utils::simple_target_socket<host_aperture> target{"target"};
    // To the SBOX's stop of the ring.
    coherence::endpoint network;
    // Card physical addresses, for debug accesses.
    tlm_utils::simple_initiator_socket<host_aperture> memory{"memory"};
    sc_core::sc_port<address_map_if> addresses{"addresses"};
    coherence::error_port errors{"errors"};

    // `latency` and `interval` (between two lines) in cycles, at least 1. No tile is ahead of
    // SystemC time by more than `latency`.
    host_aperture(sc_core::sc_module_name, const base::clock&, base::cycle_t latency,
                  base::cycle_t interval, const coherence::address_hash&);

    // Accesses in progress are lost: they end now, with an error response.
    void reset();
    // For a waveform: lines whose response is outstanding.
    std::size_t under_way() const { return under_way_.size(); }
    // The network has stopped for good: so do all later accesses.
    void close();

  private:
    struct transfer {
        std::uint64_t resets;  // number of resets before it started
        unsigned left = 0;     // lines without a response
        base::cycle_t until = 0;
    };
    // A line whose response is outstanding.
    struct piece {
        transfer* of;
        std::uint8_t* data;
        unsigned offset, size;
    };

    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&);
    unsigned transport_dbg(tlm::tlm_generic_payload& p) { return memory->transport_dbg(p); }
    bool lost(const transfer& t) const { return t.resets != resets_; }
    bool carry_out(tlm::tlm_generic_payload&, transfer&);
    bool wait_for(coherence::line_t, const transfer&);
    void start(coherence::line_t, const piece&, bool write);
    void end(coherence::line_t, const coherence::line_data*);

    // coherence::port
    void send(const coherence::message& m) override { network.send(m, leaves_); }
    // coherence::port, coherence::endpoint::owner
    void protocol_error(const std::string& text) override { coherence::report(errors, text); }
    // coherence::endpoint::owner. The cycle is not before the present SystemC time.
    void receive(const coherence::message&, base::cycle_t) override;
    // coherence::uncached_agent::observer
    void read_complete(coherence::line_t l, const coherence::line_data& d) override { end(l, &d); }
    void write_complete(coherence::line_t l) override { end(l, nullptr); }

    const base::clock clock_;
    const base::cycle_t latency_, interval_;
    coherence::uncached_agent agent_;
    std::map<coherence::line_t, piece> under_way_;
    std::list<coherence::line_t> queue_;  // lines for which processes wait, in order
    sc_core::sc_event progress_;
    std::uint64_t resets_ = 0;
    bool closed_ = false;
    base::cycle_t next_ = 0;     // the first cycle in which the link accepts a line
    base::cycle_t leaves_ = 0;   // of the message being sent
    base::cycle_t arrived_ = 0;  // arrival of the response being processed
};

}  // namespace knc::card

#endif
