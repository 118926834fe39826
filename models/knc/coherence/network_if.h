// What lies between the tiles, as the card's scheduler sees it.
#ifndef KNC_COHERENCE_NETWORK_IF_H
#define KNC_COHERENCE_NETWORK_IF_H

#include <string>

#include <systemc>

#include <knc/base/clocked_if.h>

namespace knc::coherence {

struct network_if : base::clocked_if {
    // If nothing more is sent: a cycle before which no message reaches a tile; never: nothing is
    // under way.
    virtual base::cycle_t next_delivery() const = 0;
};

// Told of errors of the model: a part met what its protocol rules out, and dropped it. No guest can
// cause one.
struct error_if : virtual sc_core::sc_interface {
    virtual void protocol_error(const std::string&) = 0;
};

// Unbound, the error is a report of SystemC.
using error_port = sc_core::sc_port<error_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
inline void report(error_port& errors, const std::string& text) {
    if (errors.size() != 0)
        errors->protocol_error(text);
    else
        SC_REPORT_ERROR("coherence", text.c_str());
}

}  // namespace knc::coherence

#endif
