#include <knc/cache/l1i.h>

namespace knc::cache {

l1i::l1i(sc_core::sc_module_name name, const parameters& p, base::ledger& ledger, line_pins& pins,
         const base::clock& clock)
    : l1_module(name, p, ledger, pins, clock) {
    core.bind(*logic_);
    copies.bind(*logic_);
}

void l1i::reset() {
    renew();
    connect();
}

bool l1i::execute(level_message& m, tlm::tlm_generic_payload&) {
    switch (m.command) {
        case level_command::fill:
            logic_->fill(m.fill, m.cycle);
            return true;
        case level_command::drop:
            logic_->drop(m.line);
            return true;
        case level_command::retry:
            logic_->retry(m.cycle);
            return true;
        default:
            return false;
    }
}

}  // namespace knc::cache
