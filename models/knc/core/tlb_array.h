// One set-associative array of translations.
//
// Models: tag of thread and page, what is held for it, sets by the low bits of the page number,
// round-robin replacement that takes free ways first; a hit changes nothing.
#ifndef KNC_CORE_TLB_ARRAY_H
#define KNC_CORE_TLB_ARRAY_H

#include <cstddef>
#include <cstdint>
#include <vector>

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
    };

    tlb_array(tlb_geometry, unsigned page_bits);

    // What is held for `la`, to be replaced by what a new walk has found; nullptr: nothing. Until
    // the next fill.
    isa::held_translation* find(std::uint8_t thread, std::uint64_t la);
    const isa::held_translation* find(std::uint8_t thread, std::uint64_t la) const;
    // Enters what is not held: the part at `la` of a page, or the page table for that part. The
    // entry that had to go; `valid` is false if a way was free.
    entry fill(std::uint8_t thread, std::uint64_t la, const isa::held_translation&);
    // Drops the entries of a thread, except global pages if `keep_global`.
    void flush(std::uint8_t thread, bool keep_global);
    // Drops all parts of the page at `la`, and every page table.
    void flush_page(std::uint8_t thread, std::uint64_t la);
    void reset();

    unsigned page_bits() const { return page_bits_; }

  private:
    std::size_t set_of(std::uint64_t la) const { return la >> page_bits_ & (next_.size() - 1); }
    // Whether the page that `e` is a part of, or the table, is that of `la`.
    bool covers(const entry& e, std::uint64_t la) const;

    unsigned page_bits_;
    std::uint32_t ways_;
    std::vector<entry> entries_;
    std::vector<std::uint32_t> next_;  // of each set: the way replaced next
};

}  // namespace knc::core

#endif
