// Memory with an unmapped page before and behind it, so that an access beyond it ends the program.
#ifndef KNC_TESTS_SUPPORT_GUARDED_MEMORY_H
#define KNC_TESTS_SUPPORT_GUARDED_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <new>

#include <sys/mman.h>

namespace knc::test {

class guarded_memory {
  public:
    // `size`: a multiple of 4 KB.
    explicit guarded_memory(std::size_t size) : size_(size) {
        void* p = mmap(nullptr, size + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) throw std::bad_alloc{};
        all_ = static_cast<std::uint8_t*>(p);
        mprotect(data(), size, PROT_READ | PROT_WRITE);
    }
    ~guarded_memory() { munmap(all_, size_ + 2 * guard); }
    guarded_memory(const guarded_memory&) = delete;
    guarded_memory& operator=(const guarded_memory&) = delete;

    std::uint8_t* data() { return all_ + guard; }
    std::uint8_t* end() { return data() + size_; }
    std::size_t size() const { return size_; }

  private:
    static constexpr std::size_t guard = 0x1000;
    std::uint8_t* all_;
    std::size_t size_;
};

}  // namespace knc::test

#endif
