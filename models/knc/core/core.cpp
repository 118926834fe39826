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
      tlb_(p.tlb) {
    for (std::size_t t = 0; t < threads; ++t) {
        apic_page[t] = std::make_unique<tlm_utils::simple_initiator_socket<core>>(
            fmt::format("apic_page{}", t).c_str());
        threads_[t] = make_thread(t);
    }
    ready_.fill(base::never);
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
    if (caches_ != nullptr) c.copies = &now_;
    return t;
}

void core::reset() {
    settle_to(now_);
    for (std::size_t t = 0; t < threads; ++t) {
        const std::unique_ptr<thread> before = std::exchange(threads_[t], make_thread(t));
        threads_[t]->apic = before->apic;
        threads_[t]->retired = before->retired;
        threads_[t]->observed = before->observed & thread::observe_profile;
        threads_[t]->skid = before->skid;
        threads_[t]->skid.abandon();
        threads_[t]->skid.forget_requests();
        pmu_->set_privilege(t, base::supervisor);
    }
    ready_.fill(base::never);
    awake_ = 0;
    pipe_until_ = x87_until_ = 0;
    last_ = threads - 1;
    ledger_.execution_stage = 0;
    repeats_ = eventful_ = left_core_ = next_known_ = false;
    decoded_ = {};
    tlb_.reset();
    set_attention();
}

void core::connect(pmu::unit& p, const std::array<apic::local_apic*, threads>& apics) {
    pmu_ = &p;
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
    settle_to(now_);
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

base::cycle_t core::earliest_issue() const {
    const base::cycle_t r =
        std::min(std::min(ready_[0], ready_[1]), std::min(ready_[2], ready_[3]));
    return std::max(r, pipe_until_);
}

void core::find_next_activity() const {
    const base::cycle_t pmu = pmu_->settled() == now_ ? pmu_->quiet_deadline() : pmu_->deadline();
    const base::cycle_t issue = *std::min_element(ready_.begin(), ready_.end()) == base::never
                                    ? base::never
                                    : earliest_issue();
    next_activity_ = std::max(now_, std::min({issue, due_, pmu}));
    next_known_ = true;
}

void core::run(base::cycle_t until) {
    left_core_ = next_known_ = false;
    while (now_ < until && !left_core_) {
        if (now_ >= attention_) {
            service();
            if (now_ >= until) break;
        }
        const base::cycle_t next = earliest_issue();
        if (next > now_) {
            // What the caches did may have left the core, or be the last an overflow waits for.
            if (std::exchange(eventful_, false))
                ++now_;
            else
                skip_to(std::min(next, until));
            continue;
        }
        eventful_ = false;
        unsigned t = last_;
        // Microcode of a repeated string instruction goes on before any other thread issues.
        if (!repeats_ || ready_[t] > now_) {
            do {
                t = (t + 1) % threads;
            } while (ready_[t] > now_);
        }
        repeats_ = false;
        issue(*threads_[t]);
        ++now_;
    }
    // Settled counters of a core at rest know that they are at rest.
    const bool resting = *std::min_element(ready_.begin(), ready_.end()) == base::never;
    if (resting && pmu_->deadline() < pmu_->quiet_deadline()) settle_to(now_);
}

// Nothing issues in [now_, target): clocks pass, or as many of them as may pass unobserved.
void core::skip_to(base::cycle_t target) {
    if (target <= attention_) {
        now_ = target;
        return;
    }
    settle_to(now_);
    target = std::min({target, due_, pmu_->quiet_deadline()});
    if (pmu_->per_cycle()) target = std::min(target, occupancy_change());
    now_ = target;
    settle_to(now_);
    poll_apics();
    set_attention();
}

void core::service() {
    attend();
    // The last clock of a late instruction passes: what is due in the next one is due, too.
    const base::cycle_t before = now_;
    for (auto& t : threads_)
        if (t->late && t->late_at <= now_) complete_late(*t);
    if (now_ != before) attend();
    set_attention();
}

// Whatever is due at the beginning of this clock.
void core::attend() {
    settle_to(now_);
    for (auto& t : threads_)
        if (t->privilege_pending && ready_[t->index()] <= now_) commit_privilege(*t);
    for (auto& t : threads_) {
        for (; !t->pmi_edges.empty() && t->pmi_edges.front().arrives <= now_;
             t->pmi_edges.pop_front())
            pmi_arrives(*t, t->pmi_edges.front());
        if (t->apic->next_event() <= now_) t->apic->advance(now_);
    }
    if (caches_ != nullptr) run_caches();
    poll_apics();
}

void core::set_attention() {
    due_ = base::never;
    for (const auto& t : threads_) {
        if (t->late) due_ = std::min(due_, t->late_at);
        if (t->privilege_pending) due_ = std::min(due_, ready_[t->index()]);
        if (!t->pmi_edges.empty()) due_ = std::min(due_, t->pmi_edges.front().arrives);
        due_ = std::min(due_, t->apic->next_event());
    }
    if (caches_ != nullptr) due_ = std::min(due_, caches_->next_event());
    attention_ = std::min(due_, pmu_->deadline());
}

void core::notify() {
    next_known_ = false;
    poll_apics();
    set_attention();
}

void core::device_done(const device_request& answer, base::cycle_t at) {
    thread& t = *threads_[answer.thread];
    if (!t.device_done(answer.ticket, answer.data)) return;
    ready_[answer.thread] = at;
    t.waits_until = at;
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
