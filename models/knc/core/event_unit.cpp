#include <knc/core/event_unit.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace knc::core {

bool event_unit::take(thread& t, bool shadow) {
    isa::context& c = t.context;
    if (t.apic->take_init()) {
        enter_init(t);
        return true;
    }
    if (shadow || t.devices.has_answers()) return false;
    isa::fault f;
    if (!c.nmi_blocked && t.apic->take_nmi()) {
        c.nmi_blocked = true;
        rooms_.pmi.nmi_taken(t);
        f.vector = isa::vector_nmi;
        deliver(t, isa::event_kind::nmi, f, c.s.r[isa::rip]);
        return true;
    }
    if ((c.s.eflags & isa::flag_if) != 0 && t.apic->interrupt_pending()) {
        f.vector = t.apic->acknowledge(rooms_.time.now());
        if (!t.apic->irr().test(f.vector)) rooms_.pmi.taken(t, f.vector);
        deliver(t, isa::event_kind::external_interrupt, f, c.s.r[isa::rip]);
        return true;
    }
    return false;
}

void event_unit::deliver(thread& t, isa::event_kind kind, const isa::fault& what,
                         std::uint64_t next_ip, bool again) {
    const unsigned n = t.index();
    isa::context& c = t.context;
    isa::fault f = what;
    const std::uint8_t from_cpl = c.s.cpl;
    if (kind == isa::event_kind::exception && f.vector == isa::vector_db)
        f.dr6 |= std::exchange(c.held_conditions, 0);
    t.end_delivery();
    t.in_string = false;
    rooms_.accounting.end_delay(n);
    rooms_.pmi.entry_begins(t);
    if (t.observed != 0 && !issued_.slot_taken())
        issued_.in_u(t, next_ip, issue_probe::kind::event);
    if (recorder_ != nullptr && !again) record_entry(t, kind, f, next_ip);
    c.failure = isa::status::ok;
    // The processor performs the entry itself, at CPL 0.
    count_at(t, base::supervisor);
    c.begin_accesses();
    const isa::delivery ended = isa::deliver(c, kind, f, next_ip);
    c.end_accesses(ended != isa::delivery::blocked);
    switch (ended) {
        case isa::delivery::done:
            t.devices.forget();
            rooms_.memory.release(t);
            rooms_.memory.send_combined(t);
            rooms_.pmi.entered(t, c.failure == isa::status::ok);
            if (pentium_ != nullptr) pentium_->entered(t, kind, f, from_cpl);
            rooms_.results.forget_written(n);
            ++c.events()[base::pipeline_flushes];
            t.code.reset();
            rooms_.picking.set_ready(n, rooms_.time.now() + parameters_.issue_interval);
            ++c.events()[base::exec_stage_cycles];
            rooms_.accounting.use_microcode(n, parameters_.event_entry_cycles);
            rooms_.accounting.stall(
                n, rooms_.accounting.take_stall(n) + rooms_.memory.take_uncached_cycles(t));
            rooms_.accounting.follow_privilege(n, privilege_of(c));
            // Breakpoints on data that the entry wrote, or the trap bit of a task, come before the
            // handler.
            c.debug_conditions |= std::exchange(c.held_conditions, 0);
            if (c.debug_conditions != 0)
                post(t, isa::debug_trap(std::exchange(c.debug_conditions, 0)), c.s.r[isa::rip]);
            c.unusual = false;
            break;
        case isa::delivery::shutdown:
            shut_down(t, "a fault during the delivery of a double fault");
            break;
        case isa::delivery::blocked:
            if (pentium_ != nullptr) pentium_->blocked(t, nullptr);
            t.deliver_next({kind, f, next_ip, true});
            c.uncached = c.debug_conditions = 0;
            t.devices.restart();
            ++c.events()[base::fe_stalled];
            rooms_.memory.wait(t, 0);
            break;
    }
    rooms_.plan.plan();
}

void event_unit::halt(thread& t) {
    rooms_.memory.send_combined(t);
    rooms_.accounting.halt(t.index(), rooms_.time.now() + parameters_.issue_interval);
    if (pentium_ != nullptr) pentium_->sleeps(true, rooms_.time.now() + 1);
    t.state = run_state::halted;
    changed(t, rooms_.time.now() + 1);
    if (profile_ != nullptr) profile_->halts(t.index(), rooms_.time.now() + 1);
    poll();
}

// DELAY: the thread does not issue for the requested cycles, or until it can accept an event.
void event_unit::delay(thread& t) {
    const base::cycle_t cycles =
        std::min(std::exchange(t.context.delay, 0), parameters_.delay_limit);
    if (!wakes(t)) rooms_.accounting.begin_delay(t.index(), cycles);
}

