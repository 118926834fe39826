#include <knc/card/uncore.h>

#include <utility>

#include <fmt/format.h>

namespace knc::card {

uncore::uncore(sc_core::sc_module_name name, const uncore_parameters& p, unsigned tiles,
               std::uint64_t clock_hz, coherence::line_store& store,
               std::function<void(const std::string&)> protocol_error)
    : sc_module(name),
      fabric_(p, tiles, clock_hz, store, *this),
      probe_(fabric_),
      tiles_(tiles),
      protocol_error_(std::move(protocol_error)) {
    in.register_nb_transport_fw(this, &uncore::nb_transport_fw);
    in.register_b_transport(this, &uncore::b_transport);
}

tlm::tlm_sync_enum uncore::nb_transport_fw(int index, tlm::tlm_generic_payload& p,
                                           tlm::tlm_phase& phase, sc_core::sc_time&) {
    const coherence::packet* const sent = coherence::packet_of(p, phase);
    if (sent == nullptr) return tlm::TLM_COMPLETED;
    const auto bound = static_cast<unsigned>(index);
    const unsigned node = bound < tiles_ ? bound : bound - tiles_ + coherence::first_agent;
    if (sent->content.source != node || sent->clock < now() || !fabric_.has_way(sent->content))
        p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    else
        fabric_.send(sent->content, sent->clock);
    return tlm::TLM_COMPLETED;
}

void uncore::b_transport(int, tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

void uncore::deliver(unsigned tile, const coherence::message& m, base::cycle_t clock) {
    pass_on(tile, m, clock);
}
void uncore::deliver_to_agent(const coherence::message& m, base::cycle_t clock) {
    pass_on(tiles_, m, clock);
}
void uncore::protocol_error(const std::string& text) {
    protocol_error_(text);
}

void uncore::pass_on(unsigned index, const coherence::message& m, base::cycle_t clock) {
    if (index >= static_cast<unsigned>(out.size()) || !sender_.send(*out[index], m, clock))
        protocol_error(fmt::format("node {} does not take {} for line {:#x}", m.destination,
                                   coherence::properties(m.kind).name, m.line));
}

}  // namespace knc::card
