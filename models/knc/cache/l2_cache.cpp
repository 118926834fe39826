// The L2: requests of its L1s.

#include <knc/cache/l2_cache.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace knc::cache {

using coherence::l2_agent;
using coherence::l2_slot;
using coherence::l2_state;

l2_cache::l2_cache(std::uint8_t tile, const parameters& p, const coherence::address_hash& hash,
                   base::ledger& ledger, line_pins& pins, network& n)
    : tile_(tile),
      p_(p),
      is_last_level_(p.l3 ? 0 : 1),
      ledger_(ledger),
      pins_(pins),
      network_(n),
      agent_(tile, hash, *this, *this, {p.victims}),
      uncached_(tile, hash, *this, *this),
      array_(p.l2),
      bytes_(array_.size()),
      prefetcher_(p.prefetch),
      mshrs_(p.mshrs) {}

void l2_cache::connect(l1d_snoop_if& data, l1i_snoop_if& code) {
    data_ = &data;
    code_ = &code;
}

l2_answer l2_cache::access(const l2_access& a, base::cycle_t now) {
    using answer = l2_answer::kind;
    now_ = now;
    if (a.waits) {
        pins_.unpin_above(a.thread, a.line);
        pins_ended(now);
    }
    array_.expect(a.line);
    // While an upgrade is outstanding, the line may be read.
    l2_line* e = array_.find(a.line);
    const bool there = e != nullptr && serves(a.type, e->state);
    if (mshr* m = there ? nullptr : mshrs_.find(a.line)) {
        const bool asked = a.type == access_type::code ? m->to_code : m->to_data;
        join(*m, a, now);
        using source = base::data_source;
        return {answer::sent, base::never, asked ? source::line_under_way : source::l2};
    }
    const auto waiting = static_cast<std::uint8_t>(a.waits ? 1u << a.thread : 0u);
    const base::cycle_t start = start_lookup(now);
    if (there) {
        count_hit(a.thread, a.type, e->state);
        ledger_.raise(a.thread, base::llc_references, a.walk ? 0 : is_last_level_);
        e->used = now;
        const base::cycle_t ready = start + p_.l2_cycles;
        const bool first = std::exchange(e->ahead, false);
        e->in_code |= a.type == access_type::code;
        l1_fill_if& l1 = a.type == access_type::code ? static_cast<l1_fill_if&>(*code_) : *data_;
        give(l1, *e, {a.line, nullptr, false, true, waiting, ready}, now);
        if (first) train(a.thread, a.line, a.type, now);
        return {answer::hit, ready};
    }
    const bool absent = e == nullptr;
    // An upgrade must not wait for the pin of the line's readable copy.
    pins_.unpin(a.thread, a.line);
    pins_ended(now);
    if (!request(a.thread, a.line, e, wanted_for(a.type), start, now)) {
        take_back_lookup();
        refused(a.type);
        return {answer::refused};
    }
    if (a.type != access_type::write) ledger_.raise(a.thread, base::l2_read_miss);
    if (!a.walk) {
        ledger_.raise(a.thread, base::llc_references);
        if (absent) ledger_.raise(a.thread, base::llc_misses, is_last_level_);
    }
    mshr m;
    m.line = a.line;
    m.type = a.type;
    m.thread = a.thread;
    m.to_data = a.type != access_type::code;
    m.to_code = a.type == access_type::code;
    m.waiting = waiting;
    m.referenced = m.demand = !a.walk;
    add(m);
    if (absent) train(a.thread, a.line, a.type, now);
    return {answer::sent};
}

void l2_cache::add(const mshr& m) {
    mshrs_.add(m, now_);
    if (recorder_ != nullptr)
        recorder_->miss_begins({tile_, m.thread}, m.line * coherence::line_bytes,
                               m.type == access_type::write, now_);
}

// A request for the line is outstanding.
void l2_cache::join(mshr& m, const l2_access& a, base::cycle_t now) {
    if (a.waits) m.waiting |= static_cast<std::uint8_t>(1u << a.thread);
    m.take_fill(a.thread, a.type);
    bool& to_l1 = a.type == access_type::code ? m.to_code : m.to_data;
    if (to_l1) return;
    // This is the first access of its L1 to this request, so it counts as a lookup of the L2.
    to_l1 = true;
    start_lookup(now);
    // The L3 would have looked it up, if no prefetch or page walk had been first.
    if (!a.walk && !(p_.l3 && std::exchange(m.referenced, true)))
        ledger_.raise(a.thread, base::llc_references);
    if (a.type != access_type::write) ledger_.raise(a.thread, base::l2_read_miss);
    if (m.by_vprefetch1) ledger_.raise(a.thread, base::l2_data_hit_inflight_pf2);
    train(a.thread, m.line, a.type, now);
}

