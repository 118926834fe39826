#include <knc/cache/l1i.h>

namespace knc::cache {

l1i::l1i(sc_core::sc_module_name name, const parameters& p, base::ledger& ledger, line_pins& pins,
         l1_client_if& client)
    : sc_module(name), p_(p), ledger_(ledger), pins_(pins), client_(client), link_(l2) {
    logic_.emplace(p_, ledger_, pins_, client_);
    core.bind(*logic_);
    copies.bind(*logic_);
    l2.bind(*this);
}

void l1i::reset() {
    logic_.emplace(p_, ledger_, pins_, client_);
    logic_->connect(link_, *data.operator->());
}

tlm::tlm_sync_enum l1i::nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                                        sc_core::sc_time&) {
    level_message* const m = message_of(p);
    if (m == nullptr) return tlm::TLM_COMPLETED;
    switch (m->command) {
        case level_command::fill:
            logic_->fill(m->fill, m->cycle);
            break;
        case level_command::drop:
            logic_->drop(m->line);
            break;
        case level_command::room_made:
            logic_->room_made(m->cycle);
            break;
        default:
            p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
    return tlm::TLM_COMPLETED;
}

}  // namespace knc::cache
