// One issue of one thread: an instruction in the U pipe and, where the rules allow, the next one in
// V.

#include <knc/core/core.h>

#include <algorithm>
#include <utility>

namespace knc::core {

namespace {

// Flags that give retirement more to do than counting.
constexpr std::uint32_t unusual_flags = isa::insn_microcode | isa::insn_segment_load |
                                        isa::insn_halt | isa::insn_delay | isa::insn_mode |
                                        isa::insn_serializing;
// Those that give it more to do before execution.
constexpr std::uint32_t early_flags =
    isa::insn_late | isa::insn_x87 | isa::insn_serializing | isa::insn_lock;
constexpr std::uint32_t memory_flags = isa::insn_reads | isa::insn_writes;

// An attempt at `i`; the accesses of one that is blocked do not count.
inline isa::status execute(isa::context& c, const isa::insn& i) {
    if (__builtin_expect((i.flags & isa::insn_several_accesses) == 0, 1)) return i.execute(c, i);
    c.begin_accesses();
    const isa::status st = i.execute(c, i);
    c.end_accesses(st != isa::status::blocked);
    return st;
}

// Whether `u` leaves more to do than counting; `flags`: those of it that do.
inline bool more_to_do(const thread& t, const isa::insn& u, std::uint32_t flags, bool single_step,
                       bool extra) {
    return (u.flags & flags) != 0 || t.context.unusual || single_step || extra;
}

}  // namespace

void core::issue(thread& t) {
    const unsigned n = t.index();
    isa::context& c = t.context;
    accounting_.begin_issue(n);
    const bool shadow = c.interrupt_shadow;
    ledger_.execution_stage = static_cast<std::uint8_t>(n);
    if (__builtin_expect(t.delivery.waiting, 0)) {
        deliver(t, t.delivery.kind, t.delivery.what, t.delivery.next_ip);
        return;
    }
    if (__builtin_expect(t.apic->pending(), 0) && take_event(t, shadow)) return;

    const std::uint64_t ip = c.s.r[isa::rip];
    const std::uint64_t la = c.linear(isa::cs, ip);
    isa::insn* u = fetch(t, la, shadow);
    if (__builtin_expect(u == nullptr, 0)) {
        if (t.walk_cycles != 0) {
            wait_for_translation(t);
        } else {
            c.events()[base::fe_stalled] += c.failure == isa::status::blocked;
            not_retired(t, ip, c.failure, nullptr);
        }
        return;
    }
    if (__builtin_expect(u->pairing == isa::insn_unknown, 0)) u = decide_pairing(t, u, la);
    // TF: a trap follows. RF: it has kept instruction breakpoints away and ends here.
    const std::uint32_t stepping = c.s.eflags & (isa::flag_tf | isa::flag_rf);
    // Behind STI and MOV SS exactly one instruction executes before an interrupt or a trap.
    const bool alone = stepping != 0 || shadow || c.watched.on_instructions();
    const isa::insn* v =
        u->pairing == isa::insn_paired && !alone ? t.code->find(la + u->length) : nullptr;
    if (v != nullptr && beyond_limit(c, ip + u->length, *v)) v = nullptr;
    if (__builtin_expect(scoreboard_.address_waits(n, u->address | (v != nullptr ? v->address : 0)),
                         0)) {
        interlock(t, *u, v);
        return;
    }
    unsigned x87_top = 0;
    if (__builtin_expect(((u->flags & early_flags) | stepping) != 0, 0)) {
        x87_top = c.s.x87.top();
        if ((u->flags & (isa::insn_serializing | isa::insn_lock)) != 0 && wait_for_writes(t, *u))
            return;
        if ((u->flags & isa::insn_x87) != 0 && wait_for_x87(t, *u)) return;
        c.s.eflags &= ~isa::flag_rf;
        if ((u->flags & isa::insn_late) != 0) {
            c.interrupt_shadow = false;
            begin_late(t, *u);
            return;
        }
    }

    const isa::insn* done_in_v = nullptr;
    const bool both_access =
        v != nullptr && (u->flags & memory_flags) != 0 && (v->flags & memory_flags) != 0;
    const data_access u_access = both_access ? access_of(c, *u) : data_access{};
    const std::uint64_t next_ip = (ip + u->length) & c.ip_mask;
    c.s.r[isa::rip] = next_ip;
    c.interrupt_shadow = false;
    const isa::status st = execute(c, *u);
    if (__builtin_expect(st != isa::status::ok, 0)) {
        if (st == isa::status::blocked) {
            ++c.events()[base::fe_stalled];
            c.interrupt_shadow = shadow;
            c.s.eflags |= stepping & isa::flag_rf;
        }
        not_retired(t, ip, st, u);
        return;
    }
    base::event_row& row = c.events();
    ++row[base::instructions_executed];
    ++row[base::exec_stage_cycles];
    if (__builtin_expect(t.known_to_caches, 0)) release_lines(t);
    picker_.set_ready(n, time_.now() + parameters_.issue_interval);
    scoreboard_.wrote(n, *u);
    count_retired(t, ip);
    unsigned clocks = u->clocks;
    // A store into this page of code voids what was decoded from it.
    if (v != nullptr && !c.unusual && t.code_tag != thread::no_code &&
        code_at_hand(t, la + u->length, v->length)) {
        t.fetch_paddr += u->length;
        request_code(t, la + u->length, v->length);
        const data_access v_access = both_access ? access_of(c, *v) : data_access{};
        c.s.r[isa::rip] = (next_ip + v->length) & c.ip_mask;
        const isa::status v_status = execute(c, *v);
        if (__builtin_expect(v_status == isa::status::ok, 1)) {
            ++row[base::instructions_executed];
            ++row[base::instructions_executed_v_pipe];
            scoreboard_.wrote_in_v(n, *v);
            done_in_v = v;
            if (__builtin_expect(t.known_to_caches, 0)) release_lines(t);
            count_retired(t, next_ip);
            clocks = u->pair_cycles;
            if (both_access) clocks += count_both_pipes(row, u_access, v_access);
            if ((v->flags & isa::insn_branch) != 0) resolve_branch(t, *v, next_ip, true);
        } else {
            // U has retired; the fault, or the wait, is that of the next instruction.
            if (v_status == isa::status::fault && !c.fault.unsupported) {
                // Delivered in the thread's next slot, when U has had its clocks.
                c.s.r[isa::rip] = next_ip;
                c.debug_conditions = 0;
                t.delivery = {true, isa::event_kind::exception, c.fault, next_ip};
            } else if (v_status != isa::status::repeat) {
                if ((u->flags & isa::insn_x87) != 0) keep_x87_results(t, *u, x87_top, done_in_v);
                accounting_.add_execute(n, clocks - 1);
                not_retired(t, next_ip, v_status, v);
                return;
            }
        }
    } else if ((u->flags & isa::insn_branch) != 0) {
        resolve_branch(t, *u, ip, false);
    }
    accounting_.add_execute(n, clocks - 1);
    const bool single_step = (stepping & isa::flag_tf) != 0;
    if (__builtin_expect(
            more_to_do(t, *u, unusual_flags | isa::insn_x87, single_step, accounting_.has_extra(n)),
            0)) {
        if ((u->flags & isa::insn_x87) != 0) {
            keep_x87_results(t, *u, x87_top, done_in_v);
            if (!more_to_do(t, *u, unusual_flags, single_step, accounting_.has_extra(n))) return;
        }
        after(t, *u, single_step);
    }
}

void core::count_retired(thread& t, std::uint64_t ip) {
    ++t.retired;
    if (__builtin_expect(t.observed != 0, 0)) observe(t, ip);
}

// Address generation needs a register the issue before this one wrote: the slot stays empty.
void core::interlock(thread& t, const isa::insn& u, const isa::insn* v) {
    base::event_row& row = t.context.events();
    row[base::pipeline_agi_stalls] += scoreboard_.address_waits(t.index(), u.address);
    if (v != nullptr)
        row[base::pipeline_agi_stalls] += scoreboard_.address_waits(t.index(), v->address);
    scoreboard_.forget_written(t.index());
    accounting_.lose_slot(t.index(), parameters_.agi_cycles);
}

// What serializes comes after the writes before it, what locks after those that only this orders.
// (The store buffer is emptied by its access.)
bool core::wait_for_writes(thread& t, const isa::insn& u) {
    if ((u.flags & isa::insn_serializing) == 0 && !t.weak_writes) return false;
    if (t.fence() == isa::status::ok) return false;
    ++t.context.events()[base::fe_stalled];
    wait(t, 0);
    return true;
}

// The unit is held, or a register that `u` reads has no value yet: the slot stays empty until then.
bool core::wait_for_x87(thread& t, const isa::insn& u) {
    const base::cycle_t start = scoreboard_.x87_start(t.index(), u, t.context.s.x87.top());
    if (start <= time_.now()) return false;
    accounting_.lose_slot(t.index(), start - time_.now());
    return true;
}

// The x87 instruction `u`, which began with TOP at `top`, has retired, and perhaps the FXCH `v`
// beside it. The result comes later by what the thread waits for memory.
void core::keep_x87_results(thread& t, const isa::insn& u, unsigned top, const isa::insn* v) {
    const base::cycle_t waits = accounting_.extra_stall(t.index()) +
                                base::cycle_t{parameters_.uncached_cycles} * t.context.uncached;
    scoreboard_.x87_issued(t.index(), u, top,
                           time_.now() + waits + issue_rule_at(u.rule).latency.clocks);
    if (v != nullptr) scoreboard_.x87_issued(t.index(), *v, t.context.s.x87.top(), 0);
}

// The data access of a pairable instruction, before it executes.
data_access core::access_of(const isa::context& c, const isa::insn& i) {
    if ((i.flags & isa::insn_stack) == 0) return {c.linear(i.seg, c.offset(i)), i.size};
    const bool down = (i.flags & isa::insn_writes) != 0;
    return {c.linear(isa::ss, c.s.r[isa::rsp] - (down ? i.size : 0)), i.size};
}

// Both instructions of a pair access memory: extra clocks if one bank has to serve both.
unsigned core::count_both_pipes(base::event_row& row, const data_access& u,
                                const data_access& v) const {
    ++row[base::memory_accesses_in_both_pipes];
    if (!banks_conflict(parameters_.banks, parameters_.bank_bytes, u, v)) return 0;
    ++row[base::bank_conflicts];
    return parameters_.bank_conflict_cycles;
}

// The branch of this issue is known: what the front end has fetched meanwhile may be wrong.
void core::resolve_branch(thread& t, const isa::insn& i, std::uint64_t ip, bool in_v) {
    base::event_row& row = t.context.events();
    ++row[base::branches];
    // What enters or leaves a handler, or loads CS, refetches in any case.
    if ((i.flags & (isa::insn_microcode | isa::insn_segment_load)) != 0) return;
    const std::uint64_t target = t.context.s.r[isa::rip];
    const bool conditional = (i.flags & isa::insn_conditional) != 0;
    const bool taken = !conditional || t.context.branch_taken;
    const branch_outcome o = t.branches.execute(ip, taken, target, conditional);
    if (o == branch_outcome::correct) return;
    ++row[base::pipeline_flushes];
    row[base::branches_mispredicted] += o == branch_outcome::mispredicted;
    accounting_.add_stall(t.index(), refill_cycles(parameters_.branch, o, conditional, in_v));
}

// What follows an issue beyond counting it; `i` is the instruction in U.
void core::after(thread& t, const isa::insn& i, bool single_step) {
    isa::context& c = t.context;
    c.unusual = false;
    t.forget_device_accesses();
    // INTO that falls through has loaded nothing.
    const bool fell_through = (i.flags & isa::insn_conditional) != 0 && !c.branch_taken;
    if ((i.flags & (isa::insn_mode | isa::insn_serializing)) != 0 && !fell_through) t.reset_fetch();
    const base::cycle_t held = accounting_.take_execute(t.index());
    // After this clock. HLT has its thread halted by then.
    const base::cycle_t busy = (i.flags & isa::insn_halt) != 0 ? 0 : held;
    base::cycle_t idle = accounting_.take_stall(t.index()) + uncached_cycles(t);  // after those
    const bool flush = (i.flags & isa::insn_segment_load) != 0 && !fell_through;
    if (flush) ++c.events()[base::pipeline_flushes];
    if ((i.flags & isa::insn_microcode) != 0 &&
        (i.flags & (isa::insn_late | isa::insn_halt)) == 0) {
        // Microcode refills the pipeline when it ends. The last element of a string goes on where
        // the one before ended, and the decoder has had time.
        if (t.in_string) {
            ++c.events()[base::fe_stalled];
            picker_.set_ready(t.index(), time_.now() + 1);
        }
        accounting_.use_microcode(t.index(), 1 + busy + set_up_cycles(t, i));
        accounting_.stall(t.index(), idle);
        t.in_string = false;
    } else {
        if (flush) idle += parameters_.flush_cycles;
        accounting_.occupy(t.index(), busy, idle);
        if ((i.flags & isa::insn_delay) != 0) delay(t);
    }
    accounting_.follow_privilege(t.index(), privilege_of(c.s));
    // A trap ends a HLT at once; INIT comes before a trap.
    if ((i.flags & isa::insn_tf_afterwards) != 0) single_step = (c.s.eflags & isa::flag_tf) != 0;
    const bool unstepped = std::exchange(c.unstepped, false);
    if (const std::uint32_t met = due_conditions(t, single_step && !unstepped)) {
        if (!t.apic->init_pending()) debug_trap(t, met);
    } else if ((i.flags & isa::insn_halt) != 0) {
        halt(t);
    }
}

// Before the first element of a REP string instruction, also when an interrupt came in between.
base::cycle_t core::set_up_cycles(const thread& t, const isa::insn& i) {
    return t.in_string ? 0 : issue_rule_at(i.rule).set_up;
}

// `i` at `ip` did not end, or not with status::ok.
void core::not_retired(thread& t, std::uint64_t ip, isa::status st, const isa::insn* i) {
    isa::context& c = t.context;
    const std::uint64_t next_ip = c.s.r[isa::rip];
    const base::cycle_t busy = accounting_.take_execute(t.index());
    c.s.r[isa::rip] = ip;
    if (i != nullptr) handler_issues(t);
    c.unusual = false;
    switch (st) {
        case isa::status::blocked:
            // What it has waited for so far is added when it ends.
            c.uncached = c.debug_conditions = 0;
            c.unusual = c.held_conditions != 0;
            t.replay_device_accesses();
            wait(t, busy);
            return;
        case isa::status::repeat:
            // One element of a string, and time for an interrupt.
            t.forget_device_accesses();
            if (t.known_to_caches) release_lines(t);
            ++c.events()[base::exec_stage_cycles];
            c.events()[base::fe_stalled] += t.in_string;
            picker_.set_ready(t.index(), time_.now() + 1);
            picker_.repeat();
            accounting_.use_microcode(t.index(), i->clocks + set_up_cycles(t, *i));
            accounting_.stall(t.index(), accounting_.take_stall(t.index()) + uncached_cycles(t));
            t.in_string = true;
            c.s.eflags |= isa::flag_rf;  // its breakpoint is not that of its further elements
            if (const std::uint32_t met = due_conditions(t, (c.s.eflags & isa::flag_tf) != 0))
                debug_trap(t, met);
            return;
        default:
            t.forget_device_accesses();
            c.debug_conditions = 0;
            if (c.fault.unsupported) {
                outside_.unsupported(c.message);
                shut_down(t, "an instruction the model does not execute");
                return;
            }
            deliver(t, isa::event_kind::exception, c.fault, c.fault.trap ? next_ip : ip);
    }
}

// Until device_done(), or until a line is there: the thread holds its instruction. The one before
// it in the same issue has `busy` clocks to go.
void core::wait(thread& t, base::cycle_t busy) {
    const base::cycle_t ready = std::exchange(t.line_ready, base::never);
    t.waits_for_line = ready == base::never && !t.waits_for_device();
    accounting_.wait(t.index(), busy, ready);
}

// The code TLB did not have the page: the slot stays empty, the thread tries again after the walk.
void core::wait_for_translation(thread& t) {
    accounting_.lose_slot(t.index(), std::exchange(t.walk_cycles, 0));
}

}  // namespace knc::core
