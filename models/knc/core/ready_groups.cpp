// The common case of issue: a thread with nothing else to do issues what a summary describes.
//
// It does exactly what issue_unit::issue() does, with fewer questions. Whether there is a summary
// depends on what the host has decoded, so no timing may depend on it.

#include <algorithm>

#include <knc/core/issue_steps.h>
#include <knc/core/issue_unit.h>

namespace knc::core {

namespace {

using group = isa::static_group;

// Something comes before the thread's next instruction, watches it, or forbids it to pair.
inline bool unusual(const thread& t) {
    const isa::context& c = t.context;
    constexpr std::uint32_t stepping = isa::flag_tf | isa::flag_rf;
    return (t.before | t.observed) != 0 || t.apic->pending() || c.interrupt_shadow || c.unusual ||
           (c.s.eflags & stepping) != 0 || c.watched.on_instructions() || !c.code_cacheable ||
           c.s.mode != isa::code_mode::bits64;
}

}  // namespace

// Bit n of plain_: the thread has been asked. The answer remains the same while only summaries
// issue: what changes it comes from other instructions, or ends the run.
void issue_unit::run(base::cycle_t until) {
    plain_ = 0;
    unsigned n = picker_.pick(time_.now());
    for (;;) {
        thread& t = *threads_[n];
        if ((plain_ >> n & 1) == 0 && !unusual(t)) plain_ |= 1u << n;
        if ((plain_ >> n & 1) == 0 || !issue_ready(t)) {
            issue(t);
            plain_ = 0;
        }
        const base::cycle_t after = time_.now() + 1;
        const base::cycle_t others = picker_.first_ready_beside(n);
        const base::cycle_t next = picker_.next_issue(n, others, after);
        if (next >= until || next >= time_.next_event() || time_.left()) {
            time_.move_to(after);
            return;
        }
        time_.move_to(next);
        if (others > next)
            picker_.pick_again();
        else
            n = picker_.pick(next);
    }
}

// Returns false if the issue needs more than a summary; nothing has happened then.
inline bool issue_unit::issue_ready(thread& t) {
    isa::context& c = t.context;
    const unsigned n = t.index();
    const std::uint64_t ip = c.s.r[isa::rip];  // the base of CS is 0
    const unsigned k = fetch_.index(t, ip);
    if (__builtin_expect(k == 0, 0)) return false;
    const isa::decode_cache::page& p = t.code.page();
    const group& g = p.groups[k];
    const isa::insn& u = p.instructions[k];
    if (__builtin_expect(!g.is(group::ready), 0)) return false;

    accounting_.begin_issue(n);
    ledger_.execution_stage = static_cast<std::uint8_t>(n);
    if (__builtin_expect(!fetch_.fetch_known(t, ip, g.u_length), 0)) {
        lose_fetch(t, ip);
        plain_ = 0;
        return true;
    }
    if (__builtin_expect(scoreboard_.address_waits(n, g.address), 0)) {
        interlock(t, u, g.v != 0 ? &p.instructions[g.v] : nullptr);
        return true;
    }
    const data_access u_access = g.is(group::both_access) ? access_of(c, u) : data_access{};
    c.s.r[isa::rip] = ip + g.u_length;
    const isa::status st = g.is(group::u_several) ? execute(c, u) : u.execute(c, u);
    if (__builtin_expect(st != isa::status::ok, 0)) {
        c.events()[base::fe_stalled] += st == isa::status::blocked;
        retirement_.not_retired(t, ip, st, &u);
        plain_ = 0;
        return true;
    }
    base::event_row& row = c.events();
    ++row[base::instructions_executed];
    ++row[base::exec_stage_cycles];
    memory_.release(t);
    picker_.set_ready(n, time_.now() + parameters_.issue_interval);
    scoreboard_.wrote(n, g.u_written);
    ++t.retired;
    unsigned cycles = g.u_cycles;
    if (g.v != 0 && !c.unusual &&
        fetch_.fetch_partner(t, ip + g.u_length, g.v_length, g.u_length)) {
        const isa::insn& v = p.instructions[g.v];
        const std::uint64_t v_ip = ip + g.u_length;
        const data_access v_access = g.is(group::both_access) ? access_of(c, v) : data_access{};
        c.s.r[isa::rip] = v_ip + g.v_length;
        const isa::status of_v = g.is(group::v_several) ? execute(c, v) : v.execute(c, v);
        if (__builtin_expect(of_v == isa::status::ok, 1)) {
            ++row[base::instructions_executed];
            ++row[base::instructions_executed_v_pipe];
            scoreboard_.wrote(n, g.written);
            memory_.release(t);
            ++t.retired;
            cycles = g.cycles;
            if (g.is(group::both_access)) cycles += count_both_pipes(row, u_access, v_access);
            if (g.is(group::v_branch)) resolve_branch(t, v, v_ip, true);
        } else {
            issue_group both;
            both.u = &u;
            both.v = &v;
            plain_ = 0;
            if (!end_without_v(t, both, v_ip, of_v, cycles)) return true;
        }
    } else if (g.is(group::u_branch)) {
        resolve_branch(t, u, ip, false);
    }
    if (__builtin_expect(c.unusual, 0)) {
        accounting_.add_execute(n, cycles - 1);
        retirement_.after(t, u, false);
        plain_ = 0;
    } else if (cycles != 1 || accounting_.has_extra(n)) {
        accounting_.occupy(n, cycles - 1 + accounting_.take_execute(n), accounting_.take_stall(n));
    }
    return true;
}

}  // namespace knc::core
