// The L1 data cache: write-combining and streaming stores, which only a fence orders with other
// stores of their thread.

#include <algorithm>
#include <cstring>
#include <utility>

#include <knc/cache/l1_data.h>

namespace knc::cache {

bool l1_data::room_to_combine(unsigned thread, line_t line, unsigned others, base::cycle_t now) {
    if (combining_[thread].room(line, others, p_.write_combining_buffers)) return true;
    combining_[thread].close_oldest();
    waits_[thread].wanted = true;
    start_uncached(now);
    return false;
}

void l1_data::combine_store(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                            base::cycle_t now) {
    combining_[thread].add(paddr, size, data);
    start_uncached(now);
}

void l1_data::send_combined(unsigned thread, base::cycle_t now) {
    combining_[thread].close_all();
    start_uncached(now);
}

void l1_data::start_combined(base::cycle_t now) {
    for (unsigned t = 0; t < threads; ++t)
        for (write_combining_buffers::entry& e : combining_[t].entries())
            if (e.closed && !e.started) e.started = l2_->write_once(t, e.line, e.data, e.mask, now);
}

// Completes the write of a write-combining buffer. Returns false if the line is not in one.
bool l1_data::combined(line_t line, base::cycle_t now) {
    for (unsigned t = 0; t < threads; ++t) {
        if (!combining_[t].complete(line)) continue;
        wake_if_wanted(t, now + p_.fill_cycles);
        return true;
    }
    return false;
}

bool l1_data::fenced(unsigned thread, base::cycle_t now) {
    const write_combining_buffers& b = combining_[thread];
    if (!b.empty()) send_combined(thread, now);
    const bool unowned =
        std::any_of(i_to_m_stores_.begin(), i_to_m_stores_.end(),
                    [=](const i_to_m_store& c) { return c.thread == thread && !c.ordered; });
    if (b.empty() && !unowned) return true;
    waits_[thread].wanted = true;
    return false;
}

outcome l1_data::streaming_store(unsigned thread, line_t line, const coherence::line_data& data,
                                 bool ordered, base::cycle_t now) {
    i_to_m_answer a = i_to_m_answer::present;
    if (!ordered && !stores_[thread].has(line)) a = l2_->request_i_to_m(thread, line, now);
    switch (a) {
        case i_to_m_answer::sent:
            i_to_m_stores_.push_back({line, data, static_cast<std::uint8_t>(thread), false});
            count_miss(thread, line, true);
            return outcome::taken();
        case i_to_m_answer::refused:
            refused_ |= static_cast<std::uint8_t>(1u << thread);
            return outcome::wait();
        default:
            break;
    }
    const outcome o = line_for_store(thread, line, 0, now);
    if (o.is_taken()) {
        stores_[thread].push_whole(line, data);
        enter_buffer(thread, line, now);
    }
    return o;
}

std::vector<l1_data::i_to_m_store>::iterator l1_data::find_i_to_m_store(line_t line) {
    return std::find_if(i_to_m_stores_.begin(), i_to_m_stores_.end(),
                        [line](const i_to_m_store& c) { return c.line == line; });
}

bool l1_data::write_owned(line_t line, std::uint8_t* bytes) const {
    const auto c = std::find_if(i_to_m_stores_.begin(), i_to_m_stores_.end(),
                                [line](const i_to_m_store& x) { return x.line == line; });
    if (c == i_to_m_stores_.end()) return false;
    std::memcpy(bytes, c->data.data(), c->data.size());
    return true;
}

// The line has been granted and is in the L1.
void l1_data::end_i_to_m_store(line_t line, base::cycle_t now) {
    const auto c = find_i_to_m_store(line);
    if (c == i_to_m_stores_.end()) return;
    const i_to_m_store done = *c;
    i_to_m_stores_.erase(c);
    // Stores to it at once, before the line can leave the caches.
    if (done.ordered) return drain(done.thread, true, now);
    own(line, *array_.find(line));
    client_->stored(line * coherence::line_bytes, coherence::line_bytes);
    wake_if_wanted(done.thread, now + 1);
}

void l1_data::wake_if_wanted(unsigned thread, base::cycle_t cycle) {
    if (std::exchange(waits_[thread].wanted, false)) client_->wake(thread, cycle);
}

}  // namespace knc::cache
