#include <knc/card/directory.h>

namespace knc::card {

directory::directory(sc_core::sc_module_name name, coherence::node_t tile,
                     const coherence::address_hash& hash, const uncore_parameters& p,
                     const base::clock& clock)
    : sc_module(name),
      network("network", clock, *this),
      slice_(tile, hash, p.directory_cycles, p.directory_interval, network) {}

void directory::protocol_error(const std::string& text) {
    coherence::report(errors, text);
}

}  // namespace knc::card
