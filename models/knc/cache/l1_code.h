// The L1 code cache of a tile.
//
// Models: lookups with CODE_CACHE_MISS, fills from the L2, invalidation of a line by a store of
// this or another tile. A thread can fetch what it has stored: its store buffer drains first.
// Leaves out: the number of lookups that one port can serve in a cycle, ECC. Source: knc fact sheet
// 4; decisions: docs/hierarchy.md.
#ifndef KNC_CACHE_L1_CODE_H
#define KNC_CACHE_L1_CODE_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <knc/base/event.h>
#include <knc/cache/l1_if.h>
#include <knc/cache/levels_if.h>
#include <knc/cache/line_pins.h>
#include <knc/cache/lines.h>
#include <knc/cache/parameters.h>
#include <knc/cache/set_array.h>

namespace knc::cache {

class l1_code final : public l1i_if, public l1i_snoop_if, public l1i_copies_if {
  public:
    static constexpr std::size_t threads = base::threads_per_core;

    // The parameters must be possible; see impossible(). `pins` are those of the tile.
    l1_code(const parameters&, base::ledger&, line_pins& pins);
    // Called before the first access.
    void connect(l1_client_if&, l2_if&, l1d_stores_if&);

    // l1i_if
    outcome line_for_fetch(unsigned thread, line_t, bool cacheable, base::cycle_t now) override;
    bool use_code(unsigned thread, line_t line, base::cycle_t now) override {
        l1_line* l = array_.find(line);
        if (l == nullptr || l->ready > now) return false;
        const store_buffer& stores = *stores_[thread];
        if (!stores.empty() && stores.has(line)) return false;
        l->used = now;
        return true;
    }
    const std::uint8_t* code_at_hand(line_t, base::cycle_t now) const override;
    bool holds_code(line_t line) const override { return array_.find(line) != nullptr; }

    // l1_fill_if, l1i_snoop_if
    void fill(const line_fill&, base::cycle_t now) override;
    void retry(base::cycle_t now) override;
    void drop(line_t) override;

    // l1i_copies_if
    bool has(line_t line) const override { return holds_code(line); }
    bool arriving(line_t line, base::cycle_t now) const override {
        const l1_line* l = array_.find(line);
        return l != nullptr && l->ready > now;
    }
    void completed(unsigned thread) override { counted_[thread].clear(); }

    // Debug access: overwrites bytes of the line, if the cache has it.
    void debug_write(line_t, const std::uint8_t* data, coherence::byte_mask);

  private:
    bool first_miss(unsigned thread, line_t);

    const base::cycle_t pin_cycles_;
    base::ledger& ledger_;
    line_pins& pins_;
    l1_client_if* client_ = nullptr;
    l2_if* l2_ = nullptr;
    l1d_stores_if* data_ = nullptr;
    std::array<const store_buffer*, threads> stores_{};
    set_array<l1_line> array_;
    std::uint8_t refused_ = 0;  // bit n: thread n waits until the L2 has room
    // Per thread: the lines whose miss its present instruction has counted.
    std::array<std::vector<line_t>, threads> counted_;
};

}  // namespace knc::cache

#endif
