// One set-associative array of translations.
//
// Models: a tag of thread and page, sets by the low bits of the page number, round-robin
// replacement that uses free ways first. A hit changes no state. Leaves out: levels and costs
// (tlb.h). Source: docs/pipeline.md, "Translations".
#ifndef KNC_CORE_TLB_ARRAY_H
#define KNC_CORE_TLB_ARRAY_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/isa/paging.h>

namespace knc::core {

// Powers of two; ways <= entries.
struct tlb_geometry {
    std::uint32_t entries;
    std::uint32_t ways;
};

class tlb_array {
  public:
    struct entry {
        std::uint64_t page = 0;  // linear address divided by the array's page size
        std::uint8_t thread = 0;
        bool valid = false;
        isa::held_translation held;

        void serialize(base::archive&);
    };

    tlb_array(tlb_geometry, unsigned page_bits);

    // The entry for `la`, so that a new walk can replace it; nullptr if there is none. Valid until
    // the next fill.
    isa::held_translation* find(std::uint8_t thread, std::uint64_t la);
    const isa::held_translation* find(std::uint8_t thread, std::uint64_t la) const;
    // Inserts a translation that the array does not have: the part of a page at `la`, or the page
    // table for that part. Returns the evicted entry; `valid` is false if a way was free.
    entry fill(std::uint8_t thread, std::uint64_t la, const isa::held_translation&);
    // Flushes the entries of a thread, except global pages if `keep_global`.
    void flush(std::uint8_t thread, bool keep_global);
    // Flushes all parts of the page at `la`, and every page table.
    void flush_page(std::uint8_t thread, std::uint64_t la);
    void reset();
    // Loads into an array of the same geometry.
    void serialize(base::archive&);

    unsigned page_bits() const { return page_bits_; }

  private:
    std::size_t set_of(std::uint64_t la) const { return la >> page_bits_ & (next_.size() - 1); }
    // Whether `e` belongs to the page or page table of `la`.
    bool covers(const entry& e, std::uint64_t la) const;

    unsigned page_bits_;
    std::uint32_t ways_;
    std::vector<entry> entries_;
    std::vector<std::uint32_t> next_;  // per set: the way replaced next
};

}  // namespace knc::core

#endif
