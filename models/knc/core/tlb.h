// The translation lookaside buffers of a core: the translations they have and the cost of a miss.
//
// Models: a first level for data (one array per page size), a first level for code, and a second
// level for both. The second level contains 2 MB regions: a 2 MB page, or the page table of smaller
// pages. A translation in the TLB is used without reading the page tables, until it is flushed. The
// four threads share the arrays; a tag names the thread. Leaves out: the cycles of a walk's own
// reads (a walk takes a fixed number of cycles). Source of the sizes and cycles: the comments
// beside them; decisions: docs/pipeline.md.
#ifndef KNC_CORE_TLB_H
#define KNC_CORE_TLB_H

#include <cstdint>

#include <knc/core/tlb_array.h>

namespace knc::core {

struct tlb_parameters {
    // Unverified, except the 64 entries of the second level (Hot Chips 2012).
    tlb_geometry data_4k{64, 4};
    tlb_geometry data_64k{32, 4};
    tlb_geometry data_2m{8, 4};
    tlb_geometry code{32, 4};
    tlb_geometry second{64, 4};
    // Cycles of a first-level miss that hits the second level, for a 4 KB and for a 2 MB page, and
    // of one that misses it (at least): from LIKWID's TLB group. 64 KB pages as 4 KB, unverified.
    std::uint32_t short_walk_cycles_4k = 25;
    std::uint32_t short_walk_cycles_2m = 8;
    std::uint32_t long_walk_cycles = 100;
};

struct tlb_result {
    bool l1_hit = false;
    bool l2_hit = false;       // valid after a first-level miss only
    std::uint32_t clocks = 0;  // of the walk
    // The entry that the first level evicted: its linear page, its bytes (0: none) and its thread,
    // which may be another one. Or the page itself, with the translation that it had before.
    std::uint64_t evicted_page = 0;
    std::uint64_t evicted_bytes = 0;
    std::uint8_t evicted_thread = 0;
};

class tlb {
  public:
    explicit tlb(const tlb_parameters& = {});

    // The translation of `thread` at `la` for data or code; nullptr if the first level has none. It
    // is valid until the next access or flush.
    const isa::held_translation* held_data(std::uint8_t thread, std::uint64_t la) const;
    const isa::held_translation* held_code(std::uint8_t thread, std::uint64_t la) const;
    // The second level's entry for the region of `la`: a page, or the page table.
    const isa::held_translation* held_region(std::uint8_t thread, std::uint64_t la) const {
        return second_.find(thread, la);
    }

    // An access of `thread` to `la`, for which the walk found a page. A miss fills both levels and
    // replaces their entries for the page.
    tlb_result access_data(std::uint8_t thread, std::uint64_t la, const isa::page_walk&);
    tlb_result access_code(std::uint8_t thread, std::uint64_t la, const isa::page_walk&);

    // The page tables deny `thread` the page at `la`: no entry is filled. A hit: the TLB still has
    // an earlier translation.
    tlb_result refuse_data(std::uint8_t thread, std::uint64_t la) const;
    tlb_result refuse_code(std::uint8_t thread, std::uint64_t la) const;

    // Write of CR3 and the like: flushes all entries of `thread`, except global pages if
    // `keep_global`.
    void flush(std::uint8_t thread, bool keep_global);
    // INVLPG: flushes the page at `la`, global or not, and the page tables of all regions.
    void flush_page(std::uint8_t thread, std::uint64_t la);
    void reset();
    void serialize(base::archive&);

  private:
    tlb_result access(tlb_array& first, std::uint8_t thread, std::uint64_t la,
                      const isa::page_walk&);
    tlb_array& data_array(std::uint64_t page_bytes);
    tlb_result refuse(bool held, std::uint8_t thread, std::uint64_t la) const;
    template <class Do>
    void each(Do);

    const tlb_parameters parameters_;
    tlb_array data_4k_, data_64k_, data_2m_, code_, second_;
};

}  // namespace knc::core

#endif
