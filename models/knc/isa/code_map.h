// The lines of memory that hold decoded code, so that a write to one of them reaches every decoder.
//
// Models: instruction fetch that sees earlier writes of any thread at once. One map serves all
// cores of a card; each core has a code_view of it. A write to a line without code costs nothing:
// it takes the fast path.
//
// While cores run apart, each by itself over the same cycles, a core sees what it does itself at
// once and what the others do after publish(). Nothing is lost by that: a line that one core
// decodes and another one writes goes from cache to cache in between, which takes longer than they
// run apart. So the result is the same in whatever order, or on how many host threads, they run.
#ifndef KNC_ISA_CODE_MAP_H
#define KNC_ISA_CODE_MAP_H

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <knc/base/address_map.h>
#include <knc/base/archive_forward.h>
#include <knc/isa/group_store.h>

namespace knc::isa {

class code_view;

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

    // An observer that is no core's learns of everything at once. With one, cores run on one host
    // thread.
    void attach(observer& o) { observers_.push_back(&o); }

    // Every decoder has been emptied: no line holds decoded code.
    void reset();

    // Something outside of the cores wrote [paddr, paddr + size), all within one page of RAM.
    void written(std::uint64_t paddr, unsigned size);
    // Between two steps. Decoders are loaded for themselves.
    void serialize(base::archive&);
    bool holds_code(std::uint64_t paddr) const {
        return paddr >> 12 < pages_ && (lines_[paddr >> 12] >> line_in_page(paddr) & 1) != 0;
    }

    // What all cores know of the same code; void with the code.
    group_store& groups() { return groups_; }

    // The cores run apart from now on, until publish().
    void run_apart() { apart_ = true; }
    // They have done so. What each of them has changed takes effect in the others, in the order in
    // which the views were made.
    void publish();

  private:
    friend class code_view;

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
    // Lines of a page that hold code now; everyone learns of it but `by`.
    void mark(std::uint64_t page, std::uint64_t fresh, const code_view* by);
    // No line of the page does any more, likewise.
    void drop(std::uint64_t page, const code_view* by);

    std::uint64_t pages_;
    // One bit per line of each page. Zero pages of this array cost no host memory.
    lines lines_;
    group_store groups_;
    std::vector<code_view*> views_;
    std::vector<observer*> observers_;
    bool apart_ = false;
    std::atomic<bool> changed_{false};  // by a core, since run_apart()
};

// The map as one core sees it.
class code_view {
  public:
    explicit code_view(code_map& m) : map_(m) { m.views_.push_back(this); }
    code_view(const code_view&) = delete;
    code_view& operator=(const code_view&) = delete;

    group_store& groups() { return map_.groups_; }
    // The core's decoder. Called once, before the others.
    void attach(code_map::observer& o) { core_ = &o; }

    // An instruction was decoded from [paddr, paddr + size), all within one page of RAM.
    void mark(std::uint64_t paddr, unsigned size);
    // The core wrote [paddr, paddr + size), all within one page of RAM.
    void written(std::uint64_t paddr, unsigned size);
    bool holds_code(std::uint64_t paddr) const {
        const std::uint64_t page = paddr >> 12;
        return page < map_.pages_ && (lines_of(page) >> code_map::line_in_page(paddr) & 1) != 0;
    }

  private:
    friend class code_map;

    // Lines that were marked; 0: the page was dropped.
    struct change {
        std::uint64_t page, marked;
    };

    std::uint64_t lines_of(std::uint64_t page) const {
        const std::uint64_t known = map_.lines_[page];
        return __builtin_expect(changes_.empty(), 1) ? known : changed(page, known);
    }
    std::uint64_t changed(std::uint64_t page, std::uint64_t known) const;
    void keep(const change&);

    code_map& map_;
    code_map::observer* core_ = nullptr;
    std::vector<change> changes_;  // since run_apart(), in their order
};

}  // namespace knc::isa

#endif
