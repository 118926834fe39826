#include <knc/isa/breakpoints.h>

#include <algorithm>

namespace knc::isa {

void breakpoints::derive(const state& s) {
    constexpr unsigned lengths[] = {1, 2, 8, 4};
    const std::uint64_t dr7 = s.dr[7];
    kinds_ = outside_ != nullptr ? outside : 0;
    for (unsigned n = 0; n < entries_.size(); ++n) {
        const unsigned kind = 1u << (dr7 >> (16 + 4 * n) & 3);
        const std::uint64_t length = kind == executes ? 1 : lengths[dr7 >> (18 + 4 * n) & 3];
        const bool exists = kind != ports || (s.cr4 & cr4_de) != 0;
        const bool enabled = (dr7 >> 2 * n & 3) != 0;
        entry& e = entries_[n];
        e.first = s.dr[n] & ~(length - 1);
        e.last = e.first + (length - 1);
        e.kind = enabled && exists ? kind : 0;
        kinds_ |= e.kind;
    }
}

bool breakpoints::in_page(unsigned kinds, std::uint64_t la) const {
    if ((kinds_ & kinds) == 0) return false;
    for (const entry& e : entries_) {
        if ((e.kind & kinds) != 0 && e.first >> 12 == la >> 12) return true;
    }
    return false;
}

bool breakpoints::outside_in_page(std::uint64_t la) const {
    return std::any_of(outside_->begin(), outside_->end(), [la](const outside_watch& w) {
        return w.first >> 12 <= la >> 12 && la >> 12 <= w.last >> 12;
    });
}

void breakpoints::note(std::uint64_t first, unsigned size, bool write) {
    const std::uint64_t last = first + (size - 1);
    for (std::size_t n = 0; !hit_ && n < outside_->size(); ++n) {
        const outside_watch& w = (*outside_)[n];
        if ((write ? w.writes : w.reads) && first <= w.last && w.first <= last)
            hit_ = outside_hit{n, std::max(first, w.first)};
    }
}

std::uint32_t breakpoints::matches(unsigned kinds, std::uint64_t first, unsigned size) const {
    const std::uint64_t last = first + (size - 1);
    std::uint32_t met = 0;
    for (unsigned n = 0; n < entries_.size(); ++n) {
        const entry& e = entries_[n];
        if ((e.kind & kinds) != 0 && first <= e.last && e.first <= last) met |= 1u << n;
    }
    return met;
}

}  // namespace knc::isa
