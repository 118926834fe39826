#include <knc/cache/l1d.h>

#include <algorithm>

namespace knc::cache {

l1d::l1d(sc_core::sc_module_name name, const parameters& p, base::ledger& ledger, line_pins& pins,
         l1_client_if& client)
    : sc_module(name), p_(p), ledger_(ledger), pins_(pins), client_(client), link_(l2) {
    logic_.emplace(p_, ledger_, pins_, client_);
    core.bind(*logic_);
    stores.bind(*logic_);
    l2.bind(*this);
}

void l1d::connect() {
    link_.connect(l2_events.size() != 0 ? l2_events.operator->() : nullptr);
    logic_->connect(link_, *code.operator->());
}

void l1d::reset() {
    logic_.emplace(p_, ledger_, pins_, client_);
    connect();
}

tlm::tlm_sync_enum l1d::nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                                        sc_core::sc_time&) {
    level_message* const m = message_of(p);
    if (m == nullptr) return tlm::TLM_COMPLETED;
    switch (m->command) {
        case level_command::fill:
            logic_->fill(m->fill, m->cycle);
            break;
        case level_command::read_complete: {
            coherence::line_data data;
            std::copy_n(p.get_data_ptr(), data.size(), data.begin());
            logic_->read_complete(m->line, data, m->cycle);
            break;
        }
        case level_command::write_complete:
            logic_->write_complete(m->line, m->cycle);
            break;
        case level_command::take_back:
            m->done = logic_->take_back(m->line, p.get_data_ptr(), m->keep, m->cycle);
            break;
        case level_command::write_claimed:
            m->done = logic_->write_claimed(m->line, p.get_data_ptr());
            break;
        case level_command::room_made:
            logic_->room_made(m->cycle);
            break;
        case level_command::filled:
            logic_->filled(m->cycle);
            break;
        default:
            p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
    return tlm::TLM_COMPLETED;
}

}  // namespace knc::cache
