#include <knc/core/functional_unit.h>

#include <algorithm>
#include <utility>

#include <knc/core/rooms.h>

namespace knc::core {

// ---- in and out

void functional_unit::enter(const functional_place& p, cache::l1d_if& l1d) {
    place_.emplace(p);
    if (l1d.keeps_copies()) {
        direct_.connect(p.memory, rooms_.memory, p.used);
        rooms_.memory.connect(direct_);
        rooms_.fetch.connect(direct_);
    }
    rooms_.memory.connect(&p.devices);
    rooms_.fetch.execute_functionally(true);
    if (p.used == nullptr) rooms_.translations.reset();
    using lookups = translation_unit::lookups;
    rooms_.translations.make(p.used != nullptr ? lookups::untimed : lookups::none);
    rooms_.accounting.freeze();
    rooms_.pebs.freeze(true);
    begin_anew();
    turn_ends_ = 0;
    rooms_.plan.plan();
}

void functional_unit::leave(cache::l1d_if& l1d, cache::l1i_if& l1i) {
    rooms_.accounting.thaw();
    counters_->pass_over(rooms_.time.now());
    rooms_.pebs.freeze(false);
    rooms_.memory.connect(l1d);
    rooms_.memory.connect(nullptr);
    rooms_.fetch.connect(l1i);
    rooms_.fetch.execute_functionally(false);
    rooms_.translations.make(translation_unit::lookups::timed);
    rooms_.results.reset();
    for (auto& t : rooms_.threads) t->branches.reset();
    begin_anew();
    place_.reset();
}

void functional_unit::begin_anew() {
    if (rooms_.pentium) rooms_.pentium->begin_anew();
    for (auto& t : rooms_.threads) {
        isa::context& c = t->context;
        rooms_.memory.prepare(c);
        c.flush_translations();
        t->code.reset();
        t->in_string = false;
        rooms_.events.commit_privilege(*t);
    }
}

// ---- turns

void functional_unit::run(base::cycle_t until) {
    thread* const t = choose();
    if (t == nullptr) {
        skip(until);
        return;
    }
    execute(*t, std::min({until, next_event(), turn_ends_}));
}

// What is due now has been processed.
base::cycle_t functional_unit::next_event() const {
    return std::max(rooms_.time.due(), rooms_.time.now() + 1);
}

// The thread whose turn it is, or the next one that is ready.
thread* functional_unit::choose() {
    const base::cycle_t now = rooms_.time.now();
    if (now < turn_ends_ && rooms_.picking.ready(last_) <= now) return &*rooms_.threads[last_];
    for (unsigned n = 0; n < base::threads_per_core; ++n) {
        last_ = (last_ + 1) % base::threads_per_core;
        if (rooms_.picking.ready(last_) > now) continue;
        turn_ends_ = now + place_->turn;
        // A granted line is used without a call; so each turn begins without grants.
        if (place_->used != nullptr) {
            rooms_.threads[last_]->context.flush_translations();
            noted_.fill(0);
        }
        return &*rooms_.threads[last_];
    }
    return nullptr;
}

// No thread is ready.
void functional_unit::skip(base::cycle_t until) {
    rooms_.time.move_to(std::min({until, next_event(), rooms_.picking.first_ready()}));
}

// ---- a thread

// Something comes before the thread's next instruction or watches it, or its code is not 64-bit
// code.
bool functional_unit::plain(const thread& t) const {
    const isa::context& c = t.context;
    constexpr std::uint32_t stepping = isa::flag_tf | isa::flag_rf;
    return (t.observed & thread::observe_handler) == 0 && !c.interrupt_shadow && !c.unusual &&
           (c.s.eflags & stepping) == 0 && !c.watched.on_instructions() &&
           c.s.mode == isa::code_mode::bits64;
}

// The thread executes until cycle `end`, or until it or something else has to be asked again.
void functional_unit::execute(thread& t, base::cycle_t end) {
    isa::context& c = t.context;
    const functional_goal& goal = place_->goal;
    while (rooms_.time.now() < end && !goal.reached && !rooms_.time.left() &&
           rooms_.picking.ready(t.index()) <= rooms_.time.now()) {
        if (take_event(t)) {
            pass_clock(t);
        } else {
            const std::uint64_t ip = c.s.r[isa::rip], la = c.linear(isa::cs, ip);
            if (__builtin_expect(goal.pc == la, 0)) {
                place_->goal.reached = true;
                return;
            }
            const bool shadow = c.interrupt_shadow;
            isa::insn* const i = rooms_.fetch.find(t, la, shadow);
            if (i == nullptr) {
                rooms_.retire.not_retired(t, ip, c.failure, nullptr);
                pass_clock(t);
            } else if ((i->flags & isa::insn_plain) != 0 && plain(t) &&
                       (!goal.pc || (*goal.pc ^ la) >= 0x1000)) {
                place_->used == nullptr ? execute_plain<false>(t, i, end)
                                        : execute_plain<true>(t, i, end);
            } else {
                if (place_->used != nullptr) use_code(t.code.start, i->length);
                execute_one(t, ip, *i, shadow, end);
            }
        }
        end = std::min(end, rooms_.time.due());
    }
}

// The event that comes before the thread's next instruction, if there is one.
bool functional_unit::take_event(thread& t) {
    if (t.assist_is_due()) {
        rooms_.pebs.perform(t);
        return true;
    }
    if (t.delivery_is_due()) {
        rooms_.events.deliver_pending(t);
        return true;
    }
    return t.apic->pending() && event_unit::wakes(t) &&
           rooms_.events.take(t, t.context.interrupt_shadow);
}

// The clock of an event, of an instruction or of an element ends.
void functional_unit::pass_clock(thread& t) {
    rooms_.time.pass_cycle();
    rooms_.accounting.forget_occupancy(t.index());
}

void functional_unit::retired(thread& t, std::uint64_t instructions) {
    t.retired += instructions;
    functional_goal& goal = place_->goal;
    if (goal.instructions == functional_goal::unlimited) return;
    goal.instructions -= instructions;
    if (goal.instructions == 0) goal.reached = true;
}

// As the timed issue of one instruction, with everything that may come with it.
void functional_unit::execute_one(thread& t, std::uint64_t ip, isa::insn& i, bool shadow,
                                  base::cycle_t end) {
    isa::context& c = t.context;
    const bool at_completion = (i.flags & isa::insn_at_completion) != 0;
    const bool single_step = (c.s.eflags & isa::flag_tf) != 0;
    rooms_.pmi.issues(t);
    c.s.eflags &= ~isa::flag_rf;
    c.interrupt_shadow = false;
    if (at_completion) {
        rooms_.accounting.settle(rooms_.time.now());
        counters_->pass_over(rooms_.time.now());
    }
    c.s.r[isa::rip] = (ip + i.length) & c.ip_mask;
    isa::status st = i.execute(c, i);
    if (st == isa::status::repeat && !shadow) st = repeat(t, i, end);
    t.completing.counted = false;
    const bool asks = at_completion || c.unusual;
    if (st != isa::status::ok) {
        rooms_.retire.not_retired(t, ip, st, &i);
    } else {
        retired(t, 1);
        rooms_.memory.release(t);
        if (asks || single_step || (i.flags & retirement::unusual_flags) != 0)
            rooms_.retire.after(t, i, single_step);
        t.in_string = false;
    }
    pass_clock(t);
    if (asks) rooms_.plan.plan();
}

// A REP string instruction has more to do. Executes elements as long as nothing can come between
// them.
isa::status functional_unit::repeat(thread& t, const isa::insn& i, base::cycle_t end) {
    isa::context& c = t.context;
    const std::uint64_t next = c.s.r[isa::rip];
    const std::uint32_t stepping = c.s.eflags & isa::flag_tf;
    isa::status st = isa::status::repeat;
    while (st == isa::status::repeat && !c.unusual && stepping == 0 &&
           rooms_.time.now() + 1 < end && !rooms_.time.left()) {
        rooms_.time.move_to(rooms_.time.now() + 1);
        c.s.r[isa::rip] = next;
        st = i.execute(c, i);
    }
    return st;
}

void functional_unit::use_code(std::uint64_t paddr, unsigned length) {
    const base::cycle_t now = rooms_.time.now();
    const coherence::line_t first = paddr / coherence::line_bytes,
                            last = (paddr + length - 1) / coherence::line_bytes;
    place_->used->use(first, cache::line_access::fetch, now);
    if (last != first) place_->used->use(last, cache::line_access::fetch, now);
}

// Instructions whose handlers are all there is to them, from `i` on. This loop is nearly all of a
// fast-forward, and 3 % faster where it begins a line of the host's cache. Instruction pointer and
// time are stored for the handlers, but not loaded again. `remember`: the lines of code are, once
// in a turn.
template <bool remember>
[[gnu::aligned(base::host_line_bytes)]] void functional_unit::execute_plain(thread& t, isa::insn* i,
                                                                            base::cycle_t end) {
    isa::context& c = t.context;
    timeline& time = rooms_.time;
    const functional_goal& goal = place_->goal;
    const base::cycle_t begin = time.now();
    const base::cycle_t last = begin + std::min(goal.instructions, end - begin);
    base::cycle_t now = begin;
    std::uint64_t ip = c.s.r[isa::rip];
    for (;;) {
        if constexpr (remember) {
            const std::uint64_t paddr = t.code.physical(ip);
            const coherence::line_t line = (paddr + i->length - 1) / coherence::line_bytes;
            if (__builtin_expect(noted_[line % noted_.size()] != line, 0)) {
                noted_[line % noted_.size()] = line;
                use_code(paddr, i->length);
            }
        }
        ip += i->length;
        c.s.r[isa::rip] = ip;
        const isa::status st = i->execute(c, *i);
        if (__builtin_expect(st != isa::status::ok || c.unusual, 0)) {
            retired(t, now - begin + (st == isa::status::ok));
            finish_plain(t, *i, st);
            return;
        }
        time.move_to(++now);
        if (__builtin_expect(now == last, 0)) break;
        if ((i->flags & isa::insn_goes_on) != 0) {
            ++i;
            continue;
        }
        ip = c.s.r[isa::rip];
        i = rooms_.fetch.known(t, ip);
        if (__builtin_expect(i == nullptr || (i->flags & isa::insn_plain) == 0, 0)) break;
        if (__builtin_expect(goal.pc && (*goal.pc ^ ip) < 0x1000, 0)) break;
    }
    retired(t, now - begin);
}

// A plain instruction has faulted, or has met something that is unusual. One that faults has not
// branched.
void functional_unit::finish_plain(thread& t, const isa::insn& i, isa::status st) {
    if (st == isa::status::ok)
        rooms_.retire.after(t, i, false);
    else
        rooms_.retire.not_retired(t, t.context.s.r[isa::rip] - i.length, st, &i);
    pass_clock(t);
    rooms_.plan.plan();
}

}  // namespace knc::core
