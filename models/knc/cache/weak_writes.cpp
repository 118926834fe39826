// Writes that nothing orders with others of their thread but a fence: combined ones, streaming
// ones.

#include <algorithm>
#include <cstring>
#include <utility>

#include <knc/cache/hierarchy.h>

namespace knc::cache {

bool hierarchy::room_to_combine(unsigned thread, line_t line, unsigned others, base::cycle_t now) {
    thread_buffer& b = buffers_[thread];
    if (b.combining.room(line, others, p_.combining_buffers)) return true;
    now_ = now;
    leaves_ = now + p_.request_cycles;
    b.combining.close_oldest();
    b.wanted = true;
    start_uncached();
    return false;
}

void hierarchy::combine(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                        base::cycle_t now) {
    now_ = now;
    leaves_ = now + p_.request_cycles;
    buffers_[thread].combining.add(paddr, size, data);
    start_uncached();
}

void hierarchy::send_combined(unsigned thread, base::cycle_t now) {
    now_ = now;
    leaves_ = now + p_.request_cycles;
    buffers_[thread].combining.close_all();
    start_uncached();
}

void hierarchy::start_combined() {
    for (thread_buffer& b : buffers_)
        for (combining_buffers::entry& e : b.combining.entries())
            if (e.closed && !e.started) e.started = uncached_.write(e.line, e.data, e.mask);
}

// The line's write is complete, if it was one of these.
bool hierarchy::combined(line_t line) {
    for (unsigned t = 0; t < threads; ++t) {
        if (!buffers_[t].combining.complete(line)) continue;
        wake_if_wanted(t, p_.fill_cycles);
        return true;
    }
    return false;
}

bool hierarchy::fenced(unsigned thread, base::cycle_t now) {
    thread_buffer& b = buffers_[thread];
    if (!b.combining.empty()) send_combined(thread, now);
    const bool claims = std::any_of(claims_.begin(), claims_.end(), [=](const line_claim& c) {
        return c.thread == thread && !c.ordered;
    });
    if (b.combining.empty() && !claims) return true;
    b.wanted = true;
    return false;
}

lookup hierarchy::stream(unsigned thread, line_t line, const coherence::line_data& data,
                         bool ordered, base::cycle_t now) {
    now_ = now;
    thread_buffer& b = buffers_[thread];
    const bool known = l2_.find(line) != nullptr || find_miss(line) != nullptr;
    if (ordered || known || b.stores.has(line)) {
        const lookup r = store(thread, line, 0, now);
        if (r.line == nullptr && r.ready == now) {
            b.stores.push_whole(line, data);
            enter_buffer(thread, line);
        }
        return r;
    }
    if (!claim(thread, line, data, false)) {
        retry_ |= static_cast<std::uint8_t>(1u << thread);
        return {};
    }
    count_data_miss(thread, line, true);
    return {nullptr, now};
}

// Asks for the right to write a line that is not here.
bool hierarchy::claim(unsigned thread, line_t line, const coherence::line_data& data,
                      bool ordered) {
    if (!request(line, want::whole, start_lookup())) {
        take_back_lookup();
        return false;
    }
    miss m;
    m.line = line;
    m.type = kind::write;
    m.thread = static_cast<std::uint8_t>(thread);
    m.to_data = true;
    add_miss(m);
    claims_.push_back({line, data, static_cast<std::uint8_t>(thread), ordered});
    return true;
}

std::vector<hierarchy::line_claim>::iterator hierarchy::find_claim(line_t line) {
    return std::find_if(claims_.begin(), claims_.end(),
                        [line](const line_claim& c) { return c.line == line; });
}

void hierarchy::overwrite(line_t line, coherence::l2_slot slot) {
    const auto c = find_claim(line);
    if (c == claims_.end()) return network_.protocol_error("a line is granted nobody has claimed");
    std::memcpy(slot.data, c->data.data(), c->data.size());
}

// The line has been granted, and is in the L1.
void hierarchy::end_claim(line_t line) {
    const auto c = find_claim(line);
    if (c == claims_.end()) return;
    const line_claim done = *c;
    claims_.erase(c);
    // At once, before anything else makes the line leave the caches.
    if (done.ordered) return drain(done.thread, true);
    const unsigned thread = done.thread;
    own(line, *data_.find(line));
    client_.stored(line * coherence::line_bytes, coherence::line_bytes);
    wake_if_wanted(thread, 1);
}

void hierarchy::wake_if_wanted(unsigned thread, base::cycle_t clocks) {
    if (std::exchange(buffers_[thread].wanted, false)) client_.wake(thread, now_ + clocks);
}

}  // namespace knc::cache
