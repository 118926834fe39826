#include <knc/cache/l1d.h>

namespace knc::cache {

l1d::l1d(sc_core::sc_module_name name, const parameters& p, base::ledger& ledger, line_pins& pins,
         const base::clock& clock)
    : l1_module(name, p, ledger, pins, clock) {
    core.bind(*logic_);
    stores.bind(*logic_);
}

void l1d::connect() {
    link_.connect(l2_events.size() != 0 ? l2_events.operator->() : nullptr);
    logic_->connect(*client.operator->(), link_, *code.operator->());
}

void l1d::reset() {
    renew();
    connect();
}

bool l1d::execute(level_message& m, tlm::tlm_generic_payload& p) {
    switch (m.command) {
        case level_command::fill:
            logic_->fill(m.fill, m.cycle);
            return true;
        case level_command::read_complete:
            logic_->read_complete(m.line, bytes_of(p), m.cycle);
            return true;
        case level_command::write_complete:
            logic_->write_complete(m.line, m.cycle);
            return true;
        case level_command::take_back:
            m.done = logic_->take_back(m.line, p.get_data_ptr(), m.keep, m.cycle);
            return true;
        case level_command::write_owned:
            m.done = logic_->write_owned(m.line, p.get_data_ptr());
            return true;
        case level_command::retry:
            logic_->retry(m.cycle);
            return true;
        case level_command::filled:
            logic_->filled(m.cycle);
            return true;
        default:
            return false;
    }
}

}  // namespace knc::cache
