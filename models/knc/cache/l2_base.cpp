#include <knc/cache/l2_base.h>

namespace knc::cache {

l2_base::l2_base(sc_core::sc_module_name name, const base::clock& clock)
    : sc_module(name), to_data_(l1d, clock), to_code_(l1i, clock) {
    l1d.bind(*this);
    l1i.bind(*this);
}

void l2_base::serve(l2_if& logic) {
    logic_ = &logic;
    events.bind(logic);
}

void l2_base::start_of_simulation() {
    to_data_.start();
    to_code_.start();
}

tlm::tlm_sync_enum l2_base::nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                            sc_core::sc_time&) {
    level_message* const m = phase == tlm::BEGIN_REQ ? message_of(p) : nullptr;
    if (m == nullptr)
        p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    else if (!execute(*m, p))
        p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

bool l2_base::execute(level_message& m, tlm::tlm_generic_payload& p) {
    switch (m.command) {
        case level_command::access:
            m.answer = logic_->access(m.access, m.cycle);
            break;
        case level_command::prefetch:
            m.answer = logic_->prefetch(m.prefetch, m.cycle);
            break;
        case level_command::i_to_m:
            m.i_to_m = logic_->request_i_to_m(m.thread, m.line, m.cycle);
            break;
        case level_command::under_way:
            m.by = logic_->under_way(m.line);
            break;
        case level_command::write_back:
            logic_->write_back(m.line, bytes_of(p), m.evicted, m.cycle);
            break;
        case level_command::read_once:
            m.done = logic_->read_once(m.thread, m.line, m.cycle);
            break;
        case level_command::write_once:
            m.done = logic_->write_once(m.thread, m.line, bytes_of(p), m.mask, m.cycle);
            break;
        case level_command::evict:
            logic_->evict(m.line, m.cycle);
            break;
        case level_command::flush:
            m.done = logic_->flush(m.thread, m.cycle);
            break;
        case level_command::completed:
            logic_->completed(m.thread, m.cycle);
            break;
        default:
            return false;
    }
    return true;
}

}  // namespace knc::cache
