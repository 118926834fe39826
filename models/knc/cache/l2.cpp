#include <knc/cache/l2.h>

namespace knc::cache {

l2::l2(sc_core::sc_module_name name, std::uint8_t tile, const parameters& p,
       const coherence::address_hash& hash, base::ledger& ledger, line_pins& pins,
       l1_client_if& client, const base::clock& clock)
    : sc_module(name),
      network("network", clock, *this),
      tile_(tile),
      p_(p),
      hash_(hash),
      ledger_(ledger),
      pins_(pins),
      client_(client),
      to_data_(l1d),
      to_code_(l1i) {
    reset();
    events.bind(*logic_);
    l1d.bind(*this);
    l1i.bind(*this);
}

void l2::reset() {
    knc::cache::network& out = *this;
    logic_.emplace(tile_, p_, hash_, ledger_, pins_, out);
    logic_->connect(to_data_, to_code_);
}

void l2::receive(const coherence::message& m, base::cycle_t cycle) {
    logic_->receive(m, cycle);
    client_.event_due(cycle);
}

tlm::tlm_sync_enum l2::nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time&) {
    level_message* const m = phase == tlm::BEGIN_REQ ? message_of(p) : nullptr;
    if (m == nullptr) {
        p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    switch (m->command) {
        case level_command::access:
            m->answer = logic_->access(m->access, m->cycle);
            break;
        case level_command::prefetch:
            m->answer = logic_->prefetch(m->prefetch, m->cycle);
            break;
        case level_command::i_to_m:
            m->i_to_m = logic_->request_i_to_m(m->thread, m->line, m->cycle);
            break;
        case level_command::under_way:
            m->by = logic_->under_way(m->line);
            break;
        case level_command::write_back:
            logic_->write_back(m->line, bytes_of(p), m->evicted, m->cycle);
            break;
        case level_command::read_once:
            m->done = logic_->read_once(m->line, m->cycle);
            break;
        case level_command::write_once:
            m->done = logic_->write_once(m->line, bytes_of(p), m->mask, m->cycle);
            break;
        case level_command::evict:
            logic_->evict(m->line, m->cycle);
            break;
        case level_command::flush:
            m->done = logic_->flush(m->thread, m->cycle);
            break;
        case level_command::completed:
            logic_->completed(m->thread, m->cycle);
            break;
        default:
            p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
    return tlm::TLM_COMPLETED;
}

}  // namespace knc::cache
