#include <knc/core/tlb_array.h>

#include <algorithm>
#include <utility>

namespace knc::core {

tlb_array::tlb_array(tlb_geometry g, unsigned page_bits)
    : page_bits_(page_bits), ways_(g.ways), entries_(g.entries), next_(g.entries / g.ways) {}

const isa::held_translation* tlb_array::find(std::uint8_t thread, std::uint64_t la) const {
    const std::uint64_t page = la >> page_bits_;
    const std::size_t first = set_of(la) * ways_;
    for (std::size_t n = first; n < first + ways_; ++n) {
        const entry& e = entries_[n];
        if (e.valid && e.page == page && e.thread == thread) return &e.held;
    }
    return nullptr;
}

isa::held_translation* tlb_array::find(std::uint8_t thread, std::uint64_t la) {
    return const_cast<isa::held_translation*>(std::as_const(*this).find(thread, la));
}

tlb_array::entry tlb_array::fill(std::uint8_t thread, std::uint64_t la,
                                 const isa::held_translation& what) {
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(set_of(la) * ways_);
    auto place = std::find_if(first, first + ways_, [](const entry& e) { return !e.valid; });
    if (place == first + ways_) {
        std::uint32_t& next = next_[set_of(la)];
        place = first + next;
        next = (next + 1) % ways_;
    }
    return std::exchange(*place, {la >> page_bits_, thread, true, what});
}

bool tlb_array::covers(const entry& e, std::uint64_t la) const {
    const std::uint64_t bytes = std::max(e.held.page_bytes, std::uint64_t{1} << page_bits_);
    return (((e.page << page_bits_) ^ la) & ~(bytes - 1)) == 0;
}

void tlb_array::flush(std::uint8_t thread, bool keep_global) {
    for (entry& e : entries_)
        if (e.thread == thread && !(keep_global && e.held.global)) e.valid = false;
}

void tlb_array::flush_page(std::uint8_t thread, std::uint64_t la) {
    for (entry& e : entries_)
        if (e.thread == thread && (!e.held.is_page() || covers(e, la))) e.valid = false;
}

void tlb_array::reset() {
    std::fill(entries_.begin(), entries_.end(), entry{});
    std::fill(next_.begin(), next_.end(), 0);
}

}  // namespace knc::core
