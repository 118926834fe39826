#include <knc/card/l3.h>

namespace knc::card {

l3::l3(sc_core::sc_module_name name, coherence::node_t tile, const coherence::address_hash& hash,
       const uncore_parameters& p, const base::clock& clock)
    : sc_module(name), network("network", clock, *this), slice_(tile, hash, p.l3, network) {}

void l3::protocol_error(const std::string& text) {
    coherence::report(errors, text);
}

}  // namespace knc::card
