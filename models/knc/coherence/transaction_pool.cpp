#include <knc/coherence/transaction_pool.h>

namespace knc::coherence {

transaction_pool::transaction::transaction(transaction_pool& owner) : tlm_generic_payload(&owner) {
    set_command(tlm::TLM_WRITE_COMMAND);
    set_data_ptr(sent.content.data.data());
    set_data_length(line_bytes);
    set_streaming_width(line_bytes);
    set_extension(&sent);
}

transaction_pool::transaction& transaction_pool::take(const message& m, base::cycle_t cycle) {
    if (free_.empty()) free_.push_back(&all_.emplace_back(*this));
    transaction& e = *free_.back();
    free_.pop_back();
    ++in_use_;
    e.sent.content = m;
    e.sent.cycle = cycle;
    e.set_address(m.line * line_bytes);
    e.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    e.acquire();
    return e;
}

void transaction_pool::free(tlm::tlm_generic_payload* p) {
    free_.push_back(static_cast<transaction*>(p));
    --in_use_;
}

}  // namespace knc::coherence
