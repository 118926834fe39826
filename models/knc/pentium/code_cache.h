// The code cache of a Pentium, with its prefetch buffers for code that may not be cached.
//
// Models: lookups with CODE_CACHE_MISS, fills by a burst of the bus, invalidation by a write, the
// snoop of the data cache by a miss. Code that may not be cached comes by four reads of 8 bytes
// into the prefetch buffers, which hold two lines. Leaves out: the parts of a line before its last
// one has arrived. Source: Pentium Processor Family Developer's Manual, vol. 1; docs/p55c.md.
#ifndef KNC_PENTIUM_CODE_CACHE_H
#define KNC_PENTIUM_CODE_CACHE_H

#include <array>
#include <cstdint>

#include <knc/base/event.h>
#include <knc/cache/l1_if.h>
#include <knc/cache/set_array.h>
#include <knc/pentium/bus.h>

namespace knc::pentium {

class data_cache;

class code_cache final : public cache::l1i_if {
  public:
    code_cache(const parameters&, bus&, base::ledger&);
    // `memory`: its first byte. Called before the first access.
    void connect(std::uint8_t* memory, cache::l1_client_if&, data_cache&);
    void reset();

    // cache::l1i_if, of lines of 32 bytes
    cache::outcome line_for_fetch(unsigned thread, cache::line_t, bool cacheable,
                                  base::cycle_t now) override;
    bool use_code(unsigned thread, cache::line_t, base::cycle_t now) override;
    const std::uint8_t* code_at_hand(cache::line_t, base::cycle_t now) const override;
    bool holds_code(cache::line_t l) const override { return lines_.find(l) != nullptr; }

    // The line is written: the cache loses it.
    void drop(cache::line_t);
    // All lines.
    void invalidate();

  private:
    struct code_line {
        base::cycle_t used, ready;
    };
    struct prefetched {
        cache::line_t line = none;
        base::cycle_t ready = 0;
    };
    static constexpr cache::line_t none = ~cache::line_t{0};

    std::uint8_t* at(cache::line_t) const;
    cache::outcome prefetch(cache::line_t, base::cycle_t now);
    bool ready(cache::line_t, base::cycle_t now) const;

    bus& bus_;
    base::ledger& ledger_;
    std::uint8_t* memory_ = nullptr;
    cache::l1_client_if* client_ = nullptr;
    data_cache* data_ = nullptr;
    cache::set_array<code_line> lines_;
    std::array<prefetched, 2> buffers_;  // of code that may not be cached, the older one first
};

}  // namespace knc::pentium

#endif
