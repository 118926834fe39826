// The L1 data cache: the store buffers.

#include <algorithm>
#include <cstring>
#include <utility>

#include <knc/cache/l1_data.h>

namespace knc::cache {

outcome l1_data::line_for_store(unsigned thread, line_t line, unsigned others, base::cycle_t now) {
    const store_buffer& stores = stores_[thread];
    l1_line* l = array_.find(line);
    if (stores.empty() && l != nullptr && l->ready <= now && l->writable) {
        own(line, *l);
        return grant(*l, thread, now);
    }
    // The next fetch must see a store to code.
    const bool in_code = (l == nullptr || l->in_code) && code_->has(line);
    if (p_.store_buffer == 0 || in_code || client_->holds_code(line))
        return line_for_update(thread, line, charge::store, now);
    if (stores.size() + others >= p_.store_buffer) {
        // The store needs more lines than the whole buffer has.
        if (stores.empty()) return line_for_update(thread, line, charge::store, now);
        waits_[thread].wanted = true;
        return outcome::wait();
    }
    return outcome::taken();
}

void l1_data::buffer_store(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                           base::cycle_t now) {
    stores_[thread].push(paddr, size, data);
    enter_buffer(thread, paddr / coherence::line_bytes, now);
}

// The last entry of the thread's buffer is a new store to the line. Requests the line at once,
// except for a streaming store, which requests it when it is first in the buffer.
void l1_data::enter_buffer(unsigned thread, line_t line, base::cycle_t now) {
    const store_buffer& stores = stores_[thread];
    const bool is_first = stores.size() == 1;
    const l1_line* l = array_.find(line);
    const bool present = l != nullptr && l->ready <= now;
    if (!present) count_miss(thread, line, true);
    if (stores.last().whole && l == nullptr) {
        if (is_first) drain(thread, false, now);
        return;
    }
    if (present && l->writable) {
        // The store waits only because of program order.
        if (is_first) set_ready(thread, now);
        return;
    }
    const bool arriving = l != nullptr && !present;
    const base::cycle_t comes = arriving ? l->ready : ask_for_store(thread, line, now);
    if (is_first) set_ready(thread, comes);
}

// Sets the cycle in which the first store of the thread's buffer may be performed.
void l1_data::set_ready(unsigned thread, base::cycle_t cycle) {
    waits_[thread].ready = cycle;
    next_ready_ = base::never;
    for (const store_wait& w : waits_) next_ready_ = std::min(next_ready_, w.ready);
}

// Requests the line of a store. Returns the cycle in which the store may be performed; base::never:
// fill() or retry() follows.
base::cycle_t l1_data::ask_for_store(unsigned thread, line_t line, base::cycle_t now) {
    const l2_answer a =
        l2_->access({line, access_type::write, static_cast<std::uint8_t>(thread), false}, now);
    if (a.what == l2_answer::kind::refused)
        refused_stores_ |= static_cast<std::uint8_t>(1u << thread);
    return a.ready;
}

bool l1_data::drained(unsigned thread) {
    if (stores_[thread].empty()) return true;
    waits_[thread].wanted = true;
    return false;
}

// Performs stores from the front of the buffer. `as_filled`: a line has just arrived and is used
// before a snoop can take it.
void l1_data::drain(unsigned thread, bool as_filled, base::cycle_t now) {
    store_buffer& stores = stores_[thread];
    bool performed = false;
    base::cycle_t ready = base::never;
    while (!stores.empty()) {
        const store_buffer::entry& e = stores.first();
        l1_line* l = array_.find(e.line());
        if (l == nullptr || !l->writable) {
            ready = ask_for_first(thread, e, now);
            break;
        }
        if (l->ready > now && !as_filled) {
            ready = l->ready;
            break;
        }
        std::memcpy(l->bytes.data() + e.paddr % coherence::line_bytes, e.data.data(), e.size);
        l->used = now;
        own(e.line(), *l);
        client_->stored(e.paddr, e.size);
        stores.pop();
        performed = true;
    }
    set_ready(thread, ready);
    if (!performed) return;
    if (stores.empty()) client_->stores_performed(thread);
    wake_if_wanted(thread, now + 1);
}

// The same for the first store, `e`, which may not need the line's data.
base::cycle_t l1_data::ask_for_first(unsigned thread, const store_buffer::entry& e,
                                     base::cycle_t now) {
    const i_to_m_answer a =
        e.whole ? l2_->request_i_to_m(thread, e.line(), now) : i_to_m_answer::present;
    const auto me = static_cast<std::uint8_t>(1u << thread);
    switch (a) {
        case i_to_m_answer::present:
            return ask_for_store(thread, e.line(), now);
        case i_to_m_answer::sent:
            i_to_m_stores_.push_back({e.line(), e.data, static_cast<std::uint8_t>(thread), true});
            refused_stores_ &= static_cast<std::uint8_t>(~me);
            break;
        case i_to_m_answer::refused:
            refused_stores_ |= me;
            break;
        case i_to_m_answer::under_way:
            break;
    }
    return base::never;
}

}  // namespace knc::cache
