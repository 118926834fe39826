#include <knc/cache/l2.h>

#include <knc/cache/debug_access.h>

namespace knc::cache {

l2::l2(sc_core::sc_module_name name, std::uint8_t tile, const parameters& p,
       const coherence::address_hash& hash, base::ledger& ledger, line_pins& pins,
       const base::clock& clock)
    : l2_base(name, clock),
      network("network", clock, *this),
      tile_(tile),
      p_(p),
      hash_(hash),
      ledger_(ledger),
      pins_(pins) {
    reset();
    serve(*logic_);
}

void l2::reset() {
    knc::cache::network& self = *this;
    knc::cache::network& out = tagging_.ids != nullptr ? tagging_ : self;
    logic_.emplace(tile_, p_, hash_, ledger_, pins_, out);
    logic_->connect(to_data(), to_code());
    if (recorder_ != nullptr) logic_->attach(*recorder_);
}

void l2::receive(const coherence::message& m, base::cycle_t cycle) {
    if (logic_->only_frees(m) && client->rests_until(cycle)) {
        logic_->process_at_once(m, cycle);
        return;
    }
    logic_->receive(m, cycle);
    client->event_due(cycle);
}

void l2::view(const l1_data& above, coherence::debug_view& v) const {
    cache::view(above, *logic_, v);
}

}  // namespace knc::cache
