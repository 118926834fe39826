#include <knc/ring/stop.h>

namespace knc::ring {

using coherence::receiver_kind;

stop::stop(sc_core::sc_module_name name) : sc_module(name), entrance_(*this), from_ring_(*this) {
    l2.bind(entrance_);
    core.bind(entrance_);
    directory.bind(entrance_);
    devices.bind(entrance_);
    ring.bind(from_ring_);
}

void stop::end_of_elaboration() {
    to_l2_.end = coherence::bound_to(l2);
    to_core_.end = coherence::bound_to(core);
    to_directory_.end = coherence::bound_to(directory);
    to_devices_.end = coherence::bound_to(devices);
}

void stop::start_of_simulation() {
    for (receiver* const r : {&to_l2_, &to_core_, &to_directory_, &to_devices_})
        r->direct = coherence::direct_end(r->end);
    to_ring_ = coherence::direct_end(ring.operator->());
}

tlm::tlm_sync_enum stop::entrance::nb_transport_fw(tlm::tlm_generic_payload& p,
                                                   tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (!*at.keeps_) return at.send(p, phase, delay);
    at.keeper_->keep(p, phase, delay);
    return tlm::TLM_ACCEPTED;
}

bool stop::entrance::is_direct() const {
    return coherence::direct_end(at.ring.operator->()) != nullptr;
}

bool stop::entrance::pass(tlm::tlm_generic_payload& p, coherence::packet& k) {
    if (!*at.keeps_) return at.to_ring_->pass(p, k);
    at.keeper_->keep(p, tlm::BEGIN_REQ, sc_core::SC_ZERO_TIME);
    return true;
}

// A sender at the stop may leave it out if it never keeps anything.
coherence::direct_end_if* stop::entrance::last_end(receiver_kind k) {
    if (at.keeper_ != nullptr) return this;
    return coherence::direct_end(at.ring.operator->())->last_end(k);
}

const stop::receiver& stop::receiver_of(receiver_kind k) const {
    switch (k) {
        case receiver_kind::directory:
            return to_directory_;
        case receiver_kind::core:
            return to_core_;
        case receiver_kind::device:
            return to_devices_;
        default:
            return to_l2_;
    }
}

const stop::receiver& stop::receiver_of(coherence::message_kind k) const {
    static constexpr receiver nobody;
    return k < coherence::message_kind::count ? receiver_of(coherence::properties(k).receiver)
                                              : nobody;
}

bool stop::from_ring::is_direct() const {
    const auto direct = [](const receiver& r) {
        return r.end == nullptr || coherence::direct_end(r.end) != nullptr;
    };
    return direct(at.to_l2_) && direct(at.to_core_) && direct(at.to_directory_) &&
           direct(at.to_devices_);
}

bool stop::from_ring::pass(tlm::tlm_generic_payload& p, coherence::packet& k) {
    coherence::direct_end_if* const to = at.receiver_of(k.content.kind).direct;
    return to != nullptr && to->pass(p, k);
}

coherence::direct_end_if* stop::from_ring::last_end(receiver_kind k) {
    coherence::backward_if* const end = at.receiver_of(k).end;
    return end != nullptr ? coherence::direct_end(end)->last_end(k) : this;
}

tlm::tlm_sync_enum stop::from_ring::nb_transport_bw(tlm::tlm_generic_payload& p,
                                                    tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    const coherence::packet* const k = p.get_extension<coherence::packet>();
    coherence::backward_if* const to = k != nullptr ? at.receiver_of(k->content.kind).end : nullptr;
    if (to == nullptr) {
        p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    return to->nb_transport_bw(p, phase, delay);
}

}  // namespace knc::ring
