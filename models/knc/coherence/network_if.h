// The network between the tiles, as the card's scheduler uses it.
//
// Models no hardware. Leaves out: the messages, which go through sockets (types.h).
#ifndef KNC_COHERENCE_NETWORK_IF_H
#define KNC_COHERENCE_NETWORK_IF_H

#include <algorithm>
#include <cstdint>
#include <string>

#include <systemc>

#include <knc/base/clocked_if.h>
#include <knc/base/host_threads_if.h>

namespace knc::coherence {

struct network_if : base::clocked_if {
    // No message reaches a tile before this cycle unless a new one is sent; base::never: no message
    // is in flight.
    virtual base::cycle_t next_delivery() const = 0;
    // While no tile sends anything: the first cycle before `until` in which a message reaches a
    // tile, or one before it; `until` if there is none. The network has run through that cycle, or
    // up to `until`.
    virtual base::cycle_t run_to_delivery(base::cycle_t until) {
        const base::cycle_t c = std::min(until, next_delivery());
        run(c < until ? c + 1 : until);
        return c;
    }
    // Bit n: tile n. Those of `tiles` which something may reach before cycle `before`, or has
    // reached in the last call of run(), run_to_delivery() or begin_parts(). All of them: the
    // network does not know.
    virtual std::uint64_t reachable(std::uint64_t tiles, base::cycle_t /*before*/) const {
        return tiles;
    }

    // ---- A step of the tiles on several host threads, on which parts of the network may run, too.
    //
    // As run(until), for which the network may use the threads. Messages for tiles may wait for
    // run_parts(), and parts may run then, if that changes nothing in a step after which only tiles
    // that reachable() leaves out are beyond `until`, and none is beyond cycle `far`; what tiles
    // and parts send waits for end_parts(). Tile n runs on thread n modulo their number. Returns
    // false and does nothing if the network cannot do that.
    virtual bool begin_parts(base::cycle_t /*until*/, base::cycle_t /*far*/,
                             base::host_threads_if& /*threads*/) {
        return false;
    }
    // Called once for each thread, on that thread, before its tiles run.
    virtual void run_parts(std::size_t /*thread*/) {}
    // All tiles and parts have run.
    virtual void end_parts() {}
};

// Receives the errors of the model: a part met a case that its protocol excludes, and dropped the
// message. No guest can cause one.
struct error_if : virtual sc_core::sc_interface {
    virtual void protocol_error(const std::string&) = 0;
};

// An unbound port reports the error through SystemC (SC_REPORT).
using error_port = sc_core::sc_port<error_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
inline void report(error_port& errors, const std::string& text) {
    if (errors.size() != 0)
        errors->protocol_error(text);
    else
        SC_REPORT_ERROR("coherence", text.c_str());
}

}  // namespace knc::coherence

#endif
