// A queue that keeps its memory.
//
// Models no hardware. std::deque allocates and frees a block each few elements even when it never
// contains more than one; this queue has reached its final size soon. What has left is destroyed
// later.
#ifndef KNC_BASE_FIFO_H
#define KNC_BASE_FIFO_H

#include <cstddef>
#include <utility>
#include <vector>

namespace knc::base {

template <class T>
class fifo {
  public:
    bool empty() const { return first_ == items_.size(); }
    std::size_t size() const { return items_.size() - first_; }
    T& front() { return items_[first_]; }
    const T& front() const { return items_[first_]; }

    void push_back(T item) {
        // The elements move to the beginning when they are no more than those that have left.
        if (items_.size() == items_.capacity() && first_ >= size()) {
            items_.erase(items_.begin(), begin());
            first_ = 0;
        }
        items_.push_back(std::move(item));
    }
    void pop_front() {
        if (++first_ != items_.size()) return;
        items_.clear();
        first_ = 0;
    }

    // The elements, the oldest first.
    auto begin() { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
    auto end() { return items_.end(); }
    auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
    auto end() const { return items_.end(); }

  private:
    std::vector<T> items_;
    std::size_t first_ = 0;
};

}  // namespace knc::base

#endif
