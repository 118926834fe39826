#include <knc/core/tlb_array.h>

#include <algorithm>

namespace knc::core {

tlb_array::tlb_array(tlb_geometry g, unsigned page_bits)
    : page_bits_(page_bits), ways_(g.ways), entries_(g.entries), next_(g.entries / g.ways) {}

std::size_t tlb_array::find(std::uint8_t thread, std::uint64_t la) const {
    const std::uint64_t page = la >> page_bits_;
    const std::size_t first = set_of(la) * ways_;
    for (std::size_t n = first; n < first + ways_; ++n)
        if (entries_[n].valid && entries_[n].page == page && entries_[n].thread == thread) return n;
    return entries_.size();
}

bool tlb_array::holds(std::uint8_t thread, std::uint64_t la) const {
    return find(thread, la) != entries_.size();
}

tlb_array::entry tlb_array::fill(std::uint8_t thread, std::uint64_t la, unsigned mapped_bits,
                                 bool global) {
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(set_of(la) * ways_);
    auto place = std::find_if(first, first + ways_, [](const entry& e) { return !e.valid; });
    if (place == first + ways_) {
        std::uint32_t& next = next_[set_of(la)];
        place = first + next;
        next = (next + 1) % ways_;
    }
    const entry gone = *place;
    *place = {la >> page_bits_, thread,
              static_cast<std::uint8_t>(std::max(mapped_bits, page_bits_)), global, true};
    return gone;
}

void tlb_array::flush(std::uint8_t thread, bool keep_global) {
    for (entry& e : entries_)
        if (e.thread == thread && !(keep_global && e.global)) e.valid = false;
}

void tlb_array::flush_page(std::uint8_t thread, std::uint64_t la) {
    for (entry& e : entries_)
        if (e.thread == thread && ((e.page << page_bits_) ^ la) >> e.mapped_bits == 0)
            e.valid = false;
}

void tlb_array::reset() {
    std::fill(entries_.begin(), entries_.end(), entry{});
    std::fill(next_.begin(), next_.end(), 0);
}

}  // namespace knc::core
