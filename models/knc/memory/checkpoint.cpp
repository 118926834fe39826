// The content of the memory; docs/checkpoints.md.
#include <algorithm>
#include <array>
#include <fstream>

#include <sys/mman.h>
#include <unistd.h>

#include <knc/base/archive.h>
#include <knc/memory/ram.h>

namespace knc::memory {

namespace {

constexpr std::uint64_t page_bytes = 0x1000, no_page = ~std::uint64_t{0};

// Which pages of the memory the host has in use. To read another one, which is all zeros, would
// take longer than most checkpoints. Source: the kernel's Documentation/admin-guide/mm/pagemap.rst.
class used_pages {
  public:
    explicit used_pages(const std::uint8_t* memory)
        : first_(reinterpret_cast<std::uintptr_t>(memory) / page_bytes) {
        if (sysconf(_SC_PAGESIZE) == static_cast<long>(page_bytes))
            map_.open("/proc/self/pagemap", std::ios::binary);
    }
    // Asked in ascending order. Where the host does not tell, every page may be in use.
    bool may_be_used(std::uint64_t n) {
        if (n >= known_) read(n);
        return !map_ || (entries_[n % entries_.size()] & (present | swapped)) != 0;
    }

  private:
    static constexpr std::uint64_t present = std::uint64_t{1} << 63,
                                   swapped = std::uint64_t{1} << 62;

    void read(std::uint64_t n) {
        map_.seekg(static_cast<std::streamoff>((first_ + n) * sizeof entries_[0]));
        map_.read(reinterpret_cast<char*>(entries_.data()), sizeof entries_);
        known_ = n + entries_.size();
    }

    const std::uint64_t first_;
    std::ifstream map_;
    std::array<std::uint64_t, 1024> entries_{};
    std::uint64_t known_ = 0;  // pages below are in `entries_`
};

bool blank(const std::uint8_t* page) {
    static constexpr std::array<std::uint8_t, page_bytes> zeros{};
    return std::equal(zeros.begin(), zeros.end(), page);
}

}  // namespace

void ram::serialize(base::archive& a) {
    const std::uint64_t pages = size_ / page_bytes;
    std::uint64_t number = no_page;
    if (!a.loading()) {
        used_pages used(data_);
        for (std::uint64_t n = 0; n < pages; ++n) {
            if (!used.may_be_used(n) || blank(data_ + n * page_bytes)) continue;
            number = n;
            a(number);
            a.bytes(data_ + n * page_bytes, page_bytes);
        }
        number = no_page;
        a(number);
        return;
    }
    // All pages are zeros again.
    madvise(data_, size_, MADV_DONTNEED);
    for (a(number); number != no_page; a(number)) {
        if (number >= pages) throw base::archive_error("a page outside of the memory");
        a.bytes(data_ + number * page_bytes, page_bytes);
    }
}

}  // namespace knc::memory
