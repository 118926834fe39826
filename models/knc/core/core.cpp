#include <knc/core/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <knc/core/pipeline_signals.h>
#include <knc/core/rooms.h>
#include <knc/isa/msr.h>

namespace knc::core {

namespace {

// Checks the parameters before any member uses them.
const parameters& possible(const parameters& p) {
    const std::string why = impossible(p);
    if (!why.empty()) SC_REPORT_FATAL("core", fmt::format("parameter {}", why).c_str());
    return p;
}

// Receives nothing, and nothing comes from it.
std::unique_ptr<apic::local_apic> make_no_apic() {
    static struct : apic::bus {
        void send(const apic::interrupt_message&, base::cycle_t) override {}
        void eoi_broadcast(std::uint8_t, base::cycle_t) override {}
    } nowhere;
    return std::make_unique<apic::local_apic>(apic::parameters{}, 0, false, nowhere);
}

// Something has changed that may interrupt or wake a thread.
void poll_and_plan(rooms& r) {
    r.events.poll();
    r.issue.look_again();
    r.plan.plan();
}

}  // namespace

core::core(sc_core::sc_module_name name, std::uint16_t index, const parameters& p, isa::profile set,
           std::uint32_t signature, base::ledger& ledger, isa::code_map& code)
    : sc_module(name),
      apic_page("apic_page", possible(p).threads),
      apics("apics", p.threads),
      index_(index),
      profile_set_(set),
      signature_(signature),
      parameters_(p),
      ledger_(ledger),
      rooms_(std::make_unique<rooms>(index, parameters_, ledger, code, devices, diagnostics, memory,
                                     msr)),
      time_(rooms_->time),
      threads_(rooms_->threads),
      no_apic_(make_no_apic()),
      pipeline_signals_(std::make_unique<pipeline_signals>(*rooms_)) {
    rooms_->accounting.count_each_thread(parameters_.reference_divider);
    for (std::size_t t = 0; t < threads; ++t) {
        if (t < parameters_.threads)
            rooms_->memory.connect_apic(static_cast<unsigned>(t), apic_page[t]);
        threads_[t] = make_thread(t);
    }
    pmi.bind(*this);
    messages.bind(*this);
    l1_client.bind(rooms_->memory);
    device_answers.bind(*this);
}

core::~core() = default;

std::unique_ptr<thread> core::make_thread(std::size_t n) {
    auto t =
        std::make_unique<thread>(static_cast<unsigned>(n), profile_set_,
                                 environment_rooms{rooms_->memory, rooms_->translations,
                                                   rooms_->registers, rooms_->fetch, diagnostics},
                                 parameters_.branch);
    isa::context& c = t->context;
    c.count_in(ledger_.counts[n][base::supervisor]);
    c.vector_access = &ledger_.vector_access[n];
    c.signature = signature_;
    c.announce_sse = parameters_.announce_sse;
    c.perfmon_version = parameters_.perfmon_version;
    c.debug_store = parameters_.debug_store;
    c.cache_monitoring = parameters_.cache_monitoring;
    isa::reset(c.s, signature_);
    c.watched.watch_from_outside(watched_data_);
    c.flush_translations();
    c.update_mode();
    if (n == 0 && rooms_->pentium) rooms_->pentium->watch(c);
    rooms_->memory.prepare(c);
    return t;
}

void core::reset() {
    settle_to(time_.now());
    if (profile_) profile_->reset(time_.now());
    if (recorder_ != nullptr) recorder_->reset(index_, time_.now());
    for (std::size_t t = 0; t < threads; ++t) {
        const std::unique_ptr<thread> before = std::exchange(threads_[t], make_thread(t));
        threads_[t]->apic = before->apic;
        threads_[t]->retired = before->retired;
        threads_[t]->observed = before->observed & thread::observe_always;
        threads_[t]->before = before->before & thread::debugger_asks;
    }
    rooms_->accounting.reset();
    rooms_->due.reset();
    rooms_->picking.reset();
    rooms_->results.reset();
    rooms_->pmi.reset();
    if (rooms_->pentium) rooms_->pentium->reset();
    rooms_->fetch.reset();
    rooms_->issue.reset();
    rooms_->translations.reset();
    ledger_.execution_stage = 0;
    eventful_ = false;
    time_.disturb();
    time_.begin_run();
    rooms_->plan.plan();
}

void core::end_of_elaboration() {
    counters_ = &counters->counters();
    rooms_->registers.connect(*counters.operator->());
    rooms_->pebs.connect(*counters.operator->());
    if (rooms_->pentium) rooms_->pentium->connect(*counters.operator->());
    rooms_->plan.connect(*counters_, rooms_->pebs.present() ? &rooms_->pebs : nullptr);
    rooms_->functional.connect(*counters_);
    rooms_->memory.connect(*l1d.operator->());
    rooms_->fetch.connect(*l1i.operator->());
    for (std::size_t t = 0; t < threads; ++t) {
        const bool present = t < parameters_.threads;
        threads_[t]->apic = present ? &apics[t]->logic() : no_apic_.get();
        if (present) threads_[t]->apic->keep_attention_in(rooms_->due.apics[t]);
        rooms_->memory.prepare(threads_[t]->context);
    }
}

// A multi-socket does not transport before the start of simulation.
void core::start_of_simulation() {
    rooms_->memory.reach_memory();
}

void core::enable_caches() {
    for (auto& t : threads_) {
        isa::enable_caches(t->context.s);
        t->context.flush_translations();
    }
}

void core::boot(std::size_t t, std::uint32_t eip, std::uint32_t eax, std::uint32_t ebx) {
    boot(t, {eip, eax, ebx});
}

void core::boot(std::size_t t, const isa::entry_point& e) {
    thread& th = *threads_[t];
    isa::enter(th.context.s, e, th.context.signature);
    th.context.flush_translations();
    th.context.update_mode();
    th.code.reset();
    settle_to(time_.now());
    rooms_->events.commit_privilege(th);
    time_.disturb();
    if (th.state != run_state::running) rooms_->events.wake_up(th);
}

bool core::read_msr(std::size_t n, std::uint32_t number, std::uint64_t& value) {
    settle();
    const system_registers::from_outside access{rooms_->registers};
    return isa::read_msr(threads_[n]->context, number, value);
}

bool core::write_msr(std::size_t n, std::uint32_t number, std::uint64_t value) {
    thread& t = *threads_[n];
    settle();
    {
        const system_registers::from_outside access{rooms_->registers};
        if (!isa::write_msr(t.context, number, value)) return false;
    }
    // Memory types and EFER decide how code is fetched; the counters do not.
    if (isa::msrs().find(number).row != nullptr) t.code.reset();
    notify();
    return true;
}

void core::keep_profile(code_finder_if& f) {
    profile_ = std::make_unique<profile>(f);
    rooms_->retire.keep(*profile_);
    rooms_->events.keep(&*profile_);
    for (auto& t : threads_) t->observed |= thread::observe_profile;
    time_.disturb();
}

void core::attach(base::recorder_if& r, bool instructions) {
    recorder_ = &r;
    if (profile_) profile_->record(index_, r);
    rooms_->retire.record(index_, r);
    rooms_->events.record(r);
    rooms_->pmi.record(index_, r);
    rooms_->completion.record(index_, r);
    rooms_->memory.record(r);
    for (auto& t : threads_)
        if (instructions) t->observed |= thread::observe_recorder;
    time_.disturb();
}

void core::attach(debugger_if& d) {
    has_debugger_ = true;
    rooms_->issue.attach(index_, d);
    rooms_->retire.attach(index_, d);
}

void core::watch_data(const std::vector<isa::outside_watch>* w) {
    watched_data_ = w;
    for (auto& t : threads_) {
        t->context.watched.watch_from_outside(w);
        t->context.flush_translations();
    }
    time_.disturb();
}

// Devices may have answered a part of an instruction that waits.
bool core::move(std::size_t n, std::uint64_t ip) {
    thread& t = *threads_[n];
    if (rooms_->due.completes(t.index()) || t.delivery_is_due() || t.assist_is_due() ||
        t.in_string || t.devices.has_answers() || t.devices.waiting())
        return false;
    t.context.s.r[isa::rip] = ip & t.context.ip_mask;
    return true;
}

const skid_records& core::interrupts(std::size_t thread) const {
    return rooms_->pmi.records(thread);
}

const skid_statistics& core::skid(std::size_t thread) const {
    return rooms_->pmi.skid(thread);
}

std::uint64_t core::instructions() const {
    std::uint64_t n = 0;
    for (const auto& t : threads_) n += t->retired;
    return n;
}

base::cycle_t core::awake_cycles(std::size_t thread) const {
    return rooms_->accounting.awake_cycles(static_cast<unsigned>(thread));
}

void core::find_next_activity() const {
    const base::cycle_t pmu =
        counters_->settled() == time_.now() ? counters_->quiet_deadline() : counters_->deadline();
    const picker& p = rooms_->picking;
    const bool issues = !p.none_ready() && (mode_ == mode::timed || mode_ == mode::functional);
    base::cycle_t next = issues ? p.next_issue() : base::never;
    if (mode_ == mode::warming) next = rooms_->warming.next();
    if (counting()) next = std::min(next, pmu);
    time_.remember_activity(std::max(time_.now(), std::min(next, time_.due())));
}

void core::begin_run() {
    if (time_.take_disturbance()) rooms_->issue.look_again();
    time_.begin_run();
}

void core::run(base::cycle_t until) {
    run_on(until, true);
}

void core::run_to(base::cycle_t until) {
    while (time_.now() < until) run_on(until, false);
}

// `stops`: it ends after a cycle in which a message left the core. Where threads do not issue in
// time, it always does.
void core::run_on(base::cycle_t until, bool stops) {
    begin_run();
    if (__builtin_expect(mode_ == mode::timed, 1))
        run_timed(until, stops);
    else
        run_otherwise(until);
}

void core::run_timed(base::cycle_t until, bool stops) {
    rooms& r = *rooms_;
    while (r.time.now() < until) {
        if (r.time.left()) {
            if (stops) break;
            begin_run();
        }
        if (r.time.now() >= r.time.next_event()) {
            process_due_events();
            if (r.time.now() >= until) break;
        }
        const base::cycle_t next = r.picking.next_issue();
        if (next > r.time.now()) {
            // The caches' events in this cycle may have sent a message or caused an overflow, so
            // the cycle must pass alone.
            if (__builtin_expect(eventful_, 0)) {
                eventful_ = false;
                r.time.move_to(r.time.now() + 1);
                continue;
            }
            const base::cycle_t target = std::min(next, until);
            if (target > r.time.next_event()) {
                skip_to(target);
                continue;
            }
            r.time.move_to(target);
            if (target == until || target == r.time.next_event()) continue;
        }
        eventful_ = false;
        r.issue.run(until);
    }
    // find_next_activity() uses the later, quiet deadline only of settled counters. An overflow of
    // the last cycle may wake a thread.
    if (r.picking.none_ready() && counters_->deadline() < counters_->quiet_deadline()) {
        settle_to(r.time.now());
        look_at_counters();
    }
}

// No instruction issues in [now(), target), but an event is due in it. Skips as many cycles as
// possible without missing the event.
void core::skip_to(base::cycle_t target) {
    settle_to(time_.now());
    target = std::min({target, time_.due(), counters_->quiet_deadline()});
    if (counters_->per_cycle()) target = std::min(target, rooms_->accounting.next_change());
    time_.move_to(target);
    settle_to(target);
    look_at_counters();
}

// The counters have been settled. Without an overflow, only their next deadline has changed.
void core::look_at_counters() {
    if (std::exchange(line_changed_, false) || rooms_->pebs.present())
        poll_and_plan(*rooms_);
    else
        time_.plan(time_.due(), counters_->deadline());
}

void core::process_due_events() {
    begin_cycle();
    // Completing an instruction passes its last cycle, so the events of the next cycle are due too.
    if (rooms_->completion.complete_due()) {
        // An access that leaves the core then does so in a cycle that must pass alone.
        if (time_.left()) eventful_ = true;
        begin_cycle();
    }
    rooms_->issue.look_again();
    rooms_->plan.plan();
}

// Processes the events that are due at the beginning of this cycle.
void core::begin_cycle() {
    settle_to(time_.now());
    if (rooms_->accounting.privileges_change())
        for (auto& t : threads_)
            if (rooms_->accounting.privilege_due(t->index())) rooms_->events.commit_privilege(*t);
    if (!rooms_->pmi.idle() || rooms_->due.first_of_apics() <= time_.now()) {
        for (auto& t : threads_) {
            rooms_->pmi.deliver(t->index());
            t->apic->advance(time_.now());
        }
    }
    if (rooms_->memory.process_due_events()) eventful_ = true;
    rooms_->events.poll();
    if (rooms_->pebs.present()) rooms_->pebs.watch();
}

// Counts all cycles before `now`.
void core::settle_to(base::cycle_t now) {
    rooms_->accounting.settle(now);
    if (counting()) {
        counters_->settle(now);
        return;
    }
    if (mode_ == mode::warming) ledger_.counts = before_warming_;
    counters_->pass_over(now);
}

// What was planned stays right, unless an overflow came to light that interrupts.
void core::settle() {
    const auto rises = [this] {
        return std::accumulate(pmi_rises_.begin(), pmi_rises_.end(), std::uint64_t{0});
    };
    const std::uint64_t before = rises();
    time_.disturb();
    settle_to(time_.now());
    if (profile_ && counting()) profile_->settle(time_.now());
    if (rises() == before) return;
    poll_and_plan(*rooms_);
}

void core::notify() {
    time_.disturb();
    poll_and_plan(*rooms_);
}

void core::device_done(const device_request& answer, base::cycle_t at) {
    if (rooms_->memory.device_done(answer.thread, answer.ticket, answer.data, at)) time_.disturb();
}

void core::overflowed(std::size_t n, base::cycle_t at) {
    ++pmi_rises_[n];
    line_changed_ = true;
    rooms_->pmi.rise(static_cast<unsigned>(n), at);
}

void core::pin_changes(std::size_t, bool rises, base::cycle_t from) {
    line_changed_ = true;
    if (rises && pmu_wire.size() != 0) {
        pmu_wire->pin_rises(from);
        time_.leave();
    }
    if (!rises || parameters_.pmu_pins_to < 0) return;
    rooms_->pmi.pin_rises(static_cast<unsigned>(parameters_.pmu_pins_to), from);
    time_.due_at(from);
}

}  // namespace knc::core
