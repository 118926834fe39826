// The caches of a tile, connected: L1 for data, L1 for code, L2.
//
// Models nothing itself: makes without SystemC the connections that l1d.h, l1i.h and l2.h make by
// sockets. The core uses l1d() and l1i() through the interfaces of l1_if.h.
#ifndef KNC_CACHE_HIERARCHY_H
#define KNC_CACHE_HIERARCHY_H

#include <cstdint>

#include <knc/cache/l1_code.h>
#include <knc/cache/l1_data.h>
#include <knc/cache/l2_cache.h>
#include <knc/cache/line_pins.h>

namespace knc::cache {

class hierarchy final {
  public:
    static constexpr std::size_t threads = base::threads_per_core;

    // The parameters must be possible; see impossible().
    hierarchy(std::uint8_t tile, const parameters&, const coherence::address_hash&, base::ledger&,
              l1_client_if&, network&);

    l1_data& l1d() { return data_; }
    l1_code& l1i() { return code_; }
    l2_cache& l2() { return l2_; }

    // ---- towards the network
    void receive(const coherence::message& m, base::cycle_t cycle) { l2_.receive(m, cycle); }

    // ---- accesses without side effects
    void view(coherence::debug_view&) const;
    void debug_write(line_t, const std::uint8_t* data, coherence::byte_mask);

    // Stores of a thread in its store buffer.
    std::size_t waiting_stores(unsigned thread) const { return data_.stores(thread).size(); }
    coherence::l2_state state(line_t line) const { return l2_.state(line); }

  private:
    line_pins pins_;
    l1_data data_;
    l1_code code_;
    l2_cache l2_;
};

}  // namespace knc::cache

#endif
