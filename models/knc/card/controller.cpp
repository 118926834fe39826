#include <knc/card/controller.h>

namespace knc::card {

controller::controller(sc_core::sc_module_name name, unsigned number,
                       const memory::controller_parameters& p, const coherence::address_hash& hash,
                       coherence::line_store& store, const base::clock& clock)
    : sc_module(name),
      network("network", clock, *this),
      memory_(static_cast<coherence::node_t>(coherence::first_controller + number), p, clock.hz(),
              hash, store, network) {
    clocked.bind(memory_);
}

void controller::protocol_error(const std::string& text) {
    coherence::report(errors, text);
}

}  // namespace knc::card
