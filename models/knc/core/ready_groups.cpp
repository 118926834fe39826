// The common case of issue: a thread with nothing else to do issues what a summary describes.
//
// It does exactly what issue_unit::issue() does, with fewer questions. Whether there is a summary
// depends on what the host has decoded, so no timing may depend on it.

#include <algorithm>

#include <knc/core/issue_steps.h>
#include <knc/core/issue_unit.h>
#include <knc/core/rooms.h>

namespace knc::core {

namespace {

using group = isa::static_group;

// Something comes before the thread's next instruction, watches it, or forbids it to pair; or its
// code is not 64-bit code, or its page is one of another mode or privilege level.
bool unusual(const thread& t) {
    const isa::context& c = t.context;
    constexpr std::uint32_t stepping = isa::flag_tf | isa::flag_rf;
    return (t.before | t.observed) != 0 || t.apic->pending() || c.interrupt_shadow || c.unusual ||
           (c.s.eflags & stepping) != 0 || c.watched.on_instructions() || !c.code_cacheable ||
           c.s.mode != isa::code_mode::bits64 || !fetch_unit::in_page_of_its_mode(t);
}

}  // namespace

void issue_unit::run(base::cycle_t until) {
    const bool ahead = rooms_.picking.several_ready();
    if (parameters_.counts_loads)
        ahead ? run_threads<true, true>(until) : run_threads<true, false>(until);
    else
        ahead ? run_threads<false, true>(until) : run_threads<false, false>(until);
}

template <bool loads, bool ahead>
void issue_unit::run_threads(base::cycle_t until) {
    timeline& time = rooms_.time;
    picker& picking = rooms_.picking;
    unsigned plain = plain_;
    unsigned n = picking.pick(time.now());
    for (;;) {
        thread& t = *rooms_.threads[n];
        ledger_.execution_stage = static_cast<std::uint8_t>(n);
        bool is_plain = (plain >> n & 1) != 0;
        for (;;) {
            if (__builtin_expect(!is_plain, 0)) {
                is_plain = !unusual(t);
                plain |= unsigned{is_plain} << n;
            }
            const ready_issue how = is_plain ? issue_ready<loads, ahead>(t, n) : ready_issue::none;
            if (__builtin_expect(how != ready_issue::plain, 0)) {
                if (how == ready_issue::none) issue<loads>(t);
                plain = 0;
                is_plain = false;
            }
            const base::cycle_t after = time.now() + 1;
            const base::cycle_t others = picking.first_ready_beside(n);
            const base::cycle_t next = picking.next_issue(n, others, after);
            if (__builtin_expect(next >= until || next >= time.next_event() || time.left(), 0)) {
                time.move_to(after);
                plain_ = plain;
                return;
            }
            time.move_to(next);
            if (others > next) {
                picking.pick_again();
                continue;
            }
            const unsigned picked = picking.pick(next);
            if (picked == n) continue;
            n = picked;
            break;
        }
    }
}

// The thread has issued.
inline void issue_unit::look_ahead(const thread& t, upcoming& x) const {
    const std::uint64_t ip = t.context.s.r[isa::rip];
    if (__builtin_expect(!t.code.in_same_page(ip), 0)) return;
    const isa::decode_cache::page& p = t.code.page();
    const unsigned k = p.find_ready(ip);
    if (__builtin_expect(k != 0, 1)) x.set(p.shared, k, ip, t.code.page_changes());
}

// The issue of a thread that is not unusual. What it does not find in a summary, or what has
// another end than an instruction that has executed, is left to the functions of issue().
template <bool loads, bool ahead>
__attribute__((always_inline)) inline issue_unit::ready_issue issue_unit::issue_ready(thread& t,
                                                                                      unsigned n) {
    isa::context& c = t.context;
    const std::uint64_t ip = c.s.r[isa::rip];  // the base of CS is 0
    upcoming alone;
    upcoming& x = ahead ? upcoming_[n] : alone;
    if (!ahead || __builtin_expect(x.ip != ip || x.page_changes != t.code.page_changes(), 0)) {
        const unsigned k = rooms_.fetch.index(t, ip);
        if (__builtin_expect(k == 0, 0)) return ready_issue::none;
        x.set(t.code.page().shared, k, ip, t.code.page_changes());
    }
    const group& g = *x.group;
    const isa::insn& u = *x.u;
    const unsigned properties = g.properties;

    rooms_.accounting.begin_issue(n);
    const std::uint64_t next_ip = ip + g.u_length;
    if (__builtin_expect(!rooms_.fetch.fetch_known(t, ip, g.u_length), 0)) {
        lose_fetch(t, ip);
        return ready_issue::unusual;
    }
    if (__builtin_expect(rooms_.results.address_waits(n, g.address), 0)) {
        interlock(t, u, g.v != 0 ? &x.instructions[g.v] : nullptr);
        return ready_issue::plain;
    }
    std::uint64_t u_la = 0;
    if (__builtin_expect((properties & group::both_access) != 0, 0)) u_la = access_of(c, u).la;
    c.s.r[isa::rip] = next_ip;
    const reads_before before(c.events());
    isa::status st;
    if (__builtin_expect((properties & group::u_several) != 0, 0))
        st = execute(c, u);
    else
        st = x.execute(c, u);
    if (__builtin_expect(st != isa::status::ok, 0)) {
        c.events()[base::fe_stalled] += st == isa::status::blocked;
        rooms_.retire.not_retired(t, ip, st, &u);
        return ready_issue::unusual;
    }
    base::event_row& row = c.events();
    ++row[base::instructions_executed];
    ++row[base::exec_stage_cycles];
    if constexpr (loads) count_load(t, row, before);
    ++t.retired;
    rooms_.memory.release(t);
    rooms_.picking.set_ready(n, rooms_.time.now() + parameters_.issue_interval);
    rooms_.results.wrote(n, g.u_written);
    unsigned cycles = g.u_cycles;
    ready_issue how = ready_issue::plain;
    if (g.v != 0 && !c.unusual && t.code.has_page() &&
        (((properties & group::v_in_block) != 0 && !t.code.buffer_is_empty()) ||
         rooms_.fetch.fetch_known_partner(t, ip, g.u_length, g.v_length))) {
        const isa::insn& v = x.instructions[g.v];
        std::uint64_t v_la = 0;
        if (__builtin_expect((properties & group::both_access) != 0, 0)) v_la = access_of(c, v).la;
        c.s.r[isa::rip] = next_ip + g.v_length;
        const reads_before before_v(row);
        if (__builtin_expect((properties & group::v_several) != 0, 0))
            st = execute(c, v);
        else
            st = v.execute(c, v);
        if (__builtin_expect(st == isa::status::ok, 1)) {
            ++row[base::instructions_executed];
            ++row[base::instructions_executed_v_pipe];
            if constexpr (loads) count_load(t, row, before_v);
            ++t.retired;
            rooms_.memory.release(t);
            rooms_.results.wrote(n, g.written);
            cycles = g.cycles;
            if ((properties & group::both_access) != 0)
                cycles += count_both_pipes(row, {u_la, u.size}, {v_la, v.size});
            if ((properties & group::v_branch) != 0) resolve_near_branch(t, v, next_ip, true);
        } else {
            issue_group both;
            both.u = &u;
            both.v = &v;
            how = ready_issue::unusual;
            if (!end_without_v(t, both, next_ip, st, cycles)) return how;
        }
    } else if ((properties & group::u_branch) != 0) {
        resolve_near_branch(t, u, ip, false);
    }
    if (__builtin_expect(c.unusual, 0)) {
        rooms_.accounting.add_execute(n, cycles - 1);
        rooms_.retire.after(t, u, false);
        return ready_issue::unusual;
    }
    if (cycles != 1 || rooms_.accounting.has_extra(n))
        rooms_.accounting.occupy(n, cycles - 1 + rooms_.accounting.take_execute(n),
                                 rooms_.accounting.take_stall(n));
    if constexpr (ahead) look_ahead(t, x);
    return how;
}

}  // namespace knc::core
