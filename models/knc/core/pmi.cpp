// Performance interrupts between the PMU and the first instruction of their handler: the way to the
// local APIC, and what the thread's skid is measured from.

#include <knc/core/core.h>

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

// The line rose because of clock `at` - 1. An instruction that is completing now, and has been
// counted ahead of its effect, is not retired yet.
void core::pmi(std::size_t n, base::cycle_t at) {
    thread& t = *threads_[n];
    const pmi_edge e{at - 1, at + parameters_.pmi_cycles, t.retired + t.counted};
    if (e.arrives == at)
        pmi_arrives(t, e);
    else
        t.pmi_edges.push_back(e);
}

void core::pmi_arrives(thread& t, const pmi_edge& e) {
    apic::local_apic& a = *t.apic;
    a.advance(e.arrives);
    const skid_meter::request r = request_of(a.peek(apic::reg::lvt_pmc, e.arrives));
    const bool before = stands(a, r);
    if (a.pmi(e.arrives)) t.skid.requested(r, before, e.overflow, e.retired, e.arrives);
}

// Event entry has ended; `as_asked`: at the handler of the event it began with.
void core::handler_entered(thread& t, bool as_asked) {
    if (!t.skid.entering()) return;
    t.skid.entered(as_asked);
    if (as_asked) t.observed |= thread::observe_handler;
}

// The thread executes an instruction in this clock: it may be the first of a handler.
void core::handler_issues(thread& t) {
    if ((t.observed & thread::observe_handler) == 0) return;
    t.skid.issued(time_.now());
    t.skid.resumed(t.context.s.r[isa::rip], t.context.s.r[isa::rsp]);
    if (!t.skid.due() && !t.skid.suspended()) t.observed &= thread::observe_profile;
}

// The instruction at `ip` has retired.
void core::observe(thread& t, std::uint64_t ip) {
    if (profile_ != nullptr) profile_->retired(t.index(), ledger_.at[t.index()], ip, time_.now());
    handler_issues(t);
}

}  // namespace knc::core
