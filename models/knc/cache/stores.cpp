// Stores that wait in a buffer, and accesses that no cache keeps.

#include <algorithm>
#include <cstring>

#include <knc/cache/hierarchy.h>

namespace knc::cache {

lookup hierarchy::store(unsigned thread, line_t line, unsigned others, base::cycle_t now) {
    now_ = now;
    thread_buffer& b = buffers_[thread];
    if (b.stores.empty()) {
        l1_line* l = data_.find(line);
        if (l != nullptr && l->ready <= now && l->writable) {
            l->used = now;
            own(line, *l);
            return {l->bytes.data(), now};
        }
    }
    // Code that is written must be seen as written by the next fetch.
    if (p_.store_buffer == 0 || code_.find(line) != nullptr || client_.holds_code(line))
        return data(thread, line, true, now, charge::store);
    if (b.stores.size() + others >= p_.store_buffer) {
        // More lines than the whole buffer takes.
        if (b.stores.empty()) return data(thread, line, true, now, charge::store);
        b.wanted = true;
        return {};
    }
    return {nullptr, now};
}

void hierarchy::buffer(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                       base::cycle_t now) {
    now_ = now;
    buffers_[thread].stores.push(paddr, size, data);
    enter_buffer(thread, paddr / coherence::line_bytes);
}

// A store to the line is the last of the thread's buffer now. The line is asked for at once, but
// one that need not be read only when it is the store's turn.
void hierarchy::enter_buffer(unsigned thread, line_t line) {
    thread_buffer& b = buffers_[thread];
    const l1_line* l = data_.find(line);
    const bool present = l != nullptr && l->ready <= now_;
    if (!present) count_data_miss(thread, line, true);
    if (b.stores.last().whole && l == nullptr) {
        if (b.stores.size() == 1) drain(thread, false);
        return;
    }
    if (present && l->writable) {
        // Only the order of stores makes this one wait.
        if (b.stores.size() == 1) b.ready = now_;
        return;
    }
    const lookup r = l != nullptr && !present ? lookup{nullptr, l->ready}
                                              : fetch(thread, line, kind::write, false);
    if (b.stores.size() == 1) b.ready = r.ready;
}

bool hierarchy::drained(unsigned thread) {
    thread_buffer& b = buffers_[thread];
    if (b.stores.empty()) return true;
    b.wanted = true;
    return false;
}

// Performs the stores whose turn it is. `as_filled`: a line has come, and is used before it can be
// taken away again.
void hierarchy::drain(unsigned thread, bool as_filled) {
    thread_buffer& b = buffers_[thread];
    bool performed = false;
    b.ready = base::never;
    while (!b.stores.empty()) {
        const store_buffer::entry& e = b.stores.first();
        l1_line* l = data_.find(e.line());
        if (l == nullptr || !l->writable) {
            if (e.whole && find_miss(e.line()) != nullptr) break;
            if (!e.whole || l2_.find(e.line()) != nullptr)
                b.ready = fetch(thread, e.line(), kind::write, false).ready;
            else
                b.retry = !claim(thread, e.line(), e.data, true);
            break;
        }
        if (l->ready > now_ && !as_filled) {
            b.ready = l->ready;
            break;
        }
        std::memcpy(l->bytes.data() + e.paddr % coherence::line_bytes, e.data.data(), e.size);
        l->used = now_;
        own(e.line(), *l);
        client_.stored(e.paddr, e.size);
        b.stores.pop();
        performed = true;
    }
    if (!performed) return;
    if (b.stores.empty()) client_.stores_performed(thread);
    if (b.wanted) client_.wake(thread, now_ + 1);
    b.wanted = false;
}

void hierarchy::uncached(unsigned thread, std::uint32_t ticket, bool write, std::uint64_t paddr,
                         unsigned size, const std::uint8_t* data, base::cycle_t now) {
    now_ = now;
    uncached_access a;
    a.line = paddr / coherence::line_bytes;
    a.ticket = ticket;
    std::memcpy(a.data.data(), data, size);
    a.thread = static_cast<std::uint8_t>(thread);
    a.offset = static_cast<std::uint8_t>(paddr % coherence::line_bytes);
    a.size = static_cast<std::uint8_t>(size);
    a.write = write;
    uncached_accesses_.push_back(a);
    leaves_ = now + p_.request_cycles;
    start_uncached();
}

// One access to a line at a time.
void hierarchy::start_uncached() {
    start_combined();
    for (uncached_access& a : uncached_accesses_) {
        if (a.started) continue;
        coherence::line_data line{};
        std::memcpy(line.data() + a.offset, a.data.data(), a.size);
        const coherence::byte_mask bytes = (coherence::byte_mask{1} << a.size) - 1;
        a.started =
            a.write ? uncached_.write(a.line, line, bytes << a.offset) : uncached_.read(a.line);
    }
}

void hierarchy::read_complete(line_t line, const coherence::line_data& data) {
    const auto a =
        std::find_if(uncached_accesses_.begin(), uncached_accesses_.end(),
                     [line](const uncached_access& x) { return x.line == line && x.started; });
    std::memcpy(a->data.data(), data.data() + a->offset, a->size);
    client_.uncached_done(a->thread, a->ticket, a->data, now_ + p_.fill_cycles);
    uncached_accesses_.erase(a);
    start_uncached();
}

void hierarchy::write_complete(line_t line) {
    if (combined(line)) return start_uncached();
    const auto a =
        std::find_if(uncached_accesses_.begin(), uncached_accesses_.end(),
                     [line](const uncached_access& x) { return x.line == line && x.started; });
    client_.uncached_done(a->thread, a->ticket, a->data, now_ + p_.fill_cycles);
    uncached_accesses_.erase(a);
    start_uncached();
}

}  // namespace knc::cache
