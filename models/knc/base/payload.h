// The check that memories, and parts in front of them, make of a TLM-2.0 transaction.
//
// Models: plain accesses, with neither byte enables nor streaming.
// Source: IEEE 1666-2011, 14.8 and 14.9 (responses).
#ifndef KNC_BASE_PAYLOAD_H
#define KNC_BASE_PAYLOAD_H

#include <tlm>

namespace knc::base {

// Whether the transaction is a plain access to addresses that exist (`inside`); if not, sets its
// error response.
inline bool plain_access(tlm::tlm_generic_payload& p, bool inside) {
    tlm::tlm_response_status refusal = tlm::TLM_OK_RESPONSE;
    if (!inside)
        refusal = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    else if (p.get_byte_enable_ptr() != nullptr)
        refusal = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    else if (p.get_streaming_width() < p.get_data_length())
        refusal = tlm::TLM_BURST_ERROR_RESPONSE;
    if (refusal != tlm::TLM_OK_RESPONSE) p.set_response_status(refusal);
    return refusal == tlm::TLM_OK_RESPONSE;
}

}  // namespace knc::base

#endif
