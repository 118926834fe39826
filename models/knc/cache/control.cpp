// Prefetch instructions, cache control instructions, accesses without side effects.

#include <cstring>

#include <knc/cache/hierarchy.h>

namespace knc::cache {

using coherence::l2_state;

void hierarchy::prefetch(unsigned thread, line_t line, const prefetch_request& r, bool cacheable,
                         base::cycle_t now) {
    now_ = now;
    const auto count = [&](base::event e) {
        if (r.counted) ledger_.raise(thread, e);
    };
    count(r.to_l1 ? base::l1_data_pf1 : base::l1_data_pf2);
    const l1_line* l = cacheable ? data_.find(line) : nullptr;
    const miss* under_way = find_miss(line);
    // The core does not know what only the hardware prefetcher has asked for.
    const bool asked_by_core =
        coming_to_l1(line) || (under_way != nullptr && under_way->fill != credit::hardware);
    // VPREFETCH2 is not matched with them: every one reaches the L2.
    const bool matched =
        r.to_l1 ? asked_by_core || under_way != nullptr : r.counted && asked_by_core;
    const bool dropped = !cacheable || matched;
    // L1_DATA_PF1_DROP counts each VPREFETCH1 that misses the L1.
    if (r.to_l1 ? dropped : l == nullptr || l->ready > now) count(base::l1_data_pf1_drop);
    if (dropped) return;
    if (r.to_l1) {
        if (l != nullptr && (!r.exclusive || l->writable)) return;
        if (l == nullptr) count(base::l1_data_pf1_miss);
    } else {
        // L2_DATA_PF2_DROP counts each VPREFETCH2.
        ledger_.raise(thread, r.counted ? base::l2_data_pf2 : base::l2_data_pf2_drop);
        if (under_way != nullptr) return count(base::l2_data_pf2_drop);
    }

    const kind k = r.exclusive ? kind::write : kind::read;
    const base::cycle_t start = start_lookup();
    l2_line* e = l2_.find(line);
    if (e != nullptr && stays(k, e->state)) {
        count_hit(thread, k, e->state);
        e->used = now;
        if (!r.to_l1) return;
        install_data(line, *e, start + p_.l2_cycles);
        l1_line* mine = data_.find(line);
        mine->prefetched = r.counted;
        if (r.non_temporal) mine->used = 0;
        return;
    }
    const bool absent = e == nullptr;
    if (!request(line, wanted_for(k), start))
        return count(r.to_l1 ? base::l1_data_pf1_drop : base::l2_data_pf2_drop);
    if (absent) count(r.to_l1 ? base::l2_data_pf1_miss : base::l2_data_pf2_miss);
    if (!r.exclusive) ledger_.raise(thread, base::l2_read_miss);
    miss m;
    m.line = line;
    m.type = k;
    if (r.counted) m.from = r.to_l1 ? origin::l1_prefetch : origin::l2_prefetch;
    m.fill = credit::prefetch;
    m.thread = static_cast<std::uint8_t>(thread);
    m.to_data = r.to_l1;
    m.non_temporal = r.non_temporal;
    add_miss(m);
}

// The L1 for data or for code waits for the line, which the L2 has.
bool hierarchy::coming_to_l1(line_t line) const {
    const l1_line *data = data_.find(line), *code = code_.find(line);
    return (data != nullptr && data->ready > now_) || (code != nullptr && code->ready > now_);
}

void hierarchy::evict_l1(line_t line, base::cycle_t now) {
    now_ = now;
    leaves_ = now + p_.request_cycles;
    l1_line* l = data_.find(line);
    if (l != nullptr && l->ready <= now && !holds_.held(line, now)) evict_data(*l);
}

void hierarchy::evict(line_t line, base::cycle_t now) {
    now_ = now;
    leaves_ = now + p_.request_cycles;
    l2_line* e = l2_.find(line);
    if (e == nullptr || holds_.held(line, now)) return;
    if (agent_.evict(line, {&e->state, e->bytes.data()})) l2_.remove(*e);
}

bool hierarchy::flush(unsigned thread, base::cycle_t now) {
    now_ = now;
    leaves_ = now + p_.request_cycles;
    if (!drained(thread)) return false;
    std::size_t& n = flushed_[thread];
    bool all_gone = true;
    for (; n < l2_.size(); ++n) {
        l2_line& e = l2_.at(n);
        // A line on its way comes after the flush.
        if (!l2_.holds(e) || !coherence::is_stable(e.state)) continue;
        if (!agent_.evict(l2_.line_of(e), {&e.state, e.bytes.data()})) break;
        l2_.remove(e);
    }
    for (const coherence::l2_agent::victim& v : agent_.victims())
        all_gone = all_gone && v.state == l2_state::i;
    if (n == l2_.size() && all_gone) {
        n = 0;
        return true;
    }
    retry_ |= static_cast<std::uint8_t>(1u << thread);
    return false;
}

void hierarchy::view(coherence::debug_view& v) const {
    if (const l2_line* e = l2_.find(v.line()); e != nullptr && coherence::readable(e->state)) {
        const l1_line* l = data_.find(v.line());
        v.copy(l != nullptr ? l->bytes.data() : e->bytes.data());
    }
    if (state(v.line()) == l2_state::ic_a)
        for (const line_claim& c : claims_)
            if (c.line == v.line()) v.claimed(c.data.data());
    v.victims(agent_);
    for (const arrival& a : inbox_) v.in_flight(a.content);
}

void hierarchy::debug_write(line_t line, const std::uint8_t* data, coherence::byte_mask mask) {
    if (l2_line* e = l2_.find(line)) coherence::copy_bytes(e->bytes.data(), data, mask);
    for (set_array<l1_line>* cache : {&data_, &code_})
        if (l1_line* l = cache->find(line)) coherence::copy_bytes(l->bytes.data(), data, mask);
    if (const auto c = find_claim(line); c != claims_.end())
        coherence::copy_bytes(c->data.data(), data, mask);
    agent_.debug_write(line, data, mask);
    for (arrival& a : inbox_) coherence::debug_write(a.content, line, data, mask);
}

}  // namespace knc::cache
