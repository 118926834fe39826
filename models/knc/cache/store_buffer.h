// The store buffer of one thread: stores that have retired and wait for their lines.
//
// Models: first in, first out, so that other threads see the stores in program order (x86-TSO); the
// thread's own loads see them at once (store forwarding). Leaves out: merging of stores to one
// line; time.
#ifndef KNC_CACHE_STORE_BUFFER_H
#define KNC_CACHE_STORE_BUFFER_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>

#include <knc/coherence/message.h>

namespace knc::cache {

class store_buffer {
  public:
    // A store within one line.
    struct entry {
        std::uint64_t paddr = 0;
        unsigned size = 0;
        std::array<std::uint8_t, coherence::line_bytes> data{};
        bool whole = false;  // a streaming store: the line's data are not needed
        coherence::line_t line() const { return paddr / coherence::line_bytes; }
    };

    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    const entry& first() const { return entries_.front(); }
    const entry& last() const { return entries_.back(); }

    void push(std::uint64_t paddr, unsigned size, const void* data) {
        entry e;
        e.paddr = paddr;
        e.size = size;
        std::memcpy(e.data.data(), data, size);
        entries_.push_back(e);
    }
    void push_whole(coherence::line_t line, const coherence::line_data& data) {
        push(line * coherence::line_bytes, coherence::line_bytes, data.data());
        entries_.back().whole = true;
    }
    void pop() { entries_.pop_front(); }

    bool has(coherence::line_t line) const {
        return std::any_of(entries_.begin(), entries_.end(),
                           [line](const entry& e) { return e.line() == line; });
    }
    // Forwards stored bytes to a load of [paddr, paddr + size): overwrites `data` with them.
    void forward(std::uint64_t paddr, unsigned size, std::uint8_t* data) const {
        for (const entry& e : entries_) {
            const std::uint64_t from = std::max(paddr, e.paddr);
            const std::uint64_t to = std::min(paddr + size, e.paddr + e.size);
            if (from < to)
                std::memcpy(data + (from - paddr), e.data.data() + (from - e.paddr), to - from);
        }
    }

  private:
    std::deque<entry> entries_;
};

}  // namespace knc::cache

#endif
