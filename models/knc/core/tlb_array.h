// One set-associative array of translations: tags only.
//
// Models: tag of thread and page, sets by the low bits of the page number, round-robin replacement
// that takes free ways first; a hit changes nothing.
#ifndef KNC_CORE_TLB_ARRAY_H
#define KNC_CORE_TLB_ARRAY_H

#include <cstddef>
#include <cstdint>
#include <vector>

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
        std::uint8_t mapped_bits = 0;  // of the page it is a part of: log2 of its bytes
        bool global = false;
        bool valid = false;
    };

    tlb_array(tlb_geometry, unsigned page_bits);

    bool holds(std::uint8_t thread, std::uint64_t la) const;
    // Enters a page that is not held, the part at `la` of one of 2 ^ `mapped_bits` bytes. The entry
    // that had to go; `valid` is false if a way was free.
    entry fill(std::uint8_t thread, std::uint64_t la, unsigned mapped_bits, bool global);
    // Drops the entries of a thread, except global ones if `keep_global`.
    void flush(std::uint8_t thread, bool keep_global);
    // Drops all parts of the page at `la`.
    void flush_page(std::uint8_t thread, std::uint64_t la);
    void reset();

    unsigned page_bits() const { return page_bits_; }

  private:
    std::size_t set_of(std::uint64_t la) const { return la >> page_bits_ & (next_.size() - 1); }
    // Its place in entries_, or entries_.size().
    std::size_t find(std::uint8_t thread, std::uint64_t la) const;

    unsigned page_bits_;
    std::uint32_t ways_;
    std::vector<entry> entries_;
    std::vector<std::uint32_t> next_;  // of each set: the way replaced next
};

}  // namespace knc::core

#endif
