// The content of the memory; docs/checkpoints.md.
#include <algorithm>
#include <array>

#include <sys/mman.h>

#include <knc/base/archive.h>
#include <knc/memory/ram.h>

namespace knc::memory {

namespace {

constexpr std::uint64_t page_bytes = 0x1000, no_page = ~std::uint64_t{0};

bool blank(const std::uint8_t* page) {
    static constexpr std::array<std::uint8_t, page_bytes> zeros{};
    return std::equal(zeros.begin(), zeros.end(), page);
}

}  // namespace

void ram::serialize(base::archive& a) {
    const std::uint64_t pages = size_ / page_bytes;
    std::uint64_t number = no_page;
    if (!a.loading()) {
        for (std::uint64_t n = 0; n < pages; ++n) {
            if (blank(data_ + n * page_bytes)) continue;
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
