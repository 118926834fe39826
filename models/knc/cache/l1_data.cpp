// The L1 data cache: lookups, misses, fills and evictions.

#include <knc/cache/l1_data.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace knc::cache {

using coherence::l1_keeps;

l1_data::l1_data(const parameters& p, base::ledger& ledger, line_pins& pins)
    : p_(p), ledger_(ledger), pins_(pins), array_(p.l1d) {}

void l1_data::connect(l1_client_if& client, l2_if& l2, l1i_copies_if& code) {
    client_ = &client;
    l2_ = &l2;
    code_ = &code;
}

outcome l1_data::line_for_load(unsigned thread, line_t line, charge c, base::cycle_t now) {
    const found l = find(line, now);
    if (l.usable) return grant(*l.line, thread, now);
    return miss(thread, line, l, access_type::read, c, now);
}

outcome l1_data::line_for_update(unsigned thread, line_t line, charge c, base::cycle_t now) {
    // A read-modify-write must follow the thread's earlier stores.
    if (!drained(thread)) return outcome::wait();
    const found l = find(line, now);
    if (l.usable && l.line->writable) {
        own(line, *l.line);
        return grant(*l.line, thread, now);
    }
    return miss(thread, line, l, access_type::write, c, now);
}

// The L1 has no copy that is ready and permits the access.
outcome l1_data::miss(unsigned thread, line_t line, const found& l, access_type type, charge c,
                      base::cycle_t now) {
    const bool load = c == charge::load && !l.usable, store = c == charge::store && !l.usable;
    if (load || store) count_miss(thread, line, store);
    if (l.line != nullptr && !l.usable) {
        if (load) note_source(thread, line, base::data_source::line_under_way, now);
        return outcome::retry(l.line->ready);
    }
    array_.expect(line);
    const bool walk = c == charge::walk;
    const l2_answer a =
        l2_->access({line, type, static_cast<std::uint8_t>(thread), true, walk}, now);
    const bool in_l2 = a.what == l2_answer::kind::hit;
    if (load && a.what != l2_answer::kind::refused)
        note_source(thread, line, in_l2 ? base::data_source::l2 : a.from, now);
    if (in_l2) return outcome::retry(a.ready);
    if (a.what == l2_answer::kind::refused) refused_ |= static_cast<std::uint8_t>(1u << thread);
    return outcome::wait();
}

void l1_data::completed(unsigned thread, base::cycle_t now) {
    counted_[thread].clear();
    ledger_.loaded[thread] = {};
    code_->completed(thread);
    l2_->completed(thread, now);
}

void l1_data::process_due_events(base::cycle_t now) {
    l2_->process_due_events(now);
    if (next_ready_ > now) return;
    for (unsigned t = 0; t < threads; ++t)
        if (waits_[t].ready <= now) drain(t, false, now);
}

void l1_data::fill(const line_fill& f, base::cycle_t now) {
    l1_line& l = install(f, now);
    if (!f.at_once) {
        const auto p = std::find_if(prefetches_.begin(), prefetches_.end(),
                                    [&f](const l1_prefetch& x) { return x.line == f.line; });
        l.prefetched = p != prefetches_.end() && p->counted;
        if (p != prefetches_.end()) {
            if (p->non_temporal) l.used = 0;
            prefetches_.erase(p);
        }
        if (!i_to_m_stores_.empty()) end_i_to_m_store(f.line, now);
    }
    for (unsigned t = 0; t < threads; ++t) {
        if ((f.waiting >> t & 1) == 0) continue;
        pins_.pin(t, f.line, f.ready + p_.pin_cycles);
        if (f.from == base::data_source::l3) served_by_l3(t, f.line);
        if (!f.at_once) client_->wake(t, f.ready);
    }
    if (!f.at_once) filled(now);
}

// A line that is present only gets the permission to write.
l1_line& l1_data::install(const line_fill& f, base::cycle_t now) {
    if (l1_line* l = array_.find(f.line)) {
        l->writable = f.writable;
        return *l;
    }
    l1_line* l = array_.choose(
        f.line, [this, now](line_t other, const l1_line&) { return !pins_.pinned(other, now); });
    if (l == nullptr)
        l = array_.choose(f.line, [this, now](line_t other, const l1_line&) {
            return !pins_.pinned_first(other, now);
        });
    if (l == nullptr) l = array_.choose(f.line, [](line_t, const l1_line&) { return true; });
    if (array_.holds(*l)) replace(*l, now);
    std::memcpy(l->bytes.data(), f.bytes, l->bytes.size());
    l->used = now;
    l->ready = f.ready;
    l->writable = f.writable;
    l->dirty = l->prefetched = false;
    l->users = 0;
    l->in_code = code_->has(f.line);
    array_.enter(*l, f.line);
    return *l;
}

void l1_data::write_back(line_t line, l1_line& l, bool evicted, base::cycle_t now) {
    l.dirty = false;
    l2_->write_back(line, l.bytes, evicted, now);
    ledger_.raise_core(base::data_cache_lines_written_back);
}

