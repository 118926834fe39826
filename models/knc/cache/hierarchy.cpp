// Demand accesses: lookups, misses, waiting.

#include <knc/cache/hierarchy.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace knc::cache {

using coherence::l2_agent;
using coherence::l2_state;

hierarchy::hierarchy(std::uint8_t tile, const parameters& p, const coherence::address_hash& hash,
                     base::ledger& ledger, client& c, network& n)
    : p_(p),
      ledger_(ledger),
      client_(c),
      network_(n),
      agent_(tile, hash, *this, *this, {p.victims}),
      uncached_(tile, hash, *this, *this),
      data_(p.l1d),
      code_(p.l1i),
      l2_(p.l2),
      prefetcher_(p.prefetch) {
    misses_.reserve(p.misses);
}

lookup hierarchy::data(unsigned thread, line_t line, bool write, base::cycle_t now, charge c) {
    now_ = now;
    // What reads and writes at once sees memory as others do.
    if (write && !drained(thread)) return {};
    l1_line* l = data_.find(line);
    if (l != nullptr && l->ready <= now && (!write || l->writable)) {
        l->used = now;
        if (write) own(line, *l);
        return {l->bytes.data(), now};
    }
    if (c != charge::none && (l == nullptr || l->ready > now))
        count_data_miss(thread, line, c == charge::store);
    if (l != nullptr && l->ready > now) return {nullptr, l->ready};
    return fetch(thread, line, write ? kind::write : kind::read, true);
}

lookup hierarchy::code(unsigned thread, line_t line, base::cycle_t now, bool cacheable) {
    now_ = now;
    l1_line* l = code_.find(line);
    if (l != nullptr && l->ready <= now) {
        // Another thread may have fetched it since this one stored to it.
        if (buffers_[thread].stores.has(line) && !drained(thread)) return {};
        l->used = now;
        return {l->bytes.data(), now};
    }
    if (cacheable && first_time(thread, line, kind::code))
        ledger_.raise(thread, base::code_cache_miss);
    if (l != nullptr) return {nullptr, l->ready};
    // What the thread has stored it may fetch.
    if (!drained(thread)) return {};
    return fetch(thread, line, kind::code, true);
}

const std::uint8_t* hierarchy::code_at_hand(line_t line, base::cycle_t now) const {
    const l1_line* l = code_.find(line);
    return l != nullptr && l->ready <= now ? l->bytes.data() : nullptr;
}

void hierarchy::completed(unsigned thread, base::cycle_t now) {
    now_ = now;
    counted_[thread].clear();
    flushed_[thread] = 0;
    holds_.remove(thread);
    hold_ended();
    release_deferred();
}

// The L1 does not have the line, or not with the right to write.
lookup hierarchy::fetch(unsigned thread, line_t line, kind k, bool waits) {
    if (waits) {
        holds_.remove_above(thread, line);
        hold_ended();
    }
    // An upgrade is under way for a line that may be read meanwhile.
    l2_line* e = l2_.find(line);
    const bool there = e != nullptr && stays(k, e->state);
    if (miss* m = there ? nullptr : find_miss(line)) return join(*m, thread, k, waits);
    const base::cycle_t start = start_lookup();
    if (there) {
        count_hit(thread, k, e->state);
        e->used = now_;
        const base::cycle_t ready = start + p_.l2_cycles;
        const bool first = std::exchange(e->ahead, false);
        if (k == kind::code)
            install_code(line, *e, ready);
        else
            install_data(line, *e, ready);
        if (waits) holds_.add(thread, line, ready + p_.hold_cycles);
        if (first) train(thread, line, k);
        return {nullptr, ready};
    }
    const bool absent = e == nullptr;
    // An upgrade goes ahead of the hold that the line's readable copy had.
    holds_.remove(thread, line);
    hold_ended();
    if (!request(line, wanted_for(k), start)) {
        take_back_lookup();
        if (waits)
            retry_ |= static_cast<std::uint8_t>(1u << thread);
        else
            buffers_[thread].retry = true;
        return {};
    }
    if (k != kind::write) ledger_.raise(thread, base::l2_read_miss);
    miss m;
    m.line = line;
    m.type = k;
    m.thread = static_cast<std::uint8_t>(thread);
    m.to_data = k != kind::code;
    m.to_code = k == kind::code;
    if (waits) m.waiting = static_cast<std::uint8_t>(1u << thread);
    add_miss(m);
    if (absent) train(thread, line, k);
    return {};
}

