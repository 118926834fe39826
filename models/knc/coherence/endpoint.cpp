#include <knc/coherence/endpoint.h>

#include <fmt/format.h>

namespace knc::coherence {

std::string refusal(const message& m) {
    return fmt::format("the network refuses {} for line {:#x} from node {}",
                       properties(m.kind).name, m.line, m.source);
}

endpoint::endpoint(const char* name, const base::clock& clock, owner& o)
    : initiator_socket(name), owner_(o), receiving_end_(o), annotation_(clock) {
    bind(receiving_end_);
}

// All messages from here take one way, whoever receives them.
void endpoint::start_of_simulation() {
    if (direct_end_if* const next = direct_end(operator->()))
        direct_ = next->last_end(receiver_kind::directory);
}

void endpoint::send(const message& m, base::cycle_t leaves) {
    transaction_pool::transaction& p = pool_->take(m, leaves);
    const bool taken = direct_ != nullptr ? direct_->pass(p, p.sent) : transport(p, leaves);
    p.release();
    if (!taken) owner_.protocol_error(refusal(m));
}

bool endpoint::transport(tlm::tlm_generic_payload& p, base::cycle_t leaves) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = annotation_(leaves);
    return (*this)->nb_transport_fw(p, phase, delay) != tlm::TLM_COMPLETED || p.is_response_ok();
}

tlm::tlm_sync_enum endpoint::receiving_end::nb_transport_bw(tlm::tlm_generic_payload& p,
                                                            tlm::tlm_phase& phase,
                                                            sc_core::sc_time&) {
    if (const packet* const received = arrived_packet(p, phase))
        owner_.receive(received->content, received->cycle);
    return tlm::TLM_COMPLETED;
}

}  // namespace knc::coherence