bool event_unit::wakes(const thread& t) {
    return t.apic->init_pending() || (!t.context.nmi_blocked && t.apic->nmi_pending()) ||
           ((t.context.s.eflags & isa::flag_if) != 0 && t.apic->interrupt_pending());
}

void event_unit::shut_down(thread& t, const char* why) {
    t.shutdown_reason = why;
    rooms_.log.warn(fmt::format("core {} thread {}: shutdown at {:#x} ({})", core_, t.index(),
                                t.context.s.r[isa::rip], why));
    sleep(t, run_state::shutdown, rooms_.time.now() + 1);
}

// The thread sleeps from cycle `from` on until an event wakes it.
void event_unit::sleep(thread& t, run_state s, base::cycle_t from) {
    if (pentium_ != nullptr) pentium_->sleeps(true, from);
    t.state = s;
    changed(t, from);
    rooms_.accounting.sleep(t.index(), from);
    if (profile_ != nullptr) profile_->stops(t.index(), from);
}

void event_unit::wake_up(thread& t) {
    if (pentium_ != nullptr) pentium_->sleeps(false, rooms_.time.now());
    t.state = run_state::running;
    changed(t, rooms_.time.now());
    rooms_.accounting.wake(t.index());
    if (profile_ != nullptr) profile_->wakes(t.index(), rooms_.time.now());
}

void event_unit::poll() {
    for (unsigned n = 0; n < base::threads_per_core; ++n) {
        if (!rooms_.due.apics[n].pending) continue;
        thread& t = *rooms_.threads[n];
        std::uint8_t vector = 0;
        switch (t.state) {
            case run_state::running:
                if (rooms_.accounting.delayed(t.index()) && wakes(t))
                    rooms_.accounting.end_delay(t.index());
                break;
            case run_state::halted:
                if (wakes(t)) wake_up(t);
                break;
            case run_state::shutdown:
                if (t.apic->take_init()) enter_init(t);
                break;
            case run_state::wait_for_sipi:
                if (t.apic->take_startup(vector)) enter_startup(t, vector);
                break;
        }
    }
}

void event_unit::count_at(thread& t, base::privilege level) {
    t.context.count_in(rooms_.accounting.count_at(t.index(), level));
}

void event_unit::commit_privilege(thread& t) {
    count_at(t, privilege_of(t.context));
}

// INIT: initialises the thread's architectural state; the thread then waits for a start-up IPI. The
// PMU keeps its state.
void event_unit::enter_init(thread& t) {
    const unsigned n = t.index();
    if (t.state == run_state::running) sleep(t, run_state::wait_for_sipi, rooms_.time.now());
    t.state = run_state::wait_for_sipi;
    changed(t, rooms_.time.now());
    if (profile_ != nullptr) profile_->stops(n, rooms_.time.now());
    rooms_.due.completions[n] = base::never;
    t.end_delivery();
    t.devices.forget();
    rooms_.accounting.take_execute(n);
    rooms_.accounting.take_stall(n);
    t.code.take_walk();
    t.lines.stop_waiting();
    rooms_.memory.release(t);
    t.in_string = false;
    rooms_.translations.flush(t, false);
    rooms_.pmi.abandon(t);
    rooms_.results.reset(n);
    isa::init(t.context.s, t.context.signature);
    t.context.flush_translations();
    t.context.update_mode();
    t.context.nmi_blocked = false;
    t.context.interrupt_shadow = false;
    t.context.uncached = t.context.debug_conditions = t.context.held_conditions = 0;
    t.apic->init_reset();
    commit_privilege(t);
    poll();
    rooms_.plan.plan();
}

void event_unit::changed(const thread& t, base::cycle_t from) const {
    if (recorder_ != nullptr) recorder_->state_changed(t.number(core_), t.state, from);
}

void event_unit::record_entry(const thread& t, isa::event_kind kind, const isa::fault& f,
                              std::uint64_t next_ip) const {
    using cause = base::event_entry::cause;
    base::event_entry e;
    e.why = kind == isa::event_kind::nmi                  ? cause::nmi
            : kind == isa::event_kind::external_interrupt ? cause::interrupt
                                                          : cause::exception;
    e.vector = f.vector;
    e.cpl = t.context.s.cpl;
    e.has_error_code = f.has_error;
    e.error_code = f.error;
    e.ip = next_ip;
    e.sp = t.context.s.r[isa::rsp];
    e.fault_address = f.address;
    recorder_->event_taken(t.number(core_), e, rooms_.time.now());
}

void event_unit::enter_startup(thread& t, std::uint8_t vector) {
    isa::state& s = t.context.s;
    s.seg[isa::cs].selector = static_cast<std::uint16_t>(vector << 8);
    s.seg[isa::cs].base = std::uint64_t{vector} << 12;
    s.r[isa::rip] = 0;
    t.context.update_mode();
    t.code.reset();
    wake_up(t);
}

}  // namespace knc::core
