#include <knc/core/core.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace knc::core {

namespace {

// Before anything is made of them.
const parameters& possible(const parameters& p) {
    const std::string why = impossible(p);
    if (!why.empty()) SC_REPORT_FATAL("core", fmt::format("parameter {}", why).c_str());
    return p;
}

}  // namespace

core::core(sc_core::sc_module_name name, std::uint16_t index, const parameters& p, isa::profile set,
           std::uint32_t signature, base::ledger& ledger, isa::code_map& code, outside& out)
    : sc_module(name),
      index_(index),
      profile_set_(set),
      signature_(signature),
      parameters_(possible(p)),
      ledger_(ledger),
      code_map_(code),
      outside_(out),
      accounting_(ledger, time_, picker_),
      tlb_(p.tlb) {
    for (std::size_t t = 0; t < threads; ++t) {
        apic_page[t] = std::make_unique<tlm_utils::simple_initiator_socket<core>>(
            fmt::format("apic_page{}", t).c_str());
        threads_[t] = make_thread(t);
    }
    code_map_.attach(*this);
    extension_.core = index;
}

std::unique_ptr<thread> core::make_thread(std::size_t n) {
    auto t = std::make_unique<thread>(*this, static_cast<std::uint8_t>(n), profile_set_,
                                      parameters_.branch);
    isa::context& c = t->context;
    c.signature = signature_;
    isa::reset(c.s, signature_);
    c.flush_translations();
    c.update_mode();
    if (caches_ != nullptr) c.copies = time_.clock();
    return t;
}

void core::reset() {
    settle_to(time_.now());
    for (std::size_t t = 0; t < threads; ++t) {
        const std::unique_ptr<thread> before = std::exchange(threads_[t], make_thread(t));
        threads_[t]->apic = before->apic;
        threads_[t]->retired = before->retired;
        threads_[t]->observed = before->observed & thread::observe_profile;
        threads_[t]->skid = before->skid;
        threads_[t]->skid.abandon();
        threads_[t]->skid.forget_requests();
    }
    accounting_.reset();
    picker_.reset();
    scoreboard_.reset();
    ledger_.execution_stage = 0;
    eventful_ = next_known_ = false;
    time_.begin_run();
    decoded_ = {};
    tlb_.reset();
    plan_next_event();
}

void core::connect(pmu::core_if& p, const std::array<apic::local_apic*, threads>& apics) {
    pmu_port_ = &p;
    pmu_ = &p.counters();
    for (std::size_t t = 0; t < threads; ++t) threads_[t]->apic = apics[t];
    tlm::tlm_generic_payload request;
    request.set_command(tlm::TLM_READ_COMMAND);
    request.set_address(0);
    tlm::tlm_dmi dmi;
    const bool granted = memory->get_direct_mem_ptr(request, dmi) && dmi.is_read_write_allowed();
    if (!granted && caches_ == nullptr)
        SC_REPORT_FATAL("core", "the memory behind the core grants no direct access");
    // Refused, the answer still says how far the memory goes.
    ram_ = dmi.get_dmi_ptr();
    ram_size_ = dmi.get_end_address() + 1;
}

void core::enable_caches() {
    for (auto& t : threads_) {
        isa::enable_caches(t->context.s);
        t->context.flush_translations();
    }
}

void core::boot(std::size_t t, std::uint32_t eip, std::uint32_t eax, std::uint32_t ebx) {
    thread& th = *threads_[t];
    isa::state& s = th.context.s;
    isa::enter_flat_protected_mode(s, eip, th.context.signature);
    s.r[isa::rax] = eax;
    s.r[isa::rbx] = ebx;
    th.context.flush_translations();
    th.context.update_mode();
    th.reset_fetch();
    settle_to(time_.now());
    commit_privilege(th);
    next_known_ = false;
    if (th.state != run_state::running) wake_up(th);
}

void core::keep_profile(std::uint64_t lo, std::uint64_t hi) {
    profile_ = std::make_unique<profile>(lo, hi);
    for (auto& t : threads_) t->observed |= thread::observe_profile;
}

std::uint64_t core::instructions() const {
    std::uint64_t n = 0;
    for (const auto& t : threads_) n += t->retired;
    return n;
}

void core::find_next_activity() const {
    const base::cycle_t pmu =
        pmu_->settled() == time_.now() ? pmu_->quiet_deadline() : pmu_->deadline();
    const base::cycle_t issue = picker_.none_ready() ? base::never : picker_.next_issue();
    next_activity_ = std::max(time_.now(), std::min({issue, time_.due(), pmu}));
    next_known_ = true;
}

