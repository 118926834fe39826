// The translation lookaside buffers of a core: which translations are held and what a miss costs.
//
// Models: a first level for data (one array per page size), a first level for code, and a second
// level for both. The second level holds 2 MB regions: a 2 MB page, or the page table of smaller
// pages. A held translation is used without reading the page tables, until it is flushed. The four
// threads share the arrays; a tag names the thread. Leaves out: the cycles of a walk's own reads (a
// walk takes a fixed number of cycles).
// Source of the sizes and clocks: beside them; decisions: docs/pipeline.md.
#ifndef KNC_CORE_TLB_H
#define KNC_CORE_TLB_H

#include <cstdint>

#include <knc/core/tlb_array.h>

namespace knc::core {

struct tlb_parameters {
    // Unverified, but for the 64 entries of the second level (Hot Chips 2012).
    tlb_geometry data_4k{64, 4};
    tlb_geometry data_64k{32, 4};
    tlb_geometry data_2m{8, 4};
    tlb_geometry code{32, 4};
    tlb_geometry second{64, 4};
    // Clocks of a first-level miss that the second level answers for a 4 KB and for a 2 MB page,
    // and of one it does not (at least): as LIKWID's TLB group says. 64 KB pages as 4 KB,
    // unverified.
    std::uint32_t short_walk_cycles_4k = 25;
    std::uint32_t short_walk_cycles_2m = 8;
    std::uint32_t long_walk_cycles = 100;
};

struct tlb_result {
    bool l1_hit = false;
    bool l2_hit = false;       // looked up after a first-level miss only
    std::uint32_t clocks = 0;  // of the walk
    // What the first level dropped for it: the linear page, its bytes (0: nothing was dropped) and
    // whose it was, which may be another thread; or the page itself, as the tables had it before.
    std::uint64_t evicted_page = 0;
    std::uint64_t evicted_bytes = 0;
    std::uint8_t evicted_thread = 0;
};

class tlb {
  public:
    explicit tlb(const tlb_parameters& = {});

    // The page `thread` has at `la` for data or code, nullptr if the first level does not hold it.
    // What is held is valid until the next access or flush.
    const isa::held_translation* held_data(std::uint8_t thread, std::uint64_t la) const;
    const isa::held_translation* held_code(std::uint8_t thread, std::uint64_t la) const;
    // What the second level has for the region of `la`: a page, or the page table.
    const isa::held_translation* held_region(std::uint8_t thread, std::uint64_t la) const {
        return second_.find(thread, la);
    }

    // A translation of `la` by `thread` for which the walk found a page. A miss enters it at both
    // levels; what they held of it already is replaced.
    tlb_result access_data(std::uint8_t thread, std::uint64_t la, const isa::page_walk&);
    tlb_result access_code(std::uint8_t thread, std::uint64_t la, const isa::page_walk&);

    // The tables refuse `thread` the page at `la`: nothing is entered. A hit: it is held all the
    // same, from before it was refused.
    tlb_result refuse_data(std::uint8_t thread, std::uint64_t la) const;
    tlb_result refuse_code(std::uint8_t thread, std::uint64_t la) const;

    // CR3 and the like: what `thread` holds, except global pages if `keep_global`.
    void flush(std::uint8_t thread, bool keep_global);
    // INVLPG: the page at `la`, global or not, and the page tables of all regions.
    void flush_page(std::uint8_t thread, std::uint64_t la);
    void reset();

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
