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
    // Bit n: before cycle `before`, something may reach tile n that is no answer to a request of
    // its own. All bits: the network does not know.
    virtual std::uint64_t tiles_in_reach(base::cycle_t) const { return ~std::uint64_t{0}; }
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
