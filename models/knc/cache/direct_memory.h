// Memory that responds in the cycle of the access, in the place of the L1 caches.
//
// Models: the interfaces of both L1s on the bytes of the memory. Every access is a hit, and the
// core keeps a granted page for ever (keeps_copies() is false). A store is performed at once, so no
// store waits and none is in flight. A footprint may learn of the accesses. Leaves out: time,
// events and copies; cache control and prefetches have an effect on the footprint only. Source:
// docs/architecture.md, "Decisions".
#ifndef KNC_CACHE_DIRECT_MEMORY_H
#define KNC_CACHE_DIRECT_MEMORY_H

#include <cstdint>

#include <knc/cache/footprint.h>
#include <knc/cache/l1_if.h>

namespace knc::cache {

class direct_memory final : public l1d_if, public l1i_if {
  public:
    // `bytes`: of all memory. `used` learns of the lines that are granted, but those of code;
    // nullptr: nobody does. Called before the first access.
    void connect(std::uint8_t* bytes, l1_client_if& client, footprint* used = nullptr) {
        bytes_ = bytes;
        client_ = &client;
        used_ = used;
    }

    // l1d_if
    bool keeps_copies() const override { return false; }
    outcome line_for_load(unsigned, line_t line, charge, base::cycle_t now) override {
        return grant(line, line_access::load, now);
    }
    outcome line_for_update(unsigned, line_t line, charge, base::cycle_t now) override {
        return grant(line, line_access::store, now);
    }
    outcome line_for_store(unsigned, line_t line, unsigned, base::cycle_t now) override {
        return grant(line, line_access::store, now);
    }
    // The store buffer: line_for_store() and combines() request no buffered stores, but one that
    // comes is performed at once.
    void buffer_store(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                      base::cycle_t) override;
    void forward_stores(unsigned, std::uint64_t, unsigned, std::uint8_t*) const override {}
    bool drained(unsigned) override { return true; }
    bool stores_wait(unsigned) const override { return false; }
    bool combines() const override { return false; }
    bool room_to_combine(unsigned, line_t, unsigned, base::cycle_t) override { return true; }
    void combine_store(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                       base::cycle_t now) override {
        buffer_store(thread, paddr, size, data, now);
    }
    void send_combined(unsigned, base::cycle_t) override {}
    outcome streaming_store(unsigned, line_t line, const coherence::line_data&, bool,
                            base::cycle_t now) override {
        return grant(line, line_access::store, now);
    }
    bool fenced(unsigned, base::cycle_t) override { return true; }
    // Responds inside the call, for the next cycle.
    void uncached(unsigned thread, std::uint32_t ticket, bool write, std::uint64_t paddr,
                  unsigned size, const std::uint8_t* data, base::cycle_t now) override;
    void prefetch(unsigned, line_t line, const prefetch_request& r, bool cacheable,
                  base::cycle_t now) override {
        if (cacheable) grant(line, r.exclusive ? line_access::store : line_access::load, now);
    }
    void evict_from_l1(line_t, base::cycle_t) override {}
    void evict(line_t line, base::cycle_t) override {
        if (used_ != nullptr) used_->forget(line);
    }
    bool flush(unsigned, base::cycle_t) override {
        if (used_ != nullptr) used_->clear();
        return true;
    }
    void completed(unsigned, base::cycle_t) override {}
    base::cycle_t next_event() const override { return base::never; }
    void process_due_events(base::cycle_t) override {}
    bool sent() override { return false; }

    // l1i_if
    outcome line_for_fetch(unsigned, line_t line, bool, base::cycle_t) override {
        return outcome::hit(at(line));
    }
    bool use_code(unsigned, line_t, base::cycle_t) override { return true; }
    const std::uint8_t* code_at_hand(line_t line, base::cycle_t) const override { return at(line); }
    // There are no copies to invalidate.
    bool holds_code(line_t) const override { return false; }

  private:
    outcome grant(line_t line, line_access what, base::cycle_t now) {
        if (used_ != nullptr) used_->use(line, what, now);
        return outcome::hit(at(line));
    }
    std::uint8_t* at(line_t line) const { return bytes_ + line * coherence::line_bytes; }

    std::uint8_t* bytes_ = nullptr;
    l1_client_if* client_ = nullptr;
    footprint* used_ = nullptr;
};

}  // namespace knc::cache

#endif
