// Whether memory may be cached: memory type range registers (MTRRs), page attributes, CR0.CD.
//
// Models: the type of each page by the variable, fixed and default ranges and by the PAT entry its
// translation selects, and how the two combine. An access to memory that may not be cached always
// goes to memory and counts as a miss.
// Stores to memory of type WC may be combined. Leaves out: what distinguishes the cacheable types
// (WB, WT, WP) from each other; the types of page-table accesses themselves.
// Source: Intel SDM vol. 3, 11.3, 11.5, 11.11 and 11.12.
#ifndef KNC_ISA_MEMORY_TYPE_H
#define KNC_ISA_MEMORY_TYPE_H

#include <cstdint>

#include <knc/isa/state.h>

namespace knc::isa {

// As the registers encode them.
enum class memory_type : std::uint8_t {
    uncacheable = 0,
    write_combining = 1,
    write_through = 4,
    write_protected = 5,
    write_back = 6,
    uncached = 7  // UC-: in the PAT only
};

inline constexpr std::uint64_t ranges_enabled = 1u << 11, fixed_ranges_enabled = 1u << 10,
                               range_valid = 1u << 11;
// IA32_MTRR_PHYSMASKn, without its valid bit, of a naturally aligned block of `size` bytes, a power
// of two of at least 4 KB.
std::uint64_t range_mask(std::uint64_t size);

// Whether MTRRs, or PAT entries, take `code`.
bool is_range_type(std::uint64_t code);
bool is_page_type(std::uint64_t code);

// The type of the page at `paddr` by the MTRRs. Where ranges overlap, UC wins, WT wins over WB, any
// other mixture is UC.
memory_type range_type(const memory_type_registers&, std::uint64_t paddr);
// The type by both together (SDM table 11-7); never UC-.
memory_type effective_type(memory_type range, memory_type page);
// The type for a thread's accesses: UC if it has caching off (CR0.CD). `pat_entry` is the entry
// 0-7 that the translation selects, or -1 without paging. Never UC-.
memory_type access_type(const state&, std::uint64_t paddr, int pat_entry);
// Whether caches may keep copies.
constexpr bool cacheable(memory_type t) {
    return t >= memory_type::write_through;
}

}  // namespace knc::isa

#endif
