// A pool of objects, addressed by index and reused. A pool that has reached its final size
// allocates no memory.
#ifndef KNC_COHERENCE_POOL_H
#define KNC_COHERENCE_POOL_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace knc::coherence {

template <class T>
class pool {
  public:
    // The index of an object, which is new or as its last user has left it. The call invalidates
    // references to other objects of the pool.
    std::uint32_t take() {
        if (free_.empty()) {
            objects_.emplace_back();
            return static_cast<std::uint32_t>(objects_.size() - 1);
        }
        const std::uint32_t n = free_.back();
        free_.pop_back();
        return n;
    }
    void give_back(std::uint32_t n) { free_.push_back(n); }

    T& operator[](std::uint32_t n) { return objects_[n]; }
    const T& operator[](std::uint32_t n) const { return objects_[n]; }

    std::size_t used() const { return objects_.size() - free_.size(); }

    void clear() {
        objects_.clear();
        free_.clear();
    }

  private:
    std::vector<T> objects_;
    std::vector<std::uint32_t> free_;
};

}  // namespace knc::coherence

#endif
