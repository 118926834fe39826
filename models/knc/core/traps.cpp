// Exceptions, interrupts, INIT, start-up, halting and waking.

#include <knc/core/core.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace knc::core {

// The most urgent event waiting in the local APIC, if it can be taken between two instructions.
bool core::take_event(thread& t, bool shadow) {
    isa::context& c = t.context;
    if (t.apic->take_init()) {
        enter_init(t);
        return true;
    }
    if (shadow || t.has_answers()) return false;
    isa::fault f;
    if (!c.nmi_blocked && t.apic->take_nmi()) {
        c.nmi_blocked = true;
        t.skid.taken(skid_meter::nmi, t.retired, time_.now());
        f.vector = isa::vector_nmi;
        deliver(t, isa::event_kind::nmi, f, c.s.r[isa::rip]);
        return true;
    }
    if ((c.s.eflags & isa::flag_if) != 0 && t.apic->interrupt_pending()) {
        f.vector = t.apic->acknowledge(time_.now());
        if (!t.apic->irr().test(f.vector)) t.skid.taken(f.vector, t.retired, time_.now());
        deliver(t, isa::event_kind::external_interrupt, f, c.s.r[isa::rip]);
        return true;
    }
    return false;
}

void core::deliver(thread& t, isa::event_kind kind, const isa::fault& what, std::uint64_t next_ip) {
    isa::context& c = t.context;
    isa::fault f = what;
    if (kind == isa::event_kind::exception && f.vector == isa::vector_db)
        f.dr6 |= std::exchange(c.held_conditions, 0);
    t.delivery.waiting = false;
    t.in_string = false;
    accounting_.end_delay(t.index());
    t.skid.interrupted(c.s.r[isa::rip], c.s.r[isa::rsp]);
    c.failure = isa::status::ok;
    // The entry is the processor's own work, done at CPL 0.
    count_at(t, base::supervisor);
    c.begin_accesses();
    const isa::delivery ended = isa::deliver(c, kind, f, next_ip);
    c.end_accesses(ended != isa::delivery::blocked);
    switch (ended) {
        case isa::delivery::done:
            t.forget_device_accesses();
            if (t.known_to_caches) release_lines(t);
            send_combined(t);
            handler_entered(t, c.failure == isa::status::ok);
            scoreboard_.forget_written(t.index());
            ++c.events()[base::pipeline_flushes];
            t.reset_fetch();
            picker_.set_ready(t.index(), time_.now() + parameters_.issue_interval);
            ++c.events()[base::exec_stage_cycles];
            accounting_.use_microcode(t.index(), parameters_.event_entry_cycles);
            accounting_.stall(t.index(), accounting_.take_stall(t.index()) + uncached_cycles(t));
            accounting_.follow_privilege(t.index(), privilege_of(c.s));
            // Breakpoints on what the entry wrote, or the trap bit of a task: before the handler.
            c.debug_conditions |= std::exchange(c.held_conditions, 0);
            if (c.debug_conditions != 0) {
                t.delivery = {true, isa::event_kind::exception,
                              isa::debug_trap(std::exchange(c.debug_conditions, 0)),
                              c.s.r[isa::rip]};
            }
            c.unusual = false;
            break;
        case isa::delivery::shutdown:
            shut_down(t, "a fault during the delivery of a double fault");
            break;
        case isa::delivery::blocked:
            t.delivery = {true, kind, f, next_ip};
            c.uncached = c.debug_conditions = 0;
            t.replay_device_accesses();
            ++c.events()[base::fe_stalled];
            wait(t, 0);
            break;
    }
    plan_next_event();
}

// DR6 bits of the trap that is due behind an instruction. MOV SS and POP SS hold theirs back, but
// not those of one before.
std::uint32_t core::due_conditions(thread& t, bool single_step) {
    isa::context& c = t.context;
    const std::uint32_t earlier = std::exchange(c.held_conditions, 0);
    const std::uint32_t own = std::exchange(c.debug_conditions, 0);
    if (c.interrupt_shadow && c.debug_shadow) {
        c.held_conditions = own;
        c.unusual = own != 0;
        return earlier;
    }
    return earlier | own | (single_step ? isa::dr6_bs : 0);
}

