#include <knc/isa/memory_type.h>

#include <algorithm>
#include <iterator>

#include <knc/base/bits.h>
#include <knc/isa/paging.h>

namespace knc::isa {
namespace {

constexpr memory_type uc = memory_type::uncacheable, wc = memory_type::write_combining,
                      wt = memory_type::write_through, wp = memory_type::write_protected,
                      wb = memory_type::write_back;
constexpr std::uint64_t frame = base::mask(physical_address_bits) & ~base::mask(12);

memory_type type_in(std::uint64_t register_value, unsigned byte) {
    return static_cast<memory_type>(register_value >> 8 * byte & 0xff);
}

// The fixed ranges: eight of 64 KB, sixteen of 16 KB, sixty-four of 4 KB.
memory_type fixed_type(const memory_type_registers& r, std::uint64_t paddr) {
    struct block {
        std::uint64_t start;
        unsigned shift, first_register;
    };
    constexpr block blocks[] = {{0xc'0000, 12, 3}, {0x8'0000, 14, 1}, {0, 16, 0}};
    const block& b = *std::find_if(std::begin(blocks), std::end(blocks),
                                   [=](const block& x) { return paddr >= x.start; });
    const std::uint64_t n = (paddr - b.start) >> b.shift;
    return type_in(r.fixed[b.first_register + n / 8], static_cast<unsigned>(n % 8));
}

memory_type combine(memory_type a, memory_type b) {
    if (a == b) return a;
    const bool through = (a == wt && b == wb) || (a == wb && b == wt);
    return through ? wt : uc;
}

}  // namespace

std::uint64_t range_mask(std::uint64_t size) {
    return frame & ~(size - 1);
}

bool is_range_type(std::uint64_t code) {
    return code <= 1 || (code >= 4 && code <= 6);
}
bool is_page_type(std::uint64_t code) {
    return is_range_type(code) || code == 7;
}

memory_type range_type(const memory_type_registers& r, std::uint64_t paddr) {
    if ((r.default_type & ranges_enabled) == 0) return uc;
    if ((r.default_type & fixed_ranges_enabled) != 0 && paddr < 0x10'0000) {
        return fixed_type(r, paddr);
    }
    bool found = false;
    memory_type type = type_in(r.default_type, 0);
    for (std::size_t n = 0; n < r.base.size(); ++n) {
        const std::uint64_t mask = r.mask[n] & frame;
        if ((r.mask[n] & range_valid) == 0 || ((paddr ^ r.base[n]) & mask) != 0) continue;
        type = found ? combine(type, type_in(r.base[n], 0)) : type_in(r.base[n], 0);
        found = true;
    }
    return type;
}

memory_type effective_type(memory_type range, memory_type page) {
    struct row {
        memory_type range;
        // by PAT entry: UC, WC, WT, WP, WB, UC-
        memory_type result[6];
    };
    constexpr row rows[] = {
        {uc, {uc, wc, uc, uc, uc, uc}}, {wc, {uc, wc, uc, uc, wc, wc}},
        {wt, {uc, wc, wt, wp, wt, uc}}, {wp, {uc, wc, wt, wp, wp, wc}},
        {wb, {uc, wc, wt, wp, wb, uc}},
    };
    constexpr memory_type pages[] = {uc, wc, wt, wp, wb, memory_type::uncached};
    const auto column = std::find(std::begin(pages), std::end(pages), page) - std::begin(pages);
    return std::find_if(std::begin(rows), std::end(rows),
                        [=](const row& x) { return x.range == range; })
        ->result[column];
}

memory_type access_type(const state& s, std::uint64_t paddr, int pat_entry) {
    if ((s.cr0 & cr0_cd) != 0) return uc;
    const memory_type range = range_type(s.memory_types, paddr);
    if (pat_entry < 0) return range;
    return effective_type(range, type_in(s.memory_types.pat, static_cast<unsigned>(pat_entry)));
}

}  // namespace knc::isa