void core::run(base::cycle_t until) {
    next_known_ = false;
    time_.begin_run();
    while (time_.now() < until && !time_.left()) {
        if (time_.now() >= time_.next_event()) {
            process_due_events();
            if (time_.now() >= until) break;
        }
        const base::cycle_t next = picker_.next_issue();
        if (next > time_.now()) {
            // What the caches did may have left the core, or be the last an overflow waits for.
            if (std::exchange(eventful_, false))
                time_.move_to(time_.now() + 1);
            else
                skip_to(std::min(next, until));
            continue;
        }
        eventful_ = false;
        issue(*threads_[picker_.pick(time_.now())]);
        time_.move_to(time_.now() + 1);
    }
    // Settled counters of a core at rest know that they are at rest.
    if (picker_.none_ready() && pmu_->deadline() < pmu_->quiet_deadline()) settle_to(time_.now());
}

// Nothing issues in [now, target): clocks pass, or as many of them as may pass unobserved.
void core::skip_to(base::cycle_t target) {
    if (target <= time_.next_event()) {
        time_.move_to(target);
        return;
    }
    settle_to(time_.now());
    target = std::min({target, time_.due(), pmu_->quiet_deadline()});
    if (pmu_->per_cycle()) target = std::min(target, accounting_.next_change());
    time_.move_to(target);
    settle_to(time_.now());
    poll_apics();
    plan_next_event();
}

void core::process_due_events() {
    begin_cycle();
    // The last clock of a late instruction passes: what is due in the next one is due, too.
    const base::cycle_t before = time_.now();
    for (auto& t : threads_)
        if (t->late && t->late_at <= time_.now()) complete_late(*t);
    if (time_.now() != before) begin_cycle();
    plan_next_event();
}

// Whatever is due at the beginning of this clock.
void core::begin_cycle() {
    settle_to(time_.now());
    for (auto& t : threads_)
        if (accounting_.privilege_due(t->index())) commit_privilege(*t);
    for (auto& t : threads_) {
        for (; !t->pmi_edges.empty() && t->pmi_edges.front().arrives <= time_.now();
             t->pmi_edges.pop_front())
            pmi_arrives(*t, t->pmi_edges.front());
        if (t->apic->next_event() <= time_.now()) t->apic->advance(time_.now());
    }
    if (caches_ != nullptr) run_caches();
    poll_apics();
}

void core::plan_next_event() {
    base::cycle_t due = accounting_.next_privilege();
    for (const auto& t : threads_) {
        if (t->late) due = std::min(due, t->late_at);
        if (!t->pmi_edges.empty()) due = std::min(due, t->pmi_edges.front().arrives);
        due = std::min(due, t->apic->next_event());
    }
    if (caches_ != nullptr) due = std::min(due, caches_->next_event());
    time_.plan(due, pmu_->deadline());
}

// Everything before `now` is counted.
void core::settle_to(base::cycle_t now) {
    accounting_.settle(now);
    pmu_->settle(now);
}

void core::settle() {
    next_known_ = false;
    settle_to(time_.now());
    poll_apics();
    plan_next_event();
}

// What `t` does counts at `level` from this cycle on.
void core::count_at(thread& t, base::privilege level) {
    t.context.count_in(accounting_.count_at(t.index(), level));
}

void core::commit_privilege(thread& t) {
    count_at(t, privilege_of(t.context.s));
}

void core::notify() {
    next_known_ = false;
    poll_apics();
    plan_next_event();
}

void core::device_done(const device_request& answer, base::cycle_t at) {
    thread& t = *threads_[answer.thread];
    if (!t.device_done(answer.ticket, answer.data)) return;
    accounting_.resume(answer.thread, at);
    next_known_ = false;
}

void core::code_marked(std::uint64_t paddr) {
    if (paddr >= ram_size_ || caches_ != nullptr) return;
    for (auto& t : threads_) t->context.forget_writes_to(paddr, ram_ + paddr);
}

void core::code_dropped(std::uint64_t page_number) {
    decoded_.drop(page_number);
    for (auto& t : threads_) {
        // With caches, the loss of a line voids what was fetched from it.
        if (caches_ != nullptr)
            t->forget_decoded();
        else
            t->reset_fetch();
    }
}

}  // namespace knc::core
