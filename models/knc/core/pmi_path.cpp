#include <knc/core/pmi_path.h>

#include <algorithm>

#include <knc/apic/registers.h>
#include <knc/base/bits.h>

namespace knc::core {

namespace {

skid_meter::request request_of(std::uint32_t lvt_entry) {
    const auto mode = static_cast<apic::delivery_mode>(base::bits(lvt_entry, 10, 8));
    return mode == apic::delivery_mode::nmi ? skid_meter::nmi
                                            : static_cast<skid_meter::request>(lvt_entry & 0xff);
}

bool stands(const apic::local_apic& a, skid_meter::request r) {
    return r == skid_meter::nmi ? a.nmi_pending() : a.irr().test(static_cast<std::uint8_t>(r));
}

}  // namespace

void pmi_path::reset() {
    for (auto& e : edges_) e.clear();
    pin_edges_.clear();
    in_flight_ = 0;
    for (skid_meter& s : skid_) {
        s.abandon();
        s.forget_requests();
    }
    handler_due_ = 0;
}

// An instruction in its last cycle that was counted before its effect has not retired yet.
void pmi_path::rise(unsigned n, base::cycle_t at) {
    const thread& t = *threads_[n];
    if (recorder_ != nullptr) recorder_->pmi_raised(t.number(core_), at - 1);
    const edge e{at - 1, at + cycles_, t.retired + t.completing.counted};
    if (e.arrives == at) {
        arrives(t, e);
    } else {
        edges_[n].push_back(e);
        ++in_flight_;
    }
}

void pmi_path::pin_rises(unsigned lint, base::cycle_t at) {
    const auto later = std::find_if(pin_edges_.begin(), pin_edges_.end(),
                                    [at](const pin_edge& e) { return e.at > at; });
    pin_edges_.insert(later, {at, static_cast<std::uint8_t>(lint)});
    ++in_flight_;
}

void pmi_path::deliver(unsigned n) {
    for (; n == 0 && !pin_edges_.empty() && pin_edges_.front().at <= time_.now();
         pin_edges_.pop_front(), --in_flight_) {
        apic::local_apic& a = *threads_[n]->apic;
        a.lint(pin_edges_.front().lint, true, pin_edges_.front().at);
        a.lint(pin_edges_.front().lint, false, pin_edges_.front().at);
    }
    for (; !edges_[n].empty() && edges_[n].front().arrives <= time_.now();
         edges_[n].pop_front(), --in_flight_)
        arrives(*threads_[n], edges_[n].front());
}

base::cycle_t pmi_path::first_arrival() const {
    base::cycle_t c = pin_edges_.empty() ? base::never : pin_edges_.front().at;
    for (const auto& e : edges_)
        if (!e.empty()) c = std::min(c, e.front().arrives);
    return c;
}

void pmi_path::arrives(const thread& t, const edge& e) {
    apic::local_apic& a = *t.apic;
    a.advance(e.arrives);
    const std::uint32_t entry = a.peek(apic::reg::lvt_pmc, e.arrives);
    const skid_meter::request r = request_of(entry);
    const bool before = stands(a, r);
    const bool delivered = a.pmi(e.arrives);
    if (delivered) skid_[t.index()].requested(r, before, e.overflow, e.retired, e.arrives);
    if (recorder_ == nullptr) return;
    using fate = base::pmi_fate;
    recorder_->pmi_arrived(t.number(core_), entry,
                           !delivered ? fate::lost
                           : before   ? fate::merged
                                      : fate::requested,
                           e.arrives);
}

void pmi_path::taken(const thread& t, std::uint8_t vector) {
    skid_[t.index()].taken(vector, t.retired, time_.now());
}

void pmi_path::nmi_taken(const thread& t) {
    skid_[t.index()].taken(skid_meter::nmi, t.retired, time_.now());
}

void pmi_path::entry_begins(const thread& t) {
    skid_[t.index()].interrupted(t.context.s.r[isa::rip], t.context.s.r[isa::rsp]);
}

void pmi_path::entered(thread& t, bool as_asked) {
    skid_meter& s = skid_[t.index()];
    if (recorder_ != nullptr) {
        handler_due_ |= static_cast<std::uint8_t>(1u << t.index());
        t.observed |= thread::observe_handler;
    }
    if (!s.entering()) return;
    s.entered(as_asked);
    if (as_asked) t.observed |= thread::observe_handler;
}

void pmi_path::handler_issues(thread& t) {
    skid_meter& s = skid_[t.index()];
    if (recorder_ != nullptr) record_begin(t);
    s.issued(time_.now());
    s.resumed(t.context.s.r[isa::rip], t.context.s.r[isa::rsp]);
    if (!s.due() && !s.suspended()) t.observed &= thread::observe_always;
}

// A handler that another event has kept from its first instruction begins when that has returned.
void pmi_path::record_begin(const thread& t) {
    const auto due = static_cast<std::uint8_t>(1u << t.index());
    if ((handler_due_ & due) == 0 && !skid_[t.index()].due()) return;
    handler_due_ &= static_cast<std::uint8_t>(~due);
    recorder_->handler_begins(t.number(core_), time_.now());
}

void pmi_path::abandon(thread& t) {
    skid_[t.index()].abandon();
    handler_due_ &= static_cast<std::uint8_t>(~(1u << t.index()));
    t.observed &= thread::observe_always;
}

}  // namespace knc::core
