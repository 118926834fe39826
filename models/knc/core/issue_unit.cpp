#include <knc/core/issue_unit.h>

#include <algorithm>

#include <knc/core/issue_steps.h>
#include <knc/core/rooms.h>
#include <knc/isa/vector_insn.h>

namespace knc::core {

namespace {

// Flags of the instructions that need checks before execution.
constexpr std::uint32_t early_flags = isa::insn_at_completion | isa::insn_x87 |
                                      isa::insn_serializing | isa::insn_lock | isa::insn_vector |
                                      isa::insn_vector_partner | isa::insn_mmx |
                                      isa::insn_mmx_partner | isa::insn_pentium;
// Of the instruction in U: whether the group uses the registers of the x87 unit, and whether it has
// results that are available later.
constexpr std::uint32_t x87_unit_flags = isa::insn_x87 | isa::insn_mmx | isa::insn_mmx_partner;
constexpr std::uint32_t late_flags =
    x87_unit_flags | isa::insn_vector | isa::insn_vector_partner | isa::insn_pentium;
constexpr std::uint32_t memory_flags = isa::insn_reads | isa::insn_writes;

inline bool both_access(const issue_group& g) {
    return g.v != nullptr && (g.u->flags & memory_flags) != 0 && (g.v->flags & memory_flags) != 0;
}

// The vector register of an instruction that goes through the conversion stages.
inline isa::register_set converted(const isa::insn& i) {
    if ((i.flags & isa::insn_writes) != 0) return isa::vector_register_bit(i.reg);
    return (i.flags & isa::insn_reads) != 0 ? 0 : isa::vector_register_bit(i.rm);
}

}  // namespace

issue_unit::issue_unit(const parameters& p, base::ledger& l, rooms& r)
    : parameters_(p), ledger_(l), rooms_(r) {}

template <bool loads>
void issue_unit::issue(thread& t) {
    issue_group g;
    if (!form<loads>(t, g) || !begins(t, g)) return;
    const unsigned n = t.index();
    isa::context& c = t.context;
    const isa::insn& u = *g.u;
    const data_access u_access = both_access(g) ? access_of(c, u) : data_access{};
    c.s.r[isa::rip] = (g.ip + u.length) & c.ip_mask;
    c.interrupt_shadow = false;
    const reads_before before(c.events());
    if (loads && (t.observed & thread::observe_pebs) != 0) rooms_.pebs.begins(t, u);
    const isa::status st = execute(c, u);
    if (__builtin_expect(st != isa::status::ok, 0)) {
        if (st == isa::status::blocked) {
            ++c.events()[base::fe_stalled];
            c.interrupt_shadow = g.shadow;
            c.s.eflags |= g.stepping & isa::flag_rf;
        }
        rooms_.retire.not_retired(t, g.ip, st, &u);
        return;
    }
    base::event_row& row = c.events();
    ++row[base::instructions_executed];
    ++row[base::exec_stage_cycles];
    if constexpr (loads) count_load(t, row, before);
    rooms_.memory.release(t);
    rooms_.picking.set_ready(n, rooms_.time.now() + parameters_.issue_interval);
    rooms_.results.wrote(n, u);
    rooms_.retire.count_in_u(t, g.ip, g.v);
    unsigned cycles = u.clocks;
    // A store into this page of code has invalidated the decoded partner.
    if (g.v != nullptr && !c.unusual &&
        rooms_.fetch.fetch_partner(t, g.la + u.length, g.v->length, u.length)) {
        if (!execute_v<loads>(t, g, u_access, cycles)) return;
    } else if ((u.flags & isa::insn_branch) != 0) {
        resolve_branch(t, u, g.ip, false);
    }
    rooms_.accounting.add_execute(n, cycles - 1);
    finish(t, g);
}

void issue_unit::count_load(thread& t, base::event_row& row, const reads_before& before) {
    const bool loaded = before.loaded(row);
    if ((t.observed & thread::observe_pebs) != 0) rooms_.pebs.executed(t, loaded);
    if (!loaded) return;
    using source = base::data_source;
    const source from = ledger_.loaded[t.index()].from;
    if (from == source::l1) {
        ++row[base::loads_l1_hit];
        return;
    }
    if (from == source::line_under_way) {
        ++row[base::loads_fb_hit];
        return;
    }
    ++row[base::loads_l1_miss];
    row[base::loads_l2_hit] += from == source::l2;
    row[base::loads_l2_miss] += from > source::l2;
    row[base::loads_l3_hit] += from == source::l3;
    row[base::loads_l3_miss] += from == source::memory;
}

// Finds the instructions. Returns false if an event takes the slot, or if it stays empty.
template <bool loads>
inline bool issue_unit::form(thread& t, issue_group& g) {
    isa::context& c = t.context;
    rooms_.accounting.begin_issue(t.index());
    g.shadow = c.interrupt_shadow;
    ledger_.execution_stage = static_cast<std::uint8_t>(t.index());
    if (__builtin_expect(t.before != 0, 0)) {
        issue_after_all<loads>(t);
        return false;
    }
    if (__builtin_expect(t.apic->pending(), 0) && rooms_.events.take(t, g.shadow)) return false;

    g.ip = c.s.r[isa::rip];
    g.la = c.linear(isa::cs, g.ip);
    isa::insn* u = rooms_.fetch.fetch(t, g.la, g.shadow);
    if (__builtin_expect(u == nullptr, 0)) {
        lose_fetch(t, g.ip);
        return false;
    }
    if (__builtin_expect(u->pairing == isa::insn_unknown, 0))
        u = rooms_.fetch.decide_pairing(t, u, g.la);
    g.u = u;
    g.stepping = c.s.eflags & (isa::flag_tf | isa::flag_rf);
    // Exactly one instruction executes between STI or MOV SS and an interrupt or trap.
    const bool alone = g.stepping != 0 || g.shadow || c.watched.on_instructions();
    g.v = alone ? nullptr : rooms_.fetch.partner(t, *u, g.ip, g.la);
    return true;
}

// The record of the last instruction, or an event, takes the slot; or the debugger is asked, and
// then the thread issues.
template <bool loads>
void issue_unit::issue_after_all(thread& t) {
    if (loads && t.assist_is_due()) {
        rooms_.pebs.perform(t);
        return;
    }
    if (t.delivery_is_due()) {
        rooms_.events.deliver_pending(t);
        return;
    }
    if (t.apic->pending() && rooms_.events.take(t, t.context.interrupt_shadow)) return;
    debugger_->before_instruction(core_, t.index(), issue_place::first);
    t.before = 0;
    issue<loads>(t);
    t.ask_debugger((t.observed & thread::observe_debugger) != 0);
}

// Returns false if the group must wait, or if `u` executes at completion.
inline bool issue_unit::begins(thread& t, issue_group& g) {
    const isa::insn& u = *g.u;
    const std::uint32_t address = u.address | (g.v != nullptr ? g.v->address : 0);
    if (__builtin_expect(rooms_.results.address_waits(t.index(), address), 0)) {
        interlock(t, u, g.v);
        return false;
    }
    if (__builtin_expect(((u.flags & early_flags) | g.stepping) == 0, 1)) return true;
    g.x87_top = t.context.s.x87.top();
    if ((u.flags & (isa::insn_serializing | isa::insn_lock)) != 0 && waits_for_stores(t, u))
        return false;
    if ((u.flags & x87_unit_flags) != 0 && waits_for_x87_unit(t, g)) return false;
    if ((u.flags & (isa::insn_vector | isa::insn_vector_partner | isa::insn_pentium)) != 0 &&
        !begins_otherwise(t, g))
        return false;
    t.context.s.eflags &= ~isa::flag_rf;
    if ((u.flags & isa::insn_at_completion) == 0) return true;
    t.context.interrupt_shadow = false;
    rooms_.completion.begin(t, u);
    return false;
}

// `u` has retired. `cycles`: the execution stage cycles of the group. Returns false if the
// instruction in V waits; its wait has then started.
template <bool loads>
inline bool issue_unit::execute_v(thread& t, issue_group& g, const data_access& of_u,
                                  unsigned& cycles) {
    isa::context& c = t.context;
    const isa::insn& v = *g.v;
    const std::uint64_t ip = c.s.r[isa::rip];
    const bool both = both_access(g);
    const data_access of_v = both ? access_of(c, v) : data_access{};
    c.s.r[isa::rip] = (ip + v.length) & c.ip_mask;
    const reads_before before(c.events());
    if (loads && (t.observed & thread::observe_pebs) != 0) rooms_.pebs.begins(t, v);
    const isa::status st = execute(c, v);
    if (__builtin_expect(st == isa::status::ok, 1)) {
        base::event_row& row = c.events();
        if constexpr (loads) count_load(t, row, before);
        ++row[base::instructions_executed];
        ++row[base::instructions_executed_v_pipe];
        g.v_done = true;
        rooms_.results.wrote_in_v(t.index(), v);
        rooms_.memory.release(t);
        rooms_.retire.count_in_v(t, ip);
        cycles = g.u->pair_cycles;
        if (both)
            cycles += (g.u->flags & isa::insn_vector) != 0 ? count_vector_in_u(c, of_v)
                                                           : count_both_pipes(row, of_u, of_v);
        if ((v.flags & isa::insn_branch) != 0) resolve_branch(t, v, ip, true);
        return true;
    }
    return end_without_v(t, g, ip, st, cycles);
}

// `u` has retired, but the attempt of `v` at `ip` has ended with `st`, another status than ok.
bool issue_unit::end_without_v(thread& t, const issue_group& g, std::uint64_t ip, isa::status st,
                               unsigned cycles) {
    isa::context& c = t.context;
    // A fault or a wait belongs to the next instruction, not to `u`.
    if (st == isa::status::repeat) return true;
    if (st == isa::status::fault && !c.fault.unsupported) {
        // The thread's next slot delivers it, after the cycles of U.
        c.s.r[isa::rip] = ip;
        c.debug_conditions = 0;
        event_unit::post(t, c.fault, ip);
        return true;
    }
    if ((g.u->flags & late_flags) != 0) keep_results(t, *g.u, nullptr, g.x87_top);
    rooms_.accounting.add_execute(t.index(), cycles - 1);
    rooms_.retire.not_retired(t, ip, st, g.v);
    return false;
}

inline void issue_unit::finish(thread& t, const issue_group& g) {
    const unsigned n = t.index();
    const bool single_step = (g.stepping & isa::flag_tf) != 0;
    if ((g.u->flags & late_flags) != 0) keep_results(t, *g.u, g.v_done ? g.v : nullptr, g.x87_top);
    if ((g.u->flags & retirement::unusual_flags) != 0 || t.context.unusual || single_step)
        rooms_.retire.after(t, *g.u, single_step);
    else if (rooms_.accounting.has_extra(n))
        rooms_.accounting.occupy(n, rooms_.accounting.take_execute(n),
                                 rooms_.accounting.take_stall(n));
}

// The code TLB missed, and the thread repeats the fetch after the walk; or the fetch has failed or
// waits.
void issue_unit::lose_fetch(thread& t, std::uint64_t ip) {
    if (t.code.must_walk()) {
        const base::cycle_t cycles = t.code.take_walk();
        if (pentium_ != nullptr) pentium_->fetch_walks(t, cycles);
        rooms_.accounting.lose_slot(t.index(), cycles);
        return;
    }
    t.context.events()[base::fe_stalled] += t.context.failure == isa::status::blocked;
    rooms_.retire.not_retired(t, ip, t.context.failure, nullptr);
}

// Address generation needs a register that the preceding issue wrote: the slot stays empty.
void issue_unit::interlock(thread& t, const isa::insn& u, const isa::insn* v) {
    const unsigned n = t.index();
    base::event_row& row = t.context.events();
    row[base::pipeline_agi_stalls] += rooms_.results.address_waits(n, u.address);
    if (v != nullptr) row[base::pipeline_agi_stalls] += rooms_.results.address_waits(n, v->address);
    rooms_.results.forget_written(n);
    rooms_.accounting.lose_slot(n, parameters_.agi_cycles);
}

// A serializing instruction waits for all earlier stores, a locked one for weakly ordered stores.
// (Its own access empties the store buffer.)
bool issue_unit::waits_for_stores(thread& t, const isa::insn& u) {
    if ((u.flags & isa::insn_serializing) == 0 && !t.lines.weak_stores) return false;
    if (rooms_.memory.fence(t) == isa::status::ok) return false;
    ++t.context.events()[base::fe_stalled];
    rooms_.memory.wait(t, 0);
    return true;
}

// The x87 unit is occupied, or a register that the group reads there has no value yet: the slot
// stays empty.
bool issue_unit::waits_for_x87_unit(thread& t, const issue_group& g) {
    const scoreboard& r = rooms_.results;
    const unsigned n = t.index();
    const base::cycle_t start =
        (g.u->flags & isa::insn_x87) != 0
            ? r.x87_start(n, *g.u, g.x87_top)
            : std::max(r.mmx_start(n, *g.u), g.v != nullptr ? r.mmx_start(n, *g.v) : 0);
    if (start <= rooms_.time.now()) return false;
    if ((g.u->flags & isa::insn_pentium) != 0) pentium_->waits(t, *g.u, g.v, start);
    rooms_.accounting.lose_slot(t.index(), start - rooms_.time.now());
    return true;
}

// Returns false if the group must wait.
bool issue_unit::begins_otherwise(thread& t, issue_group& g) {
    if ((g.u->flags & isa::insn_pentium) == 0) return !waits_for_vectors(t, *g.u, g.v);
    const base::cycle_t now = rooms_.time.now(), ready = pentium_->decoded(t, *g.u, g.v);
    if (ready > now) {
        rooms_.accounting.lose_slot(t.index(), ready - now);
        return false;
    }
    pentium_->starts(t, *g.u, g.la);
    return true;
}

// A vector or mask register has no value yet: the slot stays empty. A gather's or scatter's index
// and mask form its addresses; its wait for them is an address generation interlock.
bool issue_unit::waits_for_vectors(thread& t, const isa::insn& u, const isa::insn* v) {
    const base::cycle_t now = rooms_.time.now();
    const std::uint32_t flags = u.flags | (v != nullptr ? v->flags : 0);
    const bool early = (flags & (isa::insn_converts | isa::insn_sparse)) != 0;
    if (!early && rooms_.results.vector(t.index()).all_ready() <= now) return false;
    const base::cycle_t of_u = vector_start(t, u);
    const base::cycle_t start = std::max(of_u, v != nullptr ? vector_start(t, *v) : 0);
    if (start <= now) return false;
    base::event_row& row = t.context.events();
    const bool sparse = (u.flags & isa::insn_sparse) != 0 && sparse_start(t, u) == start;
    ++row[sparse ? base::pipeline_sg_agi_stalls : base::vpu_stall_reg];
    rooms_.accounting.lose_slot(t.index(), start - now);
    return true;
}

// The first cycle in which the registers of a vector instruction permit its issue: those that it
// reads have values, and its own results come after earlier ones.
base::cycle_t issue_unit::vector_start(thread& t, const isa::insn& i) {
    if ((i.flags & isa::insn_vector) == 0) return 0;
    const vector_results& r = rooms_.results.vector(t.index());
    base::cycle_t start = r.ready(i.reads);
    if ((i.flags & isa::insn_converts) != 0)
        start = std::max(start, r.ready(converted(i)) + parameters_.vector_convert_cycles);
    if ((i.flags & isa::insn_sparse) != 0) start = std::max(start, sparse_start(t, i));
    const base::cycle_t latency = issue_rule_at(i.rule).latency.clocks;
    const base::cycle_t earlier = r.ready(i.writes);
    return earlier > latency ? std::max(start, earlier - latency) : start;
}

// The first cycle in which a gather's or scatter's index and mask permit its issue.
base::cycle_t issue_unit::sparse_start(thread& t, const isa::insn& i) {
    return rooms_.results.vector(t.index()).ready(isa::sparse_sources(i)) + parameters_.agi_cycles;
}

// `u` has retired, and perhaps `v` (nullptr: not).
void issue_unit::keep_results(thread& t, const isa::insn& u, const isa::insn* v, unsigned x87_top) {
    if ((u.flags & isa::insn_pentium) != 0) {
        pentium_->retired(t, u, false);
        if (v != nullptr) pentium_->retired(t, *v, true);
    }
    if ((u.flags & x87_unit_flags) != 0) {
        keep_x87_unit_results(t, u, x87_top, v);
        return;
    }
    base::event_row& row = t.context.events();
    if ((u.flags & isa::insn_vector) != 0) {
        ++row[base::vpu_instructions_executed];
        keep_vector_results(t, u);
    }
    if (v != nullptr && (v->flags & isa::insn_vector) != 0) {
        ++row[base::vpu_instructions_executed];
        ++row[base::vpu_instructions_executed_v_pipe];
        keep_vector_results(t, *v);
    }
}

// A wait for memory delays the results.
void issue_unit::keep_vector_results(thread& t, const isa::insn& i) {
    const base::cycle_t waits =
        rooms_.accounting.extra_stall(t.index()) + rooms_.memory.uncached_cycles(t);
    constexpr isa::register_set of_vectors = isa::vector_registers | isa::mask_registers;
    rooms_.results.vector(t.index()).write(
        i.writes & of_vectors, rooms_.time.now() + waits + issue_rule_at(i.rule).latency.clocks);
}

// The x87 instruction in U has retired, and perhaps an FXCH in V (`v`; nullptr: none); or a group
// with MMX instructions. A wait for memory delays the result.
void issue_unit::keep_x87_unit_results(thread& t, const isa::insn& u, unsigned top,
                                       const isa::insn* v) {
    if ((u.flags & isa::insn_x87) == 0) {
        keep_mmx_results(t, u);
        if (v != nullptr) keep_mmx_results(t, *v);
        return;
    }
    const unsigned n = t.index();
    const base::cycle_t waits = rooms_.accounting.extra_stall(n) + rooms_.memory.uncached_cycles(t);
    rooms_.results.x87_issued(n, u, top,
                              rooms_.time.now() + waits + issue_rule_at(u.rule).latency.clocks);
    if (v != nullptr) rooms_.results.x87_issued(n, *v, t.context.s.x87.top(), 0);
}

// `i` has retired; it may be no MMX instruction. A wait for memory delays the result.
void issue_unit::keep_mmx_results(thread& t, const isa::insn& i) {
    const base::cycle_t issued = rooms_.time.now() + rooms_.accounting.extra_stall(t.index()) +
                                 rooms_.memory.uncached_cycles(t);
    const base::cycle_t latency = issue_rule_at(i.rule).latency.clocks;
    rooms_.results.mmx_issued(t.index(), i, issued + latency,
                              issued + 1 + parameters_.mmx_to_x87_clocks);
}

// Both instructions of a pair access memory: extra cycles for a bank conflict.
unsigned issue_unit::count_both_pipes(base::event_row& row, const data_access& u,
                                      const data_access& v) const {
    ++row[base::memory_accesses_in_both_pipes];
    if (!banks_conflict(parameters_.banks, parameters_.bank_bytes, u, v)) return 0;
    ++row[base::bank_conflicts];
    return parameters_.bank_conflict_cycles;
}

// The same with a vector instruction in U, which may access nothing.
unsigned issue_unit::count_vector_in_u(isa::context& c, const data_access& v) const {
    if (c.vector_accessed.which == 0) return 0;
    base::event_row& row = c.events();
    ++row[base::memory_accesses_in_both_pipes];
    if (!vector_banks_conflict(parameters_.banks, parameters_.bank_bytes, c.vector_accessed, v))
        return 0;
    ++row[base::bank_conflicts];
    return parameters_.bank_conflict_cycles;
}

// The branch of this issue is resolved.
void issue_unit::resolve_branch(thread& t, const isa::insn& i, std::uint64_t ip, bool in_v) {
    if ((i.flags & (isa::insn_microcode | isa::insn_segment_load | isa::insn_pentium)) != 0)
        resolve_other_branch(t, i, ip, in_v);
    else
        resolve_near_branch(t, i, ip, in_v);
}

// An instruction that enters or leaves a handler, or loads CS, refetches in any case.
void issue_unit::resolve_other_branch(thread& t, const isa::insn& i, std::uint64_t ip, bool in_v) {
    if ((i.flags & isa::insn_pentium) == 0)
        ++t.context.events()[base::branches];
    else
        rooms_.accounting.add_stall(t.index(), pentium_->branch(t, i, ip, in_v));
}

// Instructions fetched after the branch are wrong.
void issue_unit::flush_pipeline(thread& t, branch_outcome o, bool conditional, bool in_v) {
    base::event_row& row = t.context.events();
    ++row[base::pipeline_flushes];
    ++row[base::branch_misses_retired];
    row[base::branches_mispredicted] += o == branch_outcome::mispredicted;
    rooms_.accounting.add_stall(t.index(), refill_cycles(parameters_.branch, o, conditional, in_v));
}

template void issue_unit::issue<false>(thread&);
template void issue_unit::issue<true>(thread&);

}  // namespace knc::core
