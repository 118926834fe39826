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
    to_l2_ = coherence::bound_to(l2);
    to_core_ = coherence::bound_to(core);
    to_directory_ = coherence::bound_to(directory);
    to_devices_ = coherence::bound_to(devices);
    hints_to_directory_ = dynamic_cast<coherence::backward_end*>(to_directory_);
}

tlm::tlm_sync_enum stop::entrance::nb_transport_fw(tlm::tlm_generic_payload& p,
                                                   tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (at.keeper_ != nullptr && at.keeper_->keeps(p, phase, delay)) return tlm::TLM_ACCEPTED;
    return at.send(p, phase, delay);
}

bool stop::entrance::reads_annotation() const {
    return coherence::reads_annotation(at.ring.operator->());
}

bool stop::from_ring::reads_annotation() const {
    return coherence::reads_annotation(at.to_l2_) || coherence::reads_annotation(at.to_core_) ||
           coherence::reads_annotation(at.to_directory_) ||
           coherence::reads_annotation(at.to_devices_);
}

coherence::backward_if* stop::receiver_of(const coherence::message& m) const {
    if (m.kind >= coherence::message_kind::count) return nullptr;
    switch (coherence::properties(m.kind).receiver) {
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

void stop::from_ring::expect(const coherence::message& m) const {
    if (at.hints_to_directory_ != nullptr) at.hints_to_directory_->expect(m);
}

tlm::tlm_sync_enum stop::from_ring::nb_transport_bw(tlm::tlm_generic_payload& p,
                                                    tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    const coherence::packet* const k = p.get_extension<coherence::packet>();
    coherence::backward_if* const receiver = k != nullptr ? at.receiver_of(k->content) : nullptr;
    if (receiver == nullptr) {
        p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    return receiver->nb_transport_bw(p, phase, delay);
}

}  // namespace knc::ring