l2_answer l2_cache::prefetch(const l2_prefetch& p, base::cycle_t now) {
    using answer = l2_answer::kind;
    now_ = now;
    const auto count = [&](base::event e) {
        if (p.counted) ledger_.raise(p.thread, e);
    };
    if (!p.to_l1) {
        // L2_DATA_PF2_DROP counts each VPREFETCH2.
        ledger_.raise(p.thread, p.counted ? base::l2_data_pf2 : base::l2_data_pf2_drop);
        if (mshrs_.find(p.line) != nullptr) {
            count(base::l2_data_pf2_drop);
            return {answer::refused};
        }
    }
    const access_type type = p.exclusive ? access_type::write : access_type::read;
    const base::cycle_t start = start_lookup(now);
    l2_line* e = array_.find(p.line);
    if (e != nullptr && serves(type, e->state)) {
        count_hit(p.thread, type, e->state);
        e->used = now;
        const base::cycle_t ready = start + p_.l2_cycles;
        if (p.to_l1) give(*data_, *e, {p.line, nullptr, false, true, 0, ready}, now);
        return {answer::hit, ready};
    }
    const bool absent = e == nullptr;
    if (!request(p.thread, p.line, e, wanted_for(type), start, now)) {
        if (!p.to_l1) count(base::l2_data_pf2_drop);
        return {answer::refused};
    }
    if (absent) count(p.to_l1 ? base::l2_data_pf1_miss : base::l2_data_pf2_miss);
    if (!p.exclusive) ledger_.raise(p.thread, base::l2_read_miss);
    mshr m;
    m.line = p.line;
    m.type = type;
    m.by_vprefetch1 = p.counted && !p.to_l1;
    m.credit = fill_credit::prefetch;
    m.thread = p.thread;
    m.to_data = p.to_l1;
    add(m);
    return {answer::sent};
}

i_to_m_answer l2_cache::request_i_to_m(unsigned thread, line_t line, base::cycle_t now) {
    now_ = now;
    if (mshrs_.find(line) != nullptr) return i_to_m_answer::under_way;
    if (array_.find(line) != nullptr) return i_to_m_answer::present;
    if (!request(thread, line, nullptr, want::ownership, start_lookup(now), now)) {
        take_back_lookup();
        refused(access_type::write);
        return i_to_m_answer::refused;
    }
    ledger_.raise(thread, base::llc_references);
    ledger_.raise(thread, base::llc_misses, is_last_level_);
    mshr m;
    m.line = line;
    m.type = access_type::write;
    m.thread = static_cast<std::uint8_t>(thread);
    m.to_data = true;
    m.referenced = m.demand = true;
    add(m);
    return i_to_m_answer::sent;
}

requester l2_cache::under_way(line_t line) const {
    const mshr* m = mshrs_.find(line);
    if (m == nullptr) return requester::none;
    return m->credit == fill_credit::stream_prefetcher ? requester::stream_prefetcher
                                                       : requester::core;
}

// Sends a request for the line and marks its slot `e`, or a free one if it has none. Returns false
// if the caller must retry later.
bool l2_cache::request(unsigned thread, line_t line, l2_line* e, want w, base::cycle_t start,
                       base::cycle_t now) {
    if (mshrs_.full() || agent_.victim_state(line) != l2_state::i) return false;
    leaves_ = start + p_.request_cycles;
    requested_for_ = thread;
    if (e == nullptr) {
        e = allocate(line, now);
        if (e == nullptr) {
            retry_at_ = std::min(retry_at_, pins_.next_end(now));
            return false;
        }
        array_.enter(*e, line);
        e->state = l2_state::i;
        e->ahead = e->in_code = false;
    }
    e->used = now;
    const l2_slot slot = slot_of(*e);
    if (w == want::ownership) {  // of a line without a copy
        agent_.request_i_to_m(line, slot);
        return true;
    }
    return agent_.request(line, slot, w != want::copy) == l2_agent::answer::sent;
}

// A place for the line, after an eviction if necessary; nullptr if no line can be evicted.
l2_line* l2_cache::allocate(line_t line, base::cycle_t now) {
    l2_line* e = array_.choose(line, [this, now](line_t other, const l2_line& l) {
        return agent_.may_evict(l.state) && !pins_.pinned(other, now);
    });
    if (e == nullptr || !array_.holds(*e)) return e;
    agent_.evict(array_.line_of(*e), slot_of(*e));
    array_.remove(*e);
    return e;
}

