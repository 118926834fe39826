#include <knc/ring/ring.h>

#include <fmt/format.h>

namespace knc::ring {

using coherence::node_t;

ring::link::link(ring& r, const std::string& name, node_t n, const base::clock& clock)
    : at(r), node(n), socket(name.c_str()), annotation(clock) {
    socket.bind(*this);
}

ring::ring(sc_core::sc_module_name name, const parameters& p, unsigned tiles, unsigned controllers,
           const base::clock& clock)
    : sc_module(name), carrier_(p, tiles, controllers, *this) {
    for (unsigned s = 0; s < stops().stops(); ++s) {
        const place& at = stops().at(s);
        const bool tile = at.what == agent::tile, sbox = at.what == agent::sbox;
        const unsigned first =
            tile ? 0 : (sbox ? coherence::first_agent : coherence::first_controller);
        links_.push_back(std::make_unique<link>(*this, name_of(at),
                                                static_cast<node_t>(first + at.number), clock));
    }
}

void ring::end_of_elaboration() {
    for (int n = 0; n < clocked.size(); ++n) carrier_.attach(*clocked[n]);
    for (const auto& l : links_) l->receiver = coherence::bound_to(l->socket);
}

// A stop knows its receivers after elaboration.
void ring::start_of_simulation() {
    ends_.resize(links_.size());
    for (std::size_t s = 0; s < links_.size(); ++s) {
        coherence::direct_end_if* const direct = coherence::direct_end(links_[s]->receiver);
        if (direct == nullptr) continue;
        for (std::size_t k = 0; k < coherence::receiver_kinds; ++k)
            ends_[s][k] = direct->last_end(static_cast<coherence::receiver_kind>(k));
    }
}

void ring::reset(base::cycle_t now) {
    carrier_.reset(now);
}

tlm::tlm_sync_enum ring::link::nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                               sc_core::sc_time&) {
    coherence::packet* const k = coherence::sent_packet(p, phase);
    if (k == nullptr) return tlm::TLM_COMPLETED;
    if (pass(p, *k)) return tlm::TLM_ACCEPTED;
    p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

bool ring::link::pass(tlm::tlm_generic_payload& p, coherence::packet& k) {
    carrier& to = at.carrier_;
    return k.content.source == node && k.cycle >= to.now() && to.send(p, k);
}

// The receiver is a module that needs the whole call.
bool ring::link::transport(tlm::tlm_generic_payload& p, base::cycle_t t) {
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = annotation(t);
    receiver->nb_transport_bw(p, phase, delay);
    return p.is_response_ok();
}

void ring::deliver(unsigned stop, coherence::receiver_kind who, tlm::tlm_generic_payload& p,
                   coherence::packet& k, base::cycle_t t) {
    coherence::direct_end_if* const to = end_of(stop, who);
    if (to == nullptr || !to->pass(p, k)) transport(stop, p, k, t);
}

// The receiver is a module that needs the whole call, or there is none.
void ring::transport(unsigned stop, tlm::tlm_generic_payload& p, coherence::packet& k,
                     base::cycle_t t) {
    link& to = *links_[stop];
    const bool direct = coherence::direct_end(to.receiver) != nullptr;
    // Copies the fields before the call: the receiver may reuse the message.
    const coherence::message_kind kind = k.content.kind;
    const coherence::line_t line = k.content.line;
    const node_t node = k.content.destination;
    if (!direct && to.receiver != nullptr && to.transport(p, t)) return;
    refused(node, kind, line);
}

void ring::refused(node_t node, coherence::message_kind kind, coherence::line_t line) {
    coherence::report(errors, fmt::format("node {} does not take {} for line {:#x}", node,
                                          coherence::properties(kind).name, line));
}

}  // namespace knc::ring
