#include <knc/pentium/data_cache.h>

#include <algorithm>
#include <cstring>

#include <knc/pentium/code_cache.h>
#include <knc/pentium/place.h>

namespace knc::pentium {

using cache::charge;
using cache::line_t;
using cache::outcome;
using cache::store_delay;

namespace {

line_t line_of(std::uint64_t paddr) {
    return paddr / line_bytes;
}

template <class List>
auto find(List& list, line_t line) {
    return std::find_if(list.begin(), list.end(), [line](const auto& e) { return e.line == line; });
}

}  // namespace

data_cache::data_cache(const parameters& p, bus& b, base::ledger& l)
    : bus_(b), ledger_(l), lines_(p.l1d, line_bytes), buffers_(p, b) {}

void data_cache::connect(std::uint8_t* memory, cache::l1_client_if& client, code_cache& code) {
    memory_ = memory;
    client_ = &client;
    code_ = &code;
}

void data_cache::reset() {
    lines_.clear();
    buffers_.reset();
    draining_ = wanted_ = waited_ = false;
    reply_ = {};
    borrowed_.clear();
    fetched_.clear();
    written_.clear();
}

outcome data_cache::hit(line_t line) const {
    return outcome::hit(place_of(memory_, line));
}

// ---- reads

outcome data_cache::line_for_load(unsigned thread, line_t line, charge c, base::cycle_t now) {
    data_line* const l = lines_.find(line);
    if (l != nullptr && l->ready <= now) {
        l->used = now;
        return hit(line);
    }
    const auto f = find(fetched_, line);
    if (f != fetched_.end()) return f->ready <= now ? hit(line) : outcome::retry(f->ready);
    if (l != nullptr) return outcome::retry(l->ready);
    return miss(thread, line, c, now);
}

void data_cache::count_miss(unsigned thread) {
    ledger_.raise(thread, base::data_read_miss);
    ledger_.raise(thread, base::data_read_miss_or_write_miss);
    if (ledger_.vector_access[thread]) ledger_.raise(thread, base::vpu_data_read_miss);
}

outcome data_cache::miss(unsigned thread, line_t line, charge c, base::cycle_t now) {
    if (c == charge::load) count_miss(thread);
    data_line* const l = lines_.choose(line, [](line_t, const data_line&) { return true; });
    const bool modified = lines_.holds(*l) && l->is == state::modified;
    const bus::transfer t = bus_.read(line_transfers, now);
    if (modified) write_back(*l, now);
    *l = {now, t.end, state::exclusive};
    lines_.enter(*l, line);
    fetched_.push_back({line, t.first});
    return outcome::retry(t.first);
}

// The bus reads, even if the cache has the line, and the write that follows misses.
outcome data_cache::locked_load(unsigned thread, line_t line, base::cycle_t now) {
    const auto f = find(fetched_, line);
    if (f != fetched_.end()) return f->ready <= now ? hit(line) : outcome::retry(f->ready);
    const data_line* const l = lines_.find(line);
    if (l != nullptr && l->ready > now) return outcome::retry(l->ready);
    if (l == nullptr) count_miss(thread);
    remove(line, now);
    ledger_.raise(thread, base::p55c_locked);
    fetched_.push_back({line, bus_.read(1, now).end});
    return outcome::retry(fetched_.back().ready);
}

// ---- writes

// hit: it is written in the cache; taken: in memory.
outcome data_cache::ready_for_store(unsigned thread, line_t line, base::cycle_t now) {
    const data_line* const l = lines_.find(line);
    if (l != nullptr && l->ready > now) return outcome::retry(l->ready);
    if (l == nullptr || l->is == state::shared) {
        const base::cycle_t free = waited_ ? now : buffers_.free_from(now);
        if (free <= now) return outcome::taken();
        waited_ = true;
        return delay(thread, store_delay::buffers_full, free);
    }
    const base::cycle_t older = buffers_.older_until(now);
    return older > now ? delay(thread, store_delay::write_order, older) : hit(line);
}

outcome data_cache::delay(unsigned thread, store_delay why, base::cycle_t until) {
    client_->store_delayed(thread, why);
    return outcome::retry(until);
}

outcome data_cache::line_for_store(unsigned thread, line_t line, unsigned, base::cycle_t now) {
    const outcome o = ready_for_store(thread, line, now);
    if (!o.is_hit()) return o;
    data_line& l = *lines_.find(line);
    l.is = state::modified;
    l.used = now;
    code_->drop(line);
    return o;
}

// For charge::store, only whether a store has to wait: the instruction makes it later.
outcome data_cache::line_for_update(unsigned thread, line_t line, charge c, base::cycle_t now) {
    if (c == charge::none) return borrow(line, now);
    if (c == charge::store) {
        const outcome o = ready_for_store(thread, line, now);
        return o.is_taken() ? hit(line) : o;
    }
    const outcome o =
        c == charge::locked ? locked_load(thread, line, now) : line_for_load(thread, line, c, now);
    if (!o.is_hit()) return o;
    const base::cycle_t older = buffers_.older_until(now);
    if (older <= now) return o;
    return c == charge::walk ? outcome::retry(older)
                             : delay(thread, store_delay::write_order, older);
}

void data_cache::perform(std::uint64_t paddr, unsigned size, const void* data) {
    std::memcpy(memory_ + paddr, data, size);
    client_->stored(paddr, size);
    code_->drop(line_of(paddr));
}

void data_cache::buffer_store(unsigned, std::uint64_t paddr, unsigned size, const void* data,
                              base::cycle_t now) {
    perform(paddr, size, data);
    draining_ = true;
    // An attempt that is repeated finds what it has written.
    const auto same = [&](const write& w) { return w.paddr == paddr && w.size == size; };
    if (std::any_of(written_.begin(), written_.end(), same)) return;
    written_.push_back({paddr, size});
    data_line* const l = lines_.find(line_of(paddr));
    if (l != nullptr && l->is == state::shared) l->is = state::exclusive;
    buffers_.enter(paddr, size, now);
}

outcome data_cache::streaming_store(unsigned thread, line_t line, const coherence::line_data& d,
                                    bool, base::cycle_t now) {
    for (unsigned n = 0; n < d.size(); n += line_bytes)
        buffer_store(thread, line * line_bytes + n, line_bytes, d.data() + n, now);
    return outcome::taken();
}

// ---- accesses that are not cached

outcome data_cache::borrow(line_t line, base::cycle_t now) {
    const auto b = find(borrowed_, line);
    if (b == borrowed_.end()) {
        remove(line, now);
        borrowed_.push_back({line, bus_.read(1, now).end, false});
        return outcome::retry(borrowed_.back().ready);
    }
    if (b->ready > now) return outcome::retry(b->ready);
    b->used = true;
    return hit(line);
}

void data_cache::uncached(unsigned thread, std::uint32_t ticket, bool is_write, std::uint64_t paddr,
                          unsigned size, const std::uint8_t* data, base::cycle_t now) {
    reply_ = {true, thread, ticket, {}, now + 1};
    if (size == 0) return;
    remove(line_of(paddr), now);
    if (!is_write) {
        std::memcpy(reply_.data.data(), memory_ + paddr, size);
        const std::uint64_t more = (paddr + size - 1) / bus_bytes - paddr / bus_bytes;
        for (std::uint64_t n = 0; n <= more; ++n) reply_.at = bus_.read(1, now).end;
        return;
    }
    const base::cycle_t free = buffers_.free_from(now);
    if (free > now) {
        client_->store_delayed(thread, store_delay::buffers_full);
        reply_.at = free;
    }
    perform(paddr, size, data);
    buffers_.enter(paddr, size, now);
}

// ---- lines that leave

void data_cache::write_back(data_line& l, base::cycle_t now) {
    bus_.write(line_transfers, now);
    ledger_.raise(0, base::data_cache_lines_written_back);
    l.is = state::exclusive;
}

void data_cache::write_back(line_t line, base::cycle_t now) {
    data_line* const l = lines_.find(line);
    if (l != nullptr && l->is == state::modified) write_back(*l, now);
}

void data_cache::remove(line_t line, base::cycle_t now) {
    write_back(line, now);
    if (data_line* const l = lines_.find(line)) lines_.remove(*l);
}

// Gives back a borrowed line, which the instruction may have written.
void data_cache::evict(line_t line, base::cycle_t now) {
    const auto b = find(borrowed_, line);
    if (b == borrowed_.end()) {
        remove(line, now);
        return;
    }
    borrowed_.erase(b);
    buffers_.enter(line * line_bytes, 1, now);
}

bool data_cache::flush(unsigned, base::cycle_t now) {
    std::vector<line_t> all;
    lines_.each_line([&all](line_t l) { all.push_back(l); });
    for (const line_t l : all) remove(l, now);
    code_->invalidate();
    if (bus_.free_from() <= now) return true;
    draining_ = wanted_ = true;
    return false;
}

void data_cache::inquire(line_t line, bool is_write, base::cycle_t now) {
    ledger_.raise(0, base::p55c_snoops);
    if (is_write) code_->drop(line);
    data_line* const l = lines_.find(line);
    if (l == nullptr) return;
    ledger_.raise(0, base::p55c_snoop_hits);
    write_back(line, now);
    l->is = state::shared;
    if (is_write) lines_.remove(*l);
}

// ---- time

void data_cache::completed(unsigned, base::cycle_t) {
    fetched_.clear();
    written_.clear();
    waited_ = false;
    const auto unused = [](const borrowed& b) { return !b.used; };
    borrowed_.erase(std::remove_if(borrowed_.begin(), borrowed_.end(), unused), borrowed_.end());
}

base::cycle_t data_cache::next_event() const {
    const base::cycle_t replies = reply_.due ? reply_.at : base::never;
    return draining_ ? std::min(replies, bus_.free_from()) : replies;
}

void data_cache::process_due_events(base::cycle_t now) {
    if (draining_ && bus_.free_from() <= now) {
        draining_ = false;
        client_->stores_performed(0);
        if (std::exchange(wanted_, false)) client_->wake(0, now);
    }
    if (!reply_.due || reply_.at > now) return;
    reply_.due = false;
    client_->uncached_done(reply_.thread, reply_.ticket, reply_.data, now);
}

}  // namespace knc::pentium
