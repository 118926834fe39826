#include <knc/core/pentium_unit.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <Zydis/Mnemonic.h>

#include <knc/base/archive.h>
#include <knc/core/issue_steps.h>

namespace knc::core {

namespace {

bool has(const isa::insn& i, std::uint32_t flags) {
    return (i.flags & flags) != 0;
}

template <class Table>
bool among(const Table& t, const isa::insn& i) {
    return std::find(std::begin(t), std::end(t), i.mnemonic) != std::end(t);
}

constexpr std::uint16_t operations[] = {
    ZYDIS_MNEMONIC_FADD,   ZYDIS_MNEMONIC_FADDP,  ZYDIS_MNEMONIC_FIADD,  ZYDIS_MNEMONIC_FSUB,
    ZYDIS_MNEMONIC_FSUBP,  ZYDIS_MNEMONIC_FSUBR,  ZYDIS_MNEMONIC_FSUBRP, ZYDIS_MNEMONIC_FISUB,
    ZYDIS_MNEMONIC_FISUBR, ZYDIS_MNEMONIC_FMUL,   ZYDIS_MNEMONIC_FMULP,  ZYDIS_MNEMONIC_FIMUL,
    ZYDIS_MNEMONIC_FDIV,   ZYDIS_MNEMONIC_FDIVP,  ZYDIS_MNEMONIC_FDIVR,  ZYDIS_MNEMONIC_FDIVRP,
    ZYDIS_MNEMONIC_FIDIV,  ZYDIS_MNEMONIC_FIDIVR, ZYDIS_MNEMONIC_FPREM,  ZYDIS_MNEMONIC_FPREM1,
    ZYDIS_MNEMONIC_FSQRT,  ZYDIS_MNEMONIC_MUL,    ZYDIS_MNEMONIC_IMUL};
constexpr std::uint16_t transcendental[] = {
    ZYDIS_MNEMONIC_FSIN,   ZYDIS_MNEMONIC_FCOS,  ZYDIS_MNEMONIC_FSINCOS, ZYDIS_MNEMONIC_FPTAN,
    ZYDIS_MNEMONIC_FPATAN, ZYDIS_MNEMONIC_F2XM1, ZYDIS_MNEMONIC_FYL2X,   ZYDIS_MNEMONIC_FYL2XP1};
// Clocks of a transcendental instruction for each of its steps. Unverified.
constexpr unsigned step_clocks = 6;

constexpr std::uint16_t table_loads[] = {ZYDIS_MNEMONIC_LGDT, ZYDIS_MNEMONIC_LIDT,
                                         ZYDIS_MNEMONIC_LLDT, ZYDIS_MNEMONIC_LTR};
constexpr std::uint16_t verifications[] = {ZYDIS_MNEMONIC_VERR, ZYDIS_MNEMONIC_VERW};
constexpr std::uint16_t software_interrupts[] = {ZYDIS_MNEMONIC_INT, ZYDIS_MNEMONIC_INT1,
                                                 ZYDIS_MNEMONIC_INT3, ZYDIS_MNEMONIC_INTO};

std::uint64_t operations_of(const thread& t, const isa::insn& i) {
    constexpr unsigned prevent = isa::x87_ze | isa::x87_ie;
    if (has(i, isa::insn_x87) && (t.context.s.x87.raised & prevent) != 0) return 0;
    if (among(operations, i)) return 1;
    return among(transcendental, i) ? i.clocks / step_clocks : 0;
}

}  // namespace

pentium_unit::pentium_unit(const parameters& p, const timeline& time, cycle_accounting& accounting,
                           scoreboard& results)
    : parameters_(p), time_(time), accounting_(accounting), results_(results), branches_(p.branch) {
    accounting_.count_walks(base::p55c_walk);
}

void pentium_unit::watch(isa::context& c) {
    constexpr std::uint8_t of_applications = 3;
    c.count_accesses_in(accesses_);
    c.lowest_user = of_applications;
}

void pentium_unit::reset() {
    begin_anew();
    x87_was_last_ = false;
}

void pentium_unit::begin_anew() {
    branches_.reset();
    accesses_ = {};
    fifo_.restart(time_.now());
    redirects_.reset();
    is_return_ = waits_ = fetch_waited_ = false;
}

void pentium_unit::serialize(base::archive& a) {
    a(x87_was_last_);
}

// ---- the FIFO

base::cycle_t pentium_unit::decoded(thread& t, const isa::insn& u, const isa::insn*& v) {
    end_wait(t);
    const base::cycle_t now = time_.now();
    if (std::exchange(fetch_waited_, false)) fifo_.arrive(now);
    const base::cycle_t ready = fifo_.ready(u.prefixes);
    if (ready > now) {
        accounting_.count_during(t.index(), base::p55c_fifo_empty, now, ready);
        return ready;
    }
    // Behind a branch nobody knows what would have issued with it.
    if (v == nullptr && has(u, isa::insn_branch)) return now;
    if (fifo_.second_ready(u.prefixes, v != nullptr ? v->prefixes : 0) <= now) return now;
    ++t.context.events()[base::p55c_fifo_single];
    v = nullptr;
    return now;
}

void pentium_unit::fetch_waits(thread& t) {
    accesses_ = {};
    t.lines.waits_for = {};
    end_wait(t);
    fetch_waited_ = true;
    count_wait(t, base::p55c_fifo_empty, time_.now());
}

void pentium_unit::fetch_walks(thread& t, base::cycle_t cycles) {
    end_wait(t);
    fetch_waited_ = true;
    accounting_.count_during(t.index(), base::p55c_fifo_empty, time_.now(), time_.now() + cycles);
}

// The instruction has left the FIFO.
void pentium_unit::take(const isa::insn& i) {
    fifo_.take(i.prefixes, time_.now());
    if (!redirects_) return;
    if (*redirects_ == 0)
        fifo_.redirect();
    else
        fifo_.restart(*redirects_);
    redirects_.reset();
}

// A WRMSR may select what it would cause, so it counts before its effect.
void pentium_unit::starts(thread& t, const isa::insn& i, std::uint64_t la) {
    isa::context& c = t.context;
    end_wait(t);
    commit(c.events());
    la_ = la;
    cpl_ = c.s.cpl;
    is_return_ = i.mnemonic == ZYDIS_MNEMONIC_RET;
    t.lines.locked = has(i, isa::insn_lock);
    c.s.x87.raised = 0;
    if (has(i, isa::insn_at_completion) && has(i, isa::insn_serializing))
        count_taken(c.events(), false);
}

void pentium_unit::commit(base::event_row& row) {
    if (!accesses_.any()) return;
    row[base::p55c_misaligned] += accesses_.misaligned;
    row[base::p55c_mmx_misaligned] += accesses_.mmx_misaligned;
    row[base::p55c_io_cycles] += accesses_.io_cycles;
    row[base::p55c_uncached_reads] += accesses_.uncached_reads;
    row[base::p55c_uncached_writes] += accesses_.uncached_writes;
    row[base::p55c_write_hits] += accesses_.write_hits;
    row[base::data_read_miss_or_write_miss] += accesses_.write_misses;
    row[base::p55c_data_write_misses] += accesses_.write_misses;
    row[base::p55c_mmx_write_misses] += accesses_.mmx_write_misses;
    for (std::size_t n = 0; n < accesses_.matches.size(); ++n)
        row[base::p55c_match_dr0 + n] += accesses_.matches[n];
    accesses_ = {};
}

// A branch, or what counts as one, that is taken.
void pentium_unit::count_taken(base::event_row& row, bool flushes) {
    ++row[base::p55c_branches];
    ++row[base::p55c_taken];
    ++row[base::p55c_taken_or_hit];
    row[base::p55c_flushes] += flushes;
}

void pentium_unit::retired(thread& t, const isa::insn& i, bool in_v) {
    isa::context& c = t.context;
    base::event_row& row = c.events();
    is_return_ = false;
    take(i);
    if (!in_v) accesses_.instruction(c.s, la_);
    commit(row);
    count_unit(t, i, in_v);
    look_for_false_entry(t, i, in_v);
    row[base::p55c_flops] += operations_of(t, i);
    if (has(i, isa::insn_segment_load) && !fell_through(t.context, i))
        row[base::p55c_segment_loads] += c.s.cpl != cpl_ ? 2 : 1;
    if (among(table_loads, i)) ++row[base::p55c_segment_loads];
    if (has(i, isa::insn_branch | isa::insn_at_completion)) return;
    if (has(i, isa::insn_segment_load))
        count_taken(row, true);
    else if (has(i, isa::insn_serializing) || among(verifications, i))
        count_taken(row, false);
}

// The fetch has followed an entry of what is no branch any more.
void pentium_unit::look_for_false_entry(thread& t, const isa::insn& i, bool in_v) {
    const std::uint64_t at = std::exchange(la_, la_ + i.length);
    if (has(i, isa::insn_branch) || !branches_.false_entry(at)) return;
    base::event_row& row = t.context.events();
    ++row[base::p55c_false_entries];
    ++row[base::p55c_flushes];
    const std::uint32_t refill =
        refill_cycles(parameters_.branch, branch_outcome::mispredicted, true, in_v);
    flush(t, refill);
    accounting_.add_stall(t.index(), refill);
    fifo_.restart(*std::exchange(redirects_, {}));
}

// Of the units that share the x87 registers.
void pentium_unit::count_unit(thread& t, const isa::insn& i, bool in_v) {
    base::event_row& row = t.context.events();
    if (has(i, isa::insn_mmx)) {
        ++row[in_v ? base::p55c_mmx_v : base::p55c_mmx_u];
        row[base::p55c_emms] += i.mnemonic == ZYDIS_MNEMONIC_EMMS;
        row[base::p55c_transitions] += x87_was_last_;
        x87_was_last_ = false;
    } else if (has(i, isa::insn_x87)) {
        row[base::p55c_transitions] += !x87_was_last_;
        if (!x87_was_last_) results_.forget_products(t.index());
        x87_was_last_ = true;
    }
}

std::uint32_t pentium_unit::branch(thread& t, const isa::insn& i, std::uint64_t ip, bool in_v) {
    using kind = pentium_branches::kind;
    isa::context& c = t.context;
    base::event_row& row = c.events();
    ++row[base::branches];
    if (has(i, isa::insn_microcode | isa::insn_segment_load)) {
        const bool taken = !fell_through(t.context, i);
        if (taken)
            count_taken(row, !among(software_interrupts, i));
        else
            ++row[base::p55c_branches];
        // A far return has no prediction.
        row[base::p55c_returns] += i.mnemonic == ZYDIS_MNEMONIC_RET;
        row[base::p55c_returns_missed] += i.mnemonic == ZYDIS_MNEMONIC_RET;
        return 0;
    }
    pentium_branches::branch b{};
    b.what = has(i, isa::insn_conditional)       ? kind::conditional
             : i.mnemonic == ZYDIS_MNEMONIC_CALL ? kind::call
             : i.mnemonic == ZYDIS_MNEMONIC_RET  ? kind::ret
                                                 : kind::jump;
    b.taken = b.what != kind::conditional || c.branch_taken;
    b.ip = c.linear(isa::cs, ip);
    b.target = c.linear(isa::cs, c.s.r[isa::rip]);
    b.next = c.linear(isa::cs, ip + i.length);
    const pentium_branches::outcome o = branches_.execute(b);
    count_near(row, o, b.what, b.taken, in_v);
    if (!o.wrong) {
        if (b.taken) redirects_ = 0;
        return 0;
    }
    const std::uint32_t refill = refill_cycles(parameters_.branch, branch_outcome::mispredicted,
                                               b.what == kind::conditional, in_v);
    flush(t, refill);
    return refill;
}

// The pipeline is empty from the next cycle on, and full again after `refill` cycles, of which the
// first instruction spends the last two between D1 and its issue.
void pentium_unit::flush(thread& t, base::cycle_t refill) {
    constexpr base::cycle_t behind_fifo = 2;
    const base::cycle_t next = time_.now() + 1;
    redirects_ = next + refill;
    if (refill > behind_fifo)
        accounting_.count_during(t.index(), base::p55c_fifo_empty, next,
                                 next + refill - behind_fifo);
}

void pentium_unit::count_near(base::event_row& row, const pentium_branches::outcome& o,
                              pentium_branches::kind what, bool taken, bool in_v) {
    using kind = pentium_branches::kind;
    ++row[base::p55c_branches];
    row[base::p55c_btb_hits] += o.hit;
    row[base::p55c_taken] += taken;
    row[base::p55c_taken_or_hit] += taken || o.hit;
    row[base::p55c_predicted_taken] += o.predicted_taken && !taken;
    if (o.wrong) {
        ++row[base::p55c_flushes];
        ++row[base::p55c_wrong_branches];
        row[base::p55c_wrong_in_wb] += in_v && what == kind::conditional;
        ++row[base::pipeline_flushes];
        ++row[base::branch_misses_retired];
        row[base::branches_mispredicted] += o.hit;
    }
    if (what == kind::ret) {
        ++row[base::p55c_returns];
        row[base::p55c_returns_missed] += o.wrong;
        row[base::p55c_returns_predicted] += o.predicted_taken;
    }
    const kind counted = parameters_.rsb_event == rsb_event::overflow ? kind::call : kind::ret;
    row[base::p55c_rsb] += what == counted && o.stack_short;
}

void pentium_unit::entered(thread& t, isa::event_kind k, const isa::fault& what, std::uint8_t cpl) {
    end_wait(t);
    isa::context& c = t.context;
    base::event_row& row = c.events();
    const bool exception = k == isa::event_kind::exception;
    // An instruction that an enabled breakpoint keeps from its execution.
    if (exception && what.vector == isa::vector_db && !what.trap)
        for (std::size_t n = 0; n < accesses_.matches.size(); ++n)
            accesses_.matches[n] += what.dr6 >> n & 1;
    commit(row);
    count_taken(row, true);
    row[base::p55c_segment_loads] += c.s.cpl != cpl ? 2 : 1;
    row[base::p55c_interrupts] += !exception;
    fifo_.restart(time_.now());
    row[base::p55c_returns] += exception && is_return_;
    is_return_ = false;
}

void pentium_unit::waits(thread& t, const isa::insn& u, const isa::insn* v, base::cycle_t start) {
    end_wait(t);
    const unsigned n = t.index();
    if (has(u, isa::insn_x87)) {
        accounting_.count_during(n, base::p55c_x87_freeze, time_.now(), start);
        return;
    }
    // The one that keeps the pair back.
    const bool of_v = v != nullptr && results_.mmx_start(n, *v) == start;
    wait_of_mmx(n, of_v && results_.mmx_start(n, u) < start ? *v : u, start);
}

void pentium_unit::blocked(thread& t, const isa::insn* i) {
    accesses_ = {};
    const line_use::cause cause = std::exchange(t.lines.waits_for, {});
    end_wait(t);
    const base::cycle_t now = time_.now();
    if (cause.device != 0) count_wait(t, base::p55c_bus, cause.device);
    if (i == nullptr) return;
    const bool mmx = has(*i, isa::insn_mmx);
    const auto count = [&](base::event e, base::event of_mmx) {
        count_wait(t, e, now);
        if (mmx) count_wait(t, of_mmx, now);
    };
    if (cause.data) count(base::p55c_read_wait, base::p55c_mmx_read_wait);
    if (cause.store == cache::store_delay::buffers_full)
        count(base::p55c_full_wait, base::p55c_mmx_full_wait);
    if (cause.store == cache::store_delay::write_order)
        count(base::p55c_order_wait, base::p55c_mmx_order_wait);
}

// The clocks from `from` on count until the next attempt.
void pentium_unit::count_wait(thread& t, base::event e, base::cycle_t from) {
    waits_ = true;
    accounting_.count_during(t.index(), e, from, base::never);
}

void pentium_unit::end_wait(thread& t) {
    if (std::exchange(waits_, false)) accounting_.end_during(t.index());
}

// In this order: the x87 unit, a product, the clock that a store needs.
void pentium_unit::wait_of_mmx(unsigned t, const isa::insn& i, base::cycle_t start) {
    const scoreboard::mmx_wait w = results_.mmx_wait_of(t, i);
    const auto count = [&](base::event e, base::cycle_t from, base::cycle_t until) {
        from = std::max(from, time_.now());
        until = std::min(until, start);
        if (from < until) accounting_.count_during(t, e, from, until);
    };
    const base::cycle_t busy = std::max(w.unit, w.x87);
    count(base::p55c_x87_freeze, 0, busy);
    count(base::p55c_multiply_wait, busy, w.product);
    count(base::p55c_store_wait, std::max(busy, w.product), w.store);
}

}  // namespace knc::core
