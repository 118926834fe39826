#include <knc/core/retirement.h>

#include <utility>

#include <Zydis/Mnemonic.h>

#include <knc/core/issue_rules.h>
#include <knc/core/issue_steps.h>

namespace knc::core {

namespace {

bool is_iret(const isa::insn& i) {
    return i.mnemonic == ZYDIS_MNEMONIC_IRET || i.mnemonic == ZYDIS_MNEMONIC_IRETD ||
           i.mnemonic == ZYDIS_MNEMONIC_IRETQ;
}

}  // namespace

retirement::retirement(const parameters& p, timeline& time, picker& pick,
                       cycle_accounting& accounting, load_store_unit& memory, pmi_path& pmi,
                       event_unit& events, pebs_unit& pebs, diagnostics_port& log)
    : parameters_(p),
      time_(time),
      picker_(pick),
      accounting_(accounting),
      memory_(memory),
      pmi_(pmi),
      events_(events),
      pebs_(pebs),
      log_(log) {}

void retirement::after(thread& t, const isa::insn& i, bool single_step) {
    const unsigned n = t.index();
    isa::context& c = t.context;
    c.unusual = false;
    t.devices.forget();
    // INTO that falls through has loaded no segment.
    const bool stayed = fell_through(c, i);
    if ((i.flags & (isa::insn_mode | isa::insn_serializing)) != 0 && !stayed) t.code.reset();
    const base::cycle_t held = accounting_.take_execute(n);
    // Cycles after this one. HLT halts its thread in them instead.
    const base::cycle_t busy = (i.flags & isa::insn_halt) != 0 ? 0 : held;
    base::cycle_t idle =
        accounting_.take_stall(n) + memory_.take_uncached_cycles(t);  // after the busy cycles
    const bool flush = (i.flags & isa::insn_segment_load) != 0 && !stayed;
    if (flush) ++c.events()[base::pipeline_flushes];
    if ((i.flags & isa::insn_microcode) != 0 &&
        (i.flags & (isa::insn_at_completion | isa::insn_halt)) == 0) {
        // Microcode refills the pipeline at its end. The last element of a REP string instruction
        // continues the one before, and the decoder has had time.
        if (t.in_string) {
            ++c.events()[base::fe_stalled];
            picker_.set_ready(n, time_.now() + 1);
        }
        accounting_.use_microcode(n, 1 + busy + set_up_cycles(t, i));
        accounting_.stall(n, idle);
        t.in_string = false;
    } else {
        if (flush) idle += parameters_.flush_cycles;
        accounting_.occupy(n, busy, idle);
        if ((i.flags & isa::insn_delay) != 0) events_.delay(t);
    }
    accounting_.follow_privilege(n, privilege_of(c));
    if ((t.observed & thread::observe_pebs) != 0) pebs_.retired(t);
    if (recorder_ != nullptr && is_iret(i)) record_return(t);
    if (t.sampled.held && is_iret(i)) pebs_.returned(t);
    // A trap ends a HLT at once; INIT has priority over a trap.
    if ((i.flags & isa::insn_tf_afterwards) != 0) single_step = (c.s.eflags & isa::flag_tf) != 0;
    const bool unstepped = std::exchange(c.unstepped, false);
    if (single_step) single_step = pebs_.steps(t, (i.flags & isa::insn_branch) != 0 && !stayed);
    if (const std::uint32_t met = due_conditions(t, single_step && !unstepped)) {
        if (!t.apic->init_pending()) debug_trap(t, met);
    } else if ((i.flags & isa::insn_halt) != 0) {
        if (t.assist_is_due())
            t.sampled.halts = true;
        else
            events_.halt(t);
    }
}

void retirement::not_retired(thread& t, std::uint64_t ip, isa::status st, const isa::insn* i) {
    isa::context& c = t.context;
    const std::uint64_t next_ip = c.s.r[isa::rip];
    const base::cycle_t busy = accounting_.take_execute(t.index());
    c.s.r[isa::rip] = ip;
    if (i != nullptr) pmi_.issues(t);
    if (t.observed != 0) observe_attempt(t, ip, st, i);
    c.unusual = false;
    switch (st) {
        case isa::status::blocked:
            // The cycles of earlier waits are added when the instruction ends.
            if (pentium_ != nullptr)
                i != nullptr ? pentium_->blocked(t, i) : pentium_->fetch_waits(t);
            c.uncached = c.debug_conditions = 0;
            c.unusual = c.held_conditions != 0;
            t.devices.restart();
            memory_.wait(t, busy);
            return;
        case isa::status::repeat:
            repeat(t, *i);
            return;
        default:
            t.devices.forget();
            c.debug_conditions = 0;
            if (c.fault.unsupported) {
                log_.unsupported(c.message);
                events_.shut_down(t, "an instruction the model does not execute");
                return;
            }
            events_.deliver(t, isa::event_kind::exception, c.fault, c.fault.trap ? next_ip : ip);
    }
}

// An element of a REP string instruction is complete; an interrupt may come now.
void retirement::repeat(thread& t, const isa::insn& i) {
    const unsigned n = t.index();
    isa::context& c = t.context;
    t.devices.forget();
    memory_.release(t);
    ++c.events()[base::exec_stage_cycles];
    c.events()[base::fe_stalled] += t.in_string;
    picker_.set_ready(n, time_.now() + 1);
    picker_.repeat();
    accounting_.use_microcode(n, i.clocks + set_up_cycles(t, i));
    accounting_.stall(n, accounting_.take_stall(n) + memory_.take_uncached_cycles(t));
    t.in_string = true;
    c.s.eflags |= isa::flag_rf;  // suppresses its instruction breakpoint for the following elements
    const bool single_step = (c.s.eflags & isa::flag_tf) != 0 && pebs_.steps(t, false);
    if (const std::uint32_t met = due_conditions(t, single_step)) debug_trap(t, met);
}

// Set-up cycles before the first element of a REP string instruction, also after an interrupt.
base::cycle_t retirement::set_up_cycles(const thread& t, const isa::insn& i) {
    return t.in_string ? 0 : issue_rule_at(i.rule).set_up;
}

// The DR6 bits of the trap that is due after an instruction. MOV SS and POP SS delay their own
// trap, but not that of an earlier instruction.
std::uint32_t retirement::due_conditions(thread& t, bool single_step) {
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

// The trap is the thread's next issue, after the cycles of the instruction.
void retirement::debug_trap(thread& t, std::uint32_t conditions) {
    pebs_.stepped(t);
    event_unit::post(t, isa::debug_trap(conditions), t.context.s.r[isa::rip]);
}

void retirement::observe(thread& t, std::uint64_t ip) {
    t.sampled.ip = ip;
    t.sampled.begun = false;
    observe_for(t, ip, false, false);
}

void retirement::observe_in_v(thread& t, std::uint64_t ip) {
    issued().in_v(ip, t.code.fetched());
    observe_for(t, ip, true, false);
    sample(t, ip, false);
}

void retirement::observe_in_u(thread& t, std::uint64_t ip, const isa::insn* v) {
    issued().in_u(t, ip, t.code.fetched());
    sample(t, ip, v != nullptr);
    observe_for(t, ip, false, v != nullptr && !t.context.unusual);
}

// PEBS may record the instruction. Its events are complete if another one is to follow in V, which
// then has to wait for the record; otherwise after() asks.
void retirement::sample(thread& t, std::uint64_t ip, bool v_follows) {
    if ((t.observed & thread::observe_pebs) == 0) return;
    t.sampled.ip = ip;
    if (!v_follows || pebs_.retired(t)) t.context.unusual = true;
}

// An attempt in V: the slot is that of the instruction in U.
void retirement::observe_attempt(const thread& t, std::uint64_t ip, isa::status st,
                                 const isa::insn* i) {
    using kind = issue_probe::kind;
    if (issued().slot_taken()) return;
    if (i == nullptr)
        issued().in_u(t, ip, kind::lost);
    else if (st == isa::status::repeat)
        issued().in_u(t, ip, i);
    else
        issued().in_u(t, ip, st == isa::status::blocked ? kind::blocked : kind::fault);
}

void retirement::observe_for(thread& t, std::uint64_t ip, bool in_v, bool pairs) {
    if (profile_ != nullptr)
        profile_->retired(t.index(), t.context, accounting_.privilege(t.index()), ip, t.code.start,
                          time_.now());
    pmi_.issues(t);
    if ((t.observed & thread::observe_recorder) != 0)
        recorder_->retired(t.number(core_),
                           {ip, t.code.start, in_v, accounting_.privilege(t.index())}, time_.now());
    if ((t.observed & thread::observe_debugger) != 0 &&
        (pairs || t.context.watched.has_outside_hit()))
        ask_debugger(t);
}

void retirement::record_return(const thread& t) {
    const isa::state& s = t.context.s;
    recorder_->handler_returns(t.number(core_), s.r[isa::rsp], s.cpl, time_.now());
}

// If the debugger has moved the thread, or written its page of code, the fetch of an instruction in
// V fails.
void retirement::ask_debugger(thread& t) {
    const std::uint64_t ip = t.context.s.r[isa::rip];
    debugger_->before_instruction(core_, t.index(), issue_place::second);
    if (t.context.s.r[isa::rip] != ip) t.code.forget_decoded();
}

}  // namespace knc::core