void l1_data::replace(l1_line& l, base::cycle_t now) {
    const line_t line = array_.line_of(l);
    client_->data_lost(line, l.bytes.data(), l.users);
    if (l.dirty) {
        write_back(line, l, true, now);
        ledger_.raise_core(base::l2_victim_req_with_data);
    }
    array_.remove(l);
}

void l1_data::retry(base::cycle_t now) {
    if ((refused_ | refused_stores_) == 0) return;
    const std::uint8_t stores = std::exchange(refused_stores_, std::uint8_t{0});
    const std::uint8_t waiting = std::exchange(refused_, std::uint8_t{0});
    for (unsigned t = 0; t < threads; ++t) {
        if ((waiting >> t & 1) != 0) client_->wake(t, now + 1);
        if ((stores >> t & 1) != 0) drain(t, false, now);
    }
}

bool l1_data::take_back(line_t line, std::uint8_t* bytes, l1_keeps keep, base::cycle_t) {
    l1_line* l = array_.find(line);
    if (l == nullptr) return false;
    const bool written = std::exchange(l->dirty, false);
    if (written) {
        std::memcpy(bytes, l->bytes.data(), l->bytes.size());
        ledger_.raise_core(base::data_cache_lines_written_back);
    }
    if (keep == l1_keeps::nothing) {
        client_->data_lost(line, l->bytes.data(), l->users);
        array_.remove(*l);
    } else if (written || keep == l1_keeps::readable) {
        if (keep == l1_keeps::readable) l->writable = false;
        client_->data_not_writable(line, l->bytes.data(), l->users);
    }
    return written;
}

void l1_data::filled(base::cycle_t now) {
    for (unsigned t = 0; t < threads; ++t)
        if (!stores_[t].empty()) drain(t, true, now);
}

void l1_data::clean(line_t line, base::cycle_t now) {
    l1_line* l = array_.find(line);
    if (l == nullptr) return;
    l->in_code = true;
    if (l->dirty) write_back(line, *l, false, now);
    client_->data_not_writable(line, l->bytes.data(), l->users);
}

// There is no valid line in the L1. The miss is counted once per instruction and line. A line that
// VPREFETCH0 is fetching is no miss.
void l1_data::count_miss(unsigned thread, line_t line, bool write) {
    std::vector<missed_line>& seen = counted_[thread];
    const auto same = [line](const missed_line& m) { return m.line == line; };
    if (std::any_of(seen.begin(), seen.end(), same)) return;
    seen.push_back({line});
    const l1_line* l = array_.find(line);
    const bool prefetched =
        l != nullptr
            ? l->prefetched
            : std::any_of(prefetches_.begin(), prefetches_.end(),
                          [line](const l1_prefetch& p) { return p.line == line && p.counted; });
    if (prefetched) {
        ledger_.raise(thread, base::l1_data_hit_inflight_pf1);
        return;
    }
    ledger_.raise(thread, write ? base::data_write_miss : base::data_read_miss);
    if (ledger_.vector_access[thread])
        ledger_.raise(thread, write ? base::vpu_data_write_miss : base::vpu_data_read_miss);
    ledger_.raise(thread, base::data_read_miss_or_write_miss);
}

void l1_data::note_source(unsigned thread, line_t line, base::data_source from, base::cycle_t now) {
    base::ledger::loads& l = ledger_.loaded[thread];
    for (missed_line& m : counted_[thread]) {
        if (m.line != line || m.from != base::data_source::l1) continue;
        m.from = from;
        if (l.from == base::data_source::l1) l.missed_at = now;
        l.from = std::max(l.from, from);
    }
}

// The thread has asked for a line that was expected from memory.
void l1_data::served_by_l3(unsigned thread, line_t line) {
    base::data_source slowest = base::data_source::l1;
    for (missed_line& m : counted_[thread]) {
        if (m.line == line && m.from == base::data_source::memory) m.from = base::data_source::l3;
        slowest = std::max(slowest, m.from);
    }
    ledger_.loaded[thread].from = slowest;
}

l1_data::line_state l1_data::state(line_t line, base::cycle_t now) const {
    const l1_line* const l = array_.find(line);
    if (l == nullptr) return line_state::invalid;
    if (l->ready > now) return line_state::arriving;
    if (l->dirty) return line_state::modified;
    return l->writable ? line_state::exclusive : line_state::shared;
}

const std::uint8_t* l1_data::copy_of(line_t line) const {
    const l1_line* l = array_.find(line);
    return l != nullptr ? l->bytes.data() : nullptr;
}

void l1_data::view_i_to_m_stores(coherence::debug_view& v) const {
    for (const i_to_m_store& c : i_to_m_stores_)
        if (c.line == v.line()) v.streaming_store(c.data.data());
}

void l1_data::debug_write(line_t line, const std::uint8_t* data, coherence::byte_mask mask) {
    if (l1_line* l = array_.find(line)) coherence::copy_bytes(l->bytes.data(), data, mask);
    if (const auto c = find_i_to_m_store(line); c != i_to_m_stores_.end())
        coherence::copy_bytes(c->data.data(), data, mask);
}

}  // namespace knc::cache