// The L2 performs one lookup at a time.
base::cycle_t l2_cache::start_lookup(base::cycle_t now) {
    const base::cycle_t start = std::max(now, free_at_);
    free_at_ = start + p_.l2_interval;
    return start;
}

// The access will be repeated: refused attempts must not use lookup bandwidth.
void l2_cache::take_back_lookup() {
    free_at_ -= p_.l2_interval;
}

// Trains the prefetcher with a demand access that missed, or would have missed without it; the
// prefetcher may request lines.
void l2_cache::train(unsigned thread, line_t line, access_type type, base::cycle_t now) {
    const line_run run = prefetcher_.miss(line, type, static_cast<std::uint8_t>(thread));
    // The next miss of the stream asks for one line more.
    if (run.count != 0) array_.expect(run[run.count]);
    for (std::uint32_t n = 0; n < run.count; ++n) {
        const line_t ahead = run[n];
        const base::cycle_t start = start_lookup(now);
        l2_line* e = array_.find(ahead);
        if (e != nullptr && coherence::readable(e->state)) {
            ledger_.raise_core(base::hwp_l2hit);
        } else if (request(thread, ahead, e, wanted_for(type), start, now)) {
            ledger_.raise_core(base::hwp_l2miss);
            mshr m;
            m.line = ahead;
            m.type = type;
            m.credit = fill_credit::stream_prefetcher;
            add(m);
        }
    }
}

// Fills the L1 with the L2's copy of the line.
void l2_cache::give(l1_fill_if& l1, const l2_line& e, line_fill f, base::cycle_t now) {
    f.bytes = bytes_of(e);
    f.writable = coherence::writable(e.state);
    l1.fill(f, now);
}

void l2_cache::write_back(line_t line, const coherence::line_data& bytes, bool evicted,
                          base::cycle_t now) {
    l2_line* e = array_.find(line);
    if (e == nullptr) {
        network_.protocol_error("a written line of the L1 that the L2 does not hold");
        return;
    }
    std::memcpy(bytes_of(*e), bytes.data(), bytes.size());
    agent_.l1_wrote(line, slot_of(*e));
    if (!evicted) return;
    bus_unit_.erase(std::remove_if(bus_unit_.begin(), bus_unit_.end(),
                                   [now](const bus_unit_entry& w) { return w.until <= now; }),
                    bus_unit_.end());
    bus_unit_.push_back({line, now + p_.write_back_cycles});
}

bool l2_cache::read_once(unsigned thread, line_t line, base::cycle_t now) {
    now_ = now;
    requested_for_ = thread;
    if (!answering_) leaves_ = now + p_.request_cycles;
    return uncached_.read(line);
}

bool l2_cache::write_once(unsigned thread, line_t line, const coherence::line_data& data,
                          coherence::byte_mask mask, base::cycle_t now) {
    now_ = now;
    requested_for_ = thread;
    if (!answering_) leaves_ = now + p_.request_cycles;
    return uncached_.write(line, data, mask);
}

void l2_cache::evict(line_t line, base::cycle_t now) {
    now_ = now;
    leaves_ = now + p_.request_cycles;
    l2_line* e = array_.find(line);
    if (e == nullptr || pins_.pinned(line, now)) return;
    if (agent_.evict(line, slot_of(*e))) array_.remove(*e);
}

bool l2_cache::flush(unsigned thread, base::cycle_t now) {
    now_ = now;
    leaves_ = now + p_.request_cycles;
    std::size_t& n = flushed_[thread];
    bool all_gone = true;
    for (; n < array_.size(); ++n) {
        l2_line& e = array_.at(n);
        // A line whose request is outstanding arrives after the flush.
        if (!array_.holds(e) || !coherence::is_stable(e.state)) continue;
        if (!agent_.evict(array_.line_of(e), slot_of(e))) break;
        array_.remove(e);
    }
    for (const l2_agent::victim& v : agent_.victims())
        all_gone = all_gone && v.state == l2_state::i;
    if (n != array_.size() || !all_gone) {
        refused(access_type::write);
        return false;
    }
    n = 0;
    return true;
}

void l2_cache::completed(unsigned thread, base::cycle_t now) {
    now_ = now;
    flushed_[thread] = 0;
    pins_.unpin_all(thread);
    pins_ended(now);
    release_deferred();
}

l2_state l2_cache::state(line_t line) const {
    const l2_line* e = array_.find(line);
    return e != nullptr ? e->state : l2_state::i;
}

}  // namespace knc::cache
