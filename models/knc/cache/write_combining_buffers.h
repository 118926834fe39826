// The write-combining buffers of one thread: its stores to memory of type WC.
//
// Models: a few lines, each with the bytes stored so far. The owner decides when a line is sent and
// removes it when its write is complete. Leaves out: time; that processors may send a line at any
// moment. Source: Intel SDM vol. 3, 11.3.1; the number of lines is a parameter.
#ifndef KNC_CACHE_WRITE_COMBINING_BUFFERS_H
#define KNC_CACHE_WRITE_COMBINING_BUFFERS_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <knc/coherence/message.h>

namespace knc::cache {

class write_combining_buffers {
  public:
    struct entry {
        coherence::line_t line = 0;
        coherence::byte_mask mask = 0;
        coherence::line_data data{};
        bool closed = false;   // takes no more bytes: to be sent
        bool started = false;  // its write is under way
    };

    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    // Oldest first.
    std::vector<entry>& entries() { return entries_; }

    // Whether a store to the line can be taken, together with `others` to other lines. An
    // instruction that needs more than `limit` lines gets them once there is nothing else.
    bool room(coherence::line_t line, unsigned others, std::size_t limit) const {
        return entries_.empty() || entries_.size() + others < limit ||
               std::any_of(entries_.begin(), entries_.end(),
                           [line](const entry& e) { return e.line == line && !e.closed; });
    }
    // Within one line. A line that is complete takes no more.
    void add(std::uint64_t paddr, unsigned size, const void* data) {
        const coherence::line_t line = paddr / coherence::line_bytes;
        const std::uint64_t offset = paddr % coherence::line_bytes;
        auto e = std::find_if(entries_.begin(), entries_.end(),
                              [line](const entry& x) { return x.line == line && !x.closed; });
        if (e == entries_.end()) {
            entries_.emplace_back();
            e = entries_.end() - 1;
            e->line = line;
        }
        std::memcpy(e->data.data() + offset, data, size);
        const coherence::byte_mask bytes = size == coherence::line_bytes
                                               ? coherence::all_bytes
                                               : (coherence::byte_mask{1} << size) - 1;
        e->mask |= bytes << offset;
        e->closed = e->mask == coherence::all_bytes;
    }
    void close_oldest() {
        for (entry& e : entries_) {
            if (e.closed) continue;
            e.closed = true;
            return;
        }
    }
    void close_all() {
        for (entry& e : entries_) e.closed = true;
    }
    // The write under way for the line is complete; false: there is none.
    bool complete(coherence::line_t line) {
        const auto e = std::find_if(entries_.begin(), entries_.end(),
                                    [line](const entry& x) { return x.line == line && x.started; });
        if (e == entries_.end()) return false;
        entries_.erase(e);
        return true;
    }

  private:
    std::vector<entry> entries_;
};

}  // namespace knc::cache

#endif
