// Coherence messages, addressed by index.
//
// Models no hardware. A message keeps its index until its owner releases it. All messages can be
// visited, for debug accesses. A store that has reached its final size allocates no memory.
#ifndef KNC_CARD_MESSAGE_STORE_H
#define KNC_CARD_MESSAGE_STORE_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/coherence/message.h>

namespace knc::card {

class message_store {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // The call invalidates references to other messages.
    std::uint32_t put(const coherence::message& m) {
        if (free_ == none) {
            free_ = static_cast<std::uint32_t>(entries_.size());
            entries_.emplace_back();
        }
        const std::uint32_t n = free_;
        entry& e = entries_[n];
        free_ = e.next;
        e.content = m;
        e.next = none;
        e.used = true;
        ++size_;
        return n;
    }
    void release(std::uint32_t n) {
        entries_[n].used = false;
        entries_[n].next = free_;
        free_ = n;
        --size_;
    }

    coherence::message& operator[](std::uint32_t n) { return entries_[n].content; }
    const coherence::message& operator[](std::uint32_t n) const { return entries_[n].content; }
    // The successor of the message in a list of its owner; initially none.
    std::uint32_t& next(std::uint32_t n) { return entries_[n].next; }

    std::size_t size() const { return size_; }
    // Calls visit(message&) for each message.
    template <class Visit>
    void for_each(Visit visit) {
        for (entry& e : entries_)
            if (e.used) visit(e.content);
    }
    template <class Visit>
    void for_each(Visit visit) const {
        for (const entry& e : entries_)
            if (e.used) visit(e.content);
    }

  private:
    struct entry {
        coherence::message content;
        std::uint32_t next = none;  // in the owner's list, or in the free list
        bool used = false;
    };
    std::vector<entry> entries_;
    std::uint32_t free_ = none;
    std::size_t size_ = 0;
};

}  // namespace knc::card

#endif
