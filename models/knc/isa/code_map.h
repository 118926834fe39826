// The lines of memory that hold decoded code, so that a write to one of them reaches every decoder.
//
// Models: instruction fetch that sees earlier writes of any thread at once. One map serves all
// cores of a card. A write to a line without code costs nothing: it takes the fast path.
#ifndef KNC_ISA_CODE_MAP_H
#define KNC_ISA_CODE_MAP_H

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <knc/base/address_map.h>

namespace knc::isa {

class code_map {
  public:
    struct observer {
        // The line at `paddr` now holds code: the core must report writes to it by written().
        virtual void code_marked(std::uint64_t paddr) = 0;
        // Code of the page was overwritten: everything decoded from it is void.
        virtual void code_dropped(std::uint64_t page_number) = 0;

      protected:
        ~observer() = default;
    };

    // `memory_size` in bytes: the map covers physical addresses below it.
    explicit code_map(std::uint64_t memory_size);

    void attach(observer& o) { observers_.push_back(&o); }

    // Every decoder has been emptied: no line holds decoded code.
    void reset();

    // An instruction was decoded from [paddr, paddr + size), all within one page of RAM.
    void mark(std::uint64_t paddr, unsigned size);
    // The guest wrote [paddr, paddr + size), all within one page of RAM.
    void written(std::uint64_t paddr, unsigned size);
    bool holds_code(std::uint64_t paddr) const {
        return paddr >> 12 < pages_ && (lines_[paddr >> 12] >> line_in_page(paddr) & 1) != 0;
    }

  private:
    struct free_memory {
        void operator()(std::uint64_t* p) const { std::free(p); }
    };
    using lines = std::unique_ptr<std::uint64_t[], free_memory>;
    static lines no_lines(std::uint64_t pages);
    // The lines of [paddr, paddr + size), which lies within one page.
    static std::uint64_t line_mask(std::uint64_t paddr, unsigned size);
    static unsigned line_in_page(std::uint64_t paddr) {
        return static_cast<unsigned>((paddr & 0xfff) >> base::line_bits);
    }

    std::uint64_t pages_;
    // One bit per line of each page. Zero pages of this array cost no host memory.
    lines lines_;
    std::vector<observer*> observers_;
};

}  // namespace knc::isa

#endif
