// Branch target buffer and TLBs, as docs/pipeline.md describes them ("Branches", "Translations"):
// lists that are searched from end to end.
#ifndef KNC_TESTS_REFERENCE_BUFFERS_H
#define KNC_TESTS_REFERENCE_BUFFERS_H

#include <cstdint>
#include <vector>

#include <knc/core/branch_predictor.h>
#include <knc/core/tlb.h>
#include <knc/isa/paging.h>

namespace knc::reference {

// What a branch did beyond its own clocks.
struct branch_cost {
    bool flush = false, mispredicted = false;
    unsigned clocks = 0;
};

class branch_buffer {
  public:
    explicit branch_buffer(const core::branch_parameters& p) : p_(p), sets_(p.entries / p.ways) {}

    // The branch at `address` went to `target`, or on if not `taken`.
    branch_cost branch(std::uint64_t address, bool conditional, bool taken, std::uint64_t target,
                       bool in_v);

  private:
    struct entry {
        std::uint64_t address, target;
        int counter;  // 0-3, taken if more than 1
    };
    struct set {
        std::vector<entry> ways;
        std::size_t oldest = 0;
    };
    const core::branch_parameters p_;
    std::vector<set> sets_;
};

struct walk {
    bool needed = false, long_walk = false;
    unsigned clocks = 0;
};

class translation_buffers {
  public:
    explicit translation_buffers(const core::tlb_parameters&);

    // What the first level has for `la`; nullptr: nothing.
    const isa::held_translation* held_data(unsigned thread, std::uint64_t la);
    const isa::held_translation* held_code(unsigned thread, std::uint64_t la);
    // The tables map `la` with `page`.
    walk data(unsigned thread, std::uint64_t la, const isa::held_translation& page);
    walk code(unsigned thread, std::uint64_t la, const isa::held_translation& page);
    // The tables refuse the access.
    walk refused_data(unsigned thread, std::uint64_t la);
    walk refused_code(unsigned thread, std::uint64_t la);
    void forget(unsigned thread, bool keep_global);
    void forget_page(unsigned thread, std::uint64_t la);

  private:
    struct entry {
        bool valid = false;
        unsigned thread = 0;
        std::uint64_t first = 0, last = 0;            // of the part that is held
        std::uint64_t page_first = 0, page_last = 0;  // of the page it is part of
        bool global = false;
        bool table = false;  // of smaller pages, in the second level
        isa::held_translation page;
    };
    struct array {
        array(core::tlb_geometry g, std::uint64_t part_bytes)
            : part(part_bytes),
              ways(g.ways),
              sets(g.entries / g.ways),
              oldest(sets),
              entries(g.entries) {}
        std::uint64_t part;  // bytes an entry stands for
        std::size_t ways, sets;
        std::vector<std::size_t> oldest;  // of each set
        std::vector<entry> entries;       // set by set
        entry* find(unsigned thread, std::uint64_t la);
        entry made(unsigned thread, std::uint64_t la, const isa::held_translation&) const;
        void enter(std::uint64_t la, const entry&);
    };
    walk look_up(array& first, unsigned thread, std::uint64_t la, const isa::held_translation&);
    walk refused(bool held, unsigned thread, std::uint64_t la);

    const core::tlb_parameters p_;
    array small_, medium_, large_, code_, second_;
};

}  // namespace knc::reference

#endif
