// The write-combining buffers of one thread: its stores to memory of type WC.
//
// Models: a few lines, each with the bytes stored so far. The owner decides when to send a line and
// removes it when its write is complete. Leaves out: time; sending a line at an arbitrary moment,
// which processors may do. Source: Intel SDM vol. 3, 11.3.1; the number of lines is a parameter.
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
        bool closed = false;   // accepts no more bytes and is to be sent
        bool started = false;  // its write is outstanding
    };

    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    // Oldest first.
    std::vector<entry>& entries() { return entries_; }

    // Whether a store to the line, together with `others` to other lines, finds a buffer. An
    // instruction that needs more than `limit` lines gets them when all buffers are free.
    bool room(coherence::line_t line, unsigned others, std::size_t limit) const {
        return entries_.empty() || entries_.size() + others < limit ||
               std::any_of(entries_.begin(), entries_.end(),
                           [line](const entry& e) { return e.line == line && !e.closed; });
    }
    // A store within one line. A complete line accepts no more stores.
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
    // The outstanding write of the line is complete; returns false if there is none.
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
