// The caches of a tile, connected: L1 for data, L1 for code, L2.
//
// Models: nothing of its own. Leaves out: what a core asks by the class and not by the interfaces
// of l1_if.h, which is passed on under its former names.
#ifndef KNC_CACHE_HIERARCHY_H
#define KNC_CACHE_HIERARCHY_H

#include <cstdint>

#include <knc/cache/l1_code.h>
#include <knc/cache/l1_data.h>
#include <knc/cache/l2_cache.h>
#include <knc/cache/line_pins.h>

namespace knc::cache {

// Where a line is, or when to ask again: at `ready`, or, if that is base::never, when
// l1_client_if::wake() says so. Neither, and `ready` is the present cycle: the store is taken.
struct lookup {
    std::uint8_t* line = nullptr;
    base::cycle_t ready = base::never;
};

class hierarchy final {
  public:
    static constexpr std::size_t threads = base::threads_per_core;

    // Of possible parameters; see impossible().
    hierarchy(std::uint8_t tile, const parameters&, const coherence::address_hash&, base::ledger&,
              l1_client_if&, network&);

    l1_data& l1d() { return data_; }
    l1_code& l1i() { return code_; }
    l2_cache& l2() { return l2_; }

    // ---- for a core that does not use the interfaces yet
    lookup data(unsigned thread, line_t line, bool write, base::cycle_t now, charge c) {
        return lookup_of(write ? data_.line_for_update(thread, line, c, now)
                               : data_.line_for_load(thread, line, c, now),
                         now);
    }
    lookup code(unsigned thread, line_t line, base::cycle_t now, bool cacheable = true) {
        return lookup_of(code_.line_for_fetch(thread, line, cacheable, now), now);
    }
    bool use_code(unsigned thread, line_t line, base::cycle_t now) {
        return code_.use_code(thread, line, now);
    }
    const std::uint8_t* code_at_hand(line_t line, base::cycle_t now) const {
        return code_.code_at_hand(line, now);
    }
    bool holds_code(line_t line) const { return code_.holds_code(line); }
    void completed(unsigned thread, base::cycle_t now) { data_.completed(thread, now); }
    lookup store(unsigned thread, line_t line, unsigned others, base::cycle_t now) {
        return lookup_of(data_.line_for_store(thread, line, others, now), now);
    }
    void buffer(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                base::cycle_t now) {
        data_.buffer_store(thread, paddr, size, data, now);
    }
    void forward(unsigned thread, std::uint64_t paddr, unsigned size, std::uint8_t* data) const {
        data_.forward_stores(thread, paddr, size, data);
    }
    bool drained(unsigned thread) { return data_.drained(thread); }
    bool combines() const { return data_.combines(); }
    bool room_to_combine(unsigned thread, line_t line, unsigned others, base::cycle_t now) {
        return data_.room_to_combine(thread, line, others, now);
    }
    void combine(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                 base::cycle_t now) {
        data_.combine_store(thread, paddr, size, data, now);
    }
    void send_combined(unsigned thread, base::cycle_t now) { data_.send_combined(thread, now); }
    bool fenced(unsigned thread, base::cycle_t now) { return data_.fenced(thread, now); }
    void uncached(unsigned thread, std::uint32_t ticket, bool write, std::uint64_t paddr,
                  unsigned size, const std::uint8_t* data, base::cycle_t now) {
        data_.uncached(thread, ticket, write, paddr, size, data, now);
    }
    void prefetch(unsigned thread, line_t line, const prefetch_request& r, bool cacheable,
                  base::cycle_t now) {
        data_.prefetch(thread, line, r, cacheable, now);
    }
    void evict_l1(line_t line, base::cycle_t now) { data_.evict_from_l1(line, now); }
    void evict(line_t line, base::cycle_t now) { data_.evict(line, now); }
    bool flush(unsigned thread, base::cycle_t now) { return data_.flush(thread, now); }
    base::cycle_t next_event() const { return data_.next_event(); }
    void run(base::cycle_t now) { data_.process_due_events(now); }
    bool sent() { return data_.sent(); }

    // ---- the network's side
    void receive(const coherence::message& m, base::cycle_t cycle) { l2_.receive(m, cycle); }

    // ---- accesses without side effects
    void view(coherence::debug_view&) const;
    void debug_write(line_t, const std::uint8_t* data, coherence::byte_mask);

    // Lines requested from outside and not here yet; stores of a thread that wait.
    std::size_t misses() const { return l2_.mshrs_used(); }
    std::size_t waiting_stores(unsigned thread) const { return data_.stores(thread).size(); }
    const coherence::l2_agent& agent() const { return l2_.agent(); }
    coherence::l2_state state(line_t line) const { return l2_.state(line); }

  private:
    static lookup lookup_of(const outcome& o, base::cycle_t now) {
        return {o.line(), o.is_hit() || o.is_taken() ? now : o.retry_at()};
    }

    line_pins pins_;
    l1_data data_;
    l1_code code_;
    l2_cache l2_;
};

}  // namespace knc::cache

#endif
