// A vector whose first element begins a line of the host's cache.
//
// Models no hardware. What fits into a line of the host's cache, as the tags of a set, then never
// takes two.
#ifndef KNC_BASE_ALIGNED_VECTOR_H
#define KNC_BASE_ALIGNED_VECTOR_H

#include <cstddef>
#include <new>
#include <vector>

namespace knc::base {

inline constexpr std::size_t host_line_bytes = 64;

template <class T>
struct aligned_allocator {
    using value_type = T;

    aligned_allocator() = default;
    template <class U>
    aligned_allocator(const aligned_allocator<U>&) {}

    T* allocate(std::size_t n) {
        return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{host_line_bytes}));
    }
    void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{host_line_bytes}); }

    friend bool operator==(const aligned_allocator&, const aligned_allocator&) { return true; }
    friend bool operator!=(const aligned_allocator&, const aligned_allocator&) { return false; }
};

template <class T>
using aligned_vector = std::vector<T, aligned_allocator<T>>;

}  // namespace knc::base

#endif