// The line is on its way.
lookup hierarchy::join(miss& m, unsigned thread, kind k, bool waits) {
    if (waits) m.waiting |= static_cast<std::uint8_t>(1u << thread);
    take_fill(m, thread, k);
    bool& to_l1 = k == kind::code ? m.to_code : m.to_data;
    if (to_l1) return {};
    // No other access has brought this one before the L2.
    to_l1 = true;
    start_lookup();
    if (k != kind::write) ledger_.raise(thread, base::l2_read_miss);
    if (m.from == origin::l2_prefetch) ledger_.raise(thread, base::l2_data_hit_inflight_pf2);
    train(thread, m.line, k);
    return {};
}

// A demand access waits for the line: whose the fill is from now on.
void hierarchy::take_fill(miss& m, unsigned thread, kind k) {
    const bool promotes = k == kind::write && m.type == kind::read && m.fill == credit::prefetch;
    if (m.fill != credit::hardware && !promotes) return;
    m.fill = credit::demand;
    m.thread = static_cast<std::uint8_t>(thread);
    m.type = k;
}

// The slot of the line, or one made free for it, carries a request now; false: ask again later.
bool hierarchy::request(line_t line, want w, base::cycle_t start) {
    if (misses_.size() == p_.misses || agent_.victim_state(line) != l2_state::i) return false;
    leaves_ = start + p_.request_cycles;
    l2_line* e = l2_.find(line);
    if (e == nullptr) {
        e = room(line);
        if (e == nullptr) {
            retry_at_ = std::min(retry_at_, holds_.next_end(now_));
            return false;
        }
        l2_.enter(*e, line);
        e->state = l2_state::i;
        e->ahead = false;
    }
    e->used = now_;
    const coherence::l2_slot slot{&e->state, e->bytes.data()};
    if (w == want::whole) {  // of a line that is not here
        agent_.claim(line, slot);
        return true;
    }
    return agent_.request(line, slot, w != want::copy) == l2_agent::answer::sent;
}

// A place of the L2 for the line, from which another one may have been evicted; nullptr if none can
// be.
l2_line* hierarchy::room(line_t line) {
    l2_line* e = l2_.choose(line, [this](line_t other, const l2_line& l) {
        return agent_.may_evict(l.state) && !holds_.held(other, now_);
    });
    if (e == nullptr || !l2_.holds(*e)) return e;
    agent_.evict(l2_.line_of(*e), {&e->state, e->bytes.data()});
    l2_.remove(*e);
    return e;
}

// The L2 takes one lookup at a time.
base::cycle_t hierarchy::start_lookup() {
    const base::cycle_t start = std::max(now_, l2_free_);
    l2_free_ = start + p_.l2_interval;
    return start;
}

// The access will be tried again: attempts must not use up the L2's time.
void hierarchy::take_back_lookup() {
    l2_free_ -= p_.l2_interval;
}

hierarchy::miss* hierarchy::find_miss(line_t line) {
    const auto m = std::find_if(misses_.begin(), misses_.end(),
                                [line](const miss& x) { return x.line == line; });
    return m != misses_.end() ? &*m : nullptr;
}

// The prefetcher learns of a demand access that missed, or would have missed without it, and may
// ask for lines of its own.
void hierarchy::train(unsigned thread, line_t line, kind k) {
    constexpr access_type types[] = {access_type::read, access_type::write, access_type::code};
    const line_run run = prefetcher_.miss(line, types[static_cast<std::size_t>(k)],
                                          static_cast<std::uint8_t>(thread));
    for (std::uint32_t n = 0; n < run.count; ++n) {
        const line_t ahead = run[n];
        const base::cycle_t start = start_lookup();
        const l2_line* e = l2_.find(ahead);
        if (e != nullptr && coherence::readable(e->state)) {
            ledger_.raise_core(base::hwp_l2hit);
        } else if (request(ahead, wanted_for(k), start)) {
            ledger_.raise_core(base::hwp_l2miss);
            miss m;
            m.line = ahead;
            m.type = k;
            m.from = origin::hardware;
            m.fill = credit::hardware;
            add_miss(m);
        }
    }
}

coherence::l2_state hierarchy::state(line_t line) const {
    const l2_line* e = l2_.find(line);
    return e != nullptr ? e->state : l2_state::i;
}

}  // namespace knc::cache
