#include <knc/coherence/packet.h>

namespace knc::coherence {

packet_sender::packet_sender() : payload_(this) {
    payload_.set_command(tlm::TLM_WRITE_COMMAND);
    payload_.set_data_ptr(packet_.content.data.data());
    payload_.set_data_length(line_bytes);
    payload_.set_streaming_width(line_bytes);
    payload_.set_extension(&packet_);
}

packet_sender::~packet_sender() {
    // The payload would delete it.
    payload_.clear_extension(&packet_);
}

bool packet_sender::send(tlm::tlm_fw_transport_if<>& target, const message& m,
                         base::cycle_t clock) {
    packet_.content = m;
    packet_.clock = clock;
    payload_.set_address(m.line * line_bytes);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    payload_.acquire();
    const tlm::tlm_sync_enum answer = target.nb_transport_fw(payload_, phase, delay);
    payload_.release();
    return answer == tlm::TLM_COMPLETED && payload_.is_response_ok();
}

const packet* packet_of(tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase) {
    const packet* const found = p.get_extension<packet>();
    if (found == nullptr || phase != tlm::BEGIN_REQ) {
        p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    } else if (!p.is_write()) {
        p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    } else if (p.get_address() != found->content.line * line_bytes) {
        p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else if (p.get_byte_enable_ptr() != nullptr) {
        p.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    } else if (p.get_data_length() != line_bytes || p.get_streaming_width() < line_bytes) {
        p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else {
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        return found;
    }
    return nullptr;
}

}  // namespace knc::coherence
