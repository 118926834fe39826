#include <knc/coherence/types.h>

namespace knc::coherence {

packet* sent_packet(tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase) {
    packet* const found = p.get_extension<packet>();
    if (found == nullptr || !p.has_mm() || phase != tlm::BEGIN_REQ) {
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
        return found;
    }
    return nullptr;
}

}  // namespace knc::coherence
