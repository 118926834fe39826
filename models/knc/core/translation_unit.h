// The TLBs in the pipelines: lookups of a thread, and the events and cycles of a walk.
//
// Models: a data walk, for which the thread waits after its issue; a code walk, for which it waits
// before its fetch. A thread caches no translation that the first level does not have. Leaves out:
// the page tables (knc/isa/paging.h). Source: docs/pipeline.md, "Translations".
#ifndef KNC_CORE_TRANSLATION_UNIT_H
#define KNC_CORE_TRANSLATION_UNIT_H

#include <cstdint>

#include <knc/base/archive_forward.h>
#include <knc/core/cycle_accounting.h>
#include <knc/core/thread.h>
#include <knc/core/tlb.h>
#include <knc/isa/paging.h>

namespace knc::core {

class translation_unit {
  public:
    translation_unit(const tlb_parameters& p, cycle_accounting& accounting, thread_table& threads)
        : tlb_(p), accounting_(accounting), threads_(threads) {}
    void reset() { tlb_.reset(); }
    // none: every walk starts at the root. none, untimed: no walk takes time or counts, as in a
    // fast-forward.
    enum class lookups : std::uint8_t { timed, untimed, none };
    void make(lookups l) { lookups_ = l; }

    // The thread's translations in the TLBs, nullptr if there is none; see isa::environment.
    const isa::held_translation* held_page(const thread&, std::uint64_t la, isa::access_kind) const;
    const isa::held_translation* held_region(const thread&, std::uint64_t la) const;
    // A walk of the thread for `la` is complete.
    void looked_up(thread&, std::uint64_t la, isa::access_kind, const isa::page_walk&,
                   bool allowed);
    void flush(const thread& t, bool keep_global) { tlb_.flush(tag(t), keep_global); }
    void flush_page(const thread& t, std::uint64_t la) { tlb_.flush_page(tag(t), la); }
    void serialize(base::archive& a);

  private:
    static std::uint8_t tag(const thread& t) { return static_cast<std::uint8_t>(t.index()); }
    void evicted(const tlb_result&, bool code);

    tlb tlb_;
    lookups lookups_ = lookups::timed;
    cycle_accounting& accounting_;
    thread_table& threads_;
};

}  // namespace knc::core

#endif