// What the instruction, or event entry, spends on memory that may not be cached.
base::cycle_t core::uncached_cycles(thread& t) {
    return base::cycle_t{parameters_.uncached_cycles} * std::exchange(t.context.uncached, 0);
}

// Behind the clocks of the instruction: as the next issue of the thread.
void core::debug_trap(thread& t, std::uint32_t conditions) {
    t.delivery = {true, isa::event_kind::exception, isa::debug_trap(conditions),
                  t.context.s.r[isa::rip]};
}

void core::halt(thread& t) {
    send_combined(t);
    accounting_.halt(t.index(), time_.now() + parameters_.issue_interval);
    t.state = run_state::halted;
    poll_apics();
}

// DELAY: the thread does not issue for as many clocks as asked for, or until there is an event it
// can take.
void core::delay(thread& t) {
    const base::cycle_t clocks =
        std::min(std::exchange(t.context.delay, 0), parameters_.delay_limit);
    if (wakes(t)) return;
    accounting_.begin_delay(t.index(), clocks);
}

// The local APIC has something for `t` that ends HLT and DELAY.
bool core::wakes(const thread& t) {
    return t.apic->init_pending() || (!t.context.nmi_blocked && t.apic->nmi_pending()) ||
           ((t.context.s.eflags & isa::flag_if) != 0 && t.apic->interrupt_pending());
}

void core::shut_down(thread& t, const char* why) {
    t.shutdown_reason = why;
    outside_.warn(fmt::format("core {} thread {}: shutdown at {:#x} ({})", index_, t.index(),
                              t.context.s.r[isa::rip], why));
    sleep(t, run_state::shutdown, time_.now() + 1);
}

// From clock `from` on the thread does nothing until something wakes it.
void core::sleep(thread& t, run_state s, base::cycle_t from) {
    t.state = s;
    accounting_.sleep(t.index(), from);
}

void core::wake_up(thread& t) {
    t.state = run_state::running;
    accounting_.wake(t.index());
}

// Threads that do not run, or wait in DELAY, look for what wakes them; running ones look at each
// instruction boundary.
void core::poll_apics() {
    for (auto& p : threads_) {
        thread& t = *p;
        if (!t.apic->pending()) continue;
        std::uint8_t vector = 0;
        switch (t.state) {
            case run_state::running:
                if (accounting_.delayed(t.index()) && wakes(t)) accounting_.end_delay(t.index());
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

// INIT: the thread's architectural state is initialised and it waits for a start-up message. The
// PMU keeps all its state.
void core::enter_init(thread& t) {
    if (t.state == run_state::running) sleep(t, run_state::wait_for_sipi, time_.now());
    t.state = run_state::wait_for_sipi;
    t.late = false;
    t.delivery.waiting = false;
    t.forget_device_accesses();
    accounting_.take_execute(t.index());
    accounting_.take_stall(t.index());
    t.walk_cycles = 0;
    t.waits_for_line = false;
    t.line_ready = base::never;
    if (t.known_to_caches) release_lines(t);
    scoreboard_.reset(t.index());
    t.in_string = false;
    tlb_.flush(t.index(), false);
    t.skid.abandon();
    t.observed &= thread::observe_profile;
    isa::init(t.context.s, t.context.signature);
    t.context.flush_translations();
    t.context.update_mode();
    t.context.nmi_blocked = false;
    t.context.interrupt_shadow = false;
    t.context.uncached = t.context.debug_conditions = t.context.held_conditions = 0;
    t.apic->init_reset();
    commit_privilege(t);
    poll_apics();
    plan_next_event();
}

void core::enter_startup(thread& t, std::uint8_t vector) {
    isa::state& s = t.context.s;
    s.seg[isa::cs].selector = static_cast<std::uint16_t>(vector << 8);
    s.seg[isa::cs].base = std::uint64_t{vector} << 12;
    s.r[isa::rip] = 0;
    t.context.update_mode();
    t.reset_fetch();
    wake_up(t);
}

}  // namespace knc::core
