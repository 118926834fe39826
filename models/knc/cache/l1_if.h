// The interfaces between a core and its level 1 caches.
//
// Models no hardware itself. `cache::l1_data` and `cache::l1_code` implement the interfaces with
// caches, `cache::ideal_memory` with memory that responds in the cycle of the access. A core needs
// nothing else to access memory, so a user's own memory system can implement them too.
//
// A hit needs no call: the core may use a granted line until the client interface withdraws the
// grant. All cycles are the core's; `now` never decreases. A call may cause calls of l1_client_if,
// and none of these may call the caches again. Source: docs/hierarchy.md.
#ifndef KNC_CACHE_L1_IF_H
#define KNC_CACHE_L1_IF_H

#include <cstdint>

#include <sysc/communication/sc_interface.h>

#include <knc/base/clock.h>
#include <knc/coherence/message.h>

namespace knc::cache {

using coherence::line_t;

// The outcome of an access. hit: the line is granted, and the 64 bytes that contain it are at
// line(). taken: the L1 has performed the store, or will accept it into the store buffer. retry:
// the thread repeats the access in cycle retry_at(). wait: the thread repeats the access after
// l1_client_if::wake().
class outcome {
  public:
    enum class kind : std::uint8_t { hit, taken, retry, wait };

    static outcome hit(std::uint8_t* line) { return {line, 0}; }
    static outcome taken() { return {nullptr, 0}; }
    static outcome retry(base::cycle_t cycle) { return {nullptr, cycle}; }
    static outcome wait() { return {nullptr, base::never}; }

    kind what() const {
        if (line_ != nullptr) return kind::hit;
        if (cycle_ == 0) return kind::taken;
        return cycle_ == base::never ? kind::wait : kind::retry;
    }
    bool is_hit() const { return line_ != nullptr; }
    bool is_taken() const { return line_ == nullptr && cycle_ == 0; }
    // Valid for a hit; nullptr otherwise.
    std::uint8_t* line() const { return line_; }
    // Valid for `retry` and `wait`; base::never for `wait`.
    base::cycle_t retry_at() const { return cycle_; }

  private:
    outcome(std::uint8_t* line, base::cycle_t cycle) : line_(line), cycle_(cycle) {}

    // Two words, so that a call returns them in registers. No access is repeated in cycle 0.
    std::uint8_t* line_;
    base::cycle_t cycle_;
};

// The event that counts a miss of the L1 data cache. A load may need a writable line, if its
// instruction also stores. `none`: the access belongs to no instruction. `walk`: a page walk makes
// it. `locked`: a Pentium's load with the bus locked, for line_for_update().
enum class charge : std::uint8_t { none, walk, load, store, locked };

// Why a store of a Pentium must wait: no write buffer is free, or a write into the data cache must
// follow older ones in the write buffers.
enum class store_delay : std::uint8_t { buffers_full, write_order };

// The properties of a prefetch.
struct prefetch_request {
    bool to_l1 = false;
    bool exclusive = false;
    bool non_temporal = false;  // the line is the first candidate for replacement in its set
    bool counted = false;       // VPREFETCH0 and VPREFETCH1, which have events of their own
};

// The data of an uncached access, starting at its first byte.
using uncached_data = coherence::line_data;

// The notifications of the L1 caches to the core. No call may call the caches again.
class l1_client_if : public virtual sc_core::sc_interface {
  public:
    // Withdraws the permission to write the line granted at `host`, or the whole grant. Bit n of
    // `threads`: thread n has been granted the line.
    virtual void data_not_writable(line_t, const std::uint8_t* host, unsigned threads) = 0;
    virtual void data_lost(line_t, const std::uint8_t* host, unsigned threads) = 0;
    // Another copy of the line was, or will be, written: code fetched from it is stale.
    virtual void code_lost(line_t) = 0;
    // The L1 code cache has replaced the line. The grant ends, but code fetched from it remains
    // valid. Only cores that keep grants of code lines need it.
    virtual void code_replaced(line_t) {}
    // The line of a waiting thread is available, or a repeated access may succeed, from `cycle` on.
    virtual void wake(unsigned thread, base::cycle_t cycle) = 0;
    // The last store of the thread's store buffer has been performed.
    virtual void stores_performed(unsigned thread) = 0;
    // A buffered store has been performed.
    virtual void stored(std::uint64_t paddr, unsigned size) = 0;
    // Whether the core has decoded code of the line.
    virtual bool holds_code(line_t) const = 0;
    // The response to an uncached access; the thread continues in `cycle`.
    virtual void uncached_done(unsigned thread, std::uint32_t ticket, const uncached_data&,
                               base::cycle_t cycle) = 0;
    // Of a Pentium. The store of the present attempt of `thread` must wait.
    virtual void store_delayed([[maybe_unused]] unsigned thread, store_delay) {}
    // The bus will be in use in [from, until), which begins when what was announced before is over.
    virtual void bus_busy([[maybe_unused]] base::cycle_t from,
                          [[maybe_unused]] base::cycle_t until) {}
    // Unless a message comes, the core neither uses the caches before `cycle` nor shows what they
    // have: what has no effect on the core may take effect in them at once.
    virtual bool rests_until([[maybe_unused]] base::cycle_t cycle) const { return false; }
    // A message has come from outside the tile: l1d_if::next_event() is `cycle` or earlier now.
    virtual void event_due([[maybe_unused]] base::cycle_t cycle) {}
};

// The L1 data cache, as the core's load-store unit uses it.
class l1d_if : public virtual sc_core::sc_interface {
  public:
    // True: a grant is a copy of one line in a cache. The core writes the cycle of each use after
    // the bytes of the line, as a base::cycle_t, and uses uncached() for memory that may not be
    // cached. False: a grant is memory itself, with the 4 KB page around the line; every access is
    // a hit, and no grant is withdrawn.
    virtual bool keeps_copies() const = 0;
    // Of both caches, a power of two: line_t counts lines of this size.
    virtual unsigned bytes_of_line() const { return coherence::line_bytes; }

    // ---- cacheable accesses
    // The line for a load; or for a read-modify-write, before which the thread's own stores must be
    // performed. A line that had to be fetched stays pinned until completed(). Returns hit, retry
    // or wait.
    virtual outcome line_for_load(unsigned thread, line_t, charge, base::cycle_t now) = 0;
    virtual outcome line_for_update(unsigned thread, line_t, charge, base::cycle_t now) = 0;
    // The line for a store. `taken`: the store need not wait; buffer_store() will accept it, after
    // `others` of the same instruction.
    virtual outcome line_for_store(unsigned thread, line_t, unsigned others, base::cycle_t now) = 0;

    // ---- the store buffer
    // Accepts a store of `size` bytes within a line.
    virtual void buffer_store(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                              base::cycle_t now) = 0;
    // Whether the thread's buffer holds a store.
    virtual bool stores_wait(unsigned thread) const = 0;
    // Store forwarding: overwrites `data`, a load of [paddr, paddr + size), with the bytes in the
    // thread's buffer.
    virtual void forward_stores(unsigned thread, std::uint64_t paddr, unsigned size,
                                std::uint8_t* data) const = 0;
    // Whether all stores of the thread have been performed; if not, wake() follows.
    virtual bool drained(unsigned thread) = 0;

    // ---- weakly ordered stores: only fenced() orders them with other accesses
    // Stores to memory of type WC, within a line. Whether there are write-combining buffers.
    virtual bool combines() const = 0;
    // Whether combine_store() can accept a store, after `others` of the same instruction; if not,
    // wake() follows.
    virtual bool room_to_combine(unsigned thread, line_t, unsigned others, base::cycle_t now) = 0;
    virtual void combine_store(unsigned thread, std::uint64_t paddr, unsigned size,
                               const void* data, base::cycle_t now) = 0;
    // Starts to write the thread's buffers to memory. Complete lines are written without the call.
    virtual void send_combined(unsigned thread, base::cycle_t now) = 0;
    // A store of a whole line, whose data need not be read. `ordered`: other threads see it in
    // order with other stores; otherwise at any time until fenced(). hit: the core writes the line;
    // taken: the store is done; or retry or wait.
    virtual outcome streaming_store(unsigned thread, line_t, const coherence::line_data&,
                                    bool ordered, base::cycle_t now) = 0;
    // Whether all weakly ordered stores of the thread are complete; if not, wake() follows.
    virtual bool fenced(unsigned thread, base::cycle_t now) = 0;

    // ---- memory that no cache keeps
    // An access within a line; uncached_done() responds with the ticket. A write of no bytes makes
    // every cache of the card invalidate the line.
    virtual void uncached(unsigned thread, std::uint32_t ticket, bool write, std::uint64_t paddr,
                          unsigned size, const std::uint8_t* data, base::cycle_t now) = 0;

    // ---- cache control
    // A hint: dropped if it cannot be executed at once. `cacheable`: from the memory type.
    virtual void prefetch(unsigned thread, line_t, const prefetch_request&, bool cacheable,
                          base::cycle_t now) = 0;
    // Evicts the line from the L1 data cache, or from all caches of the tile; dropped if that is
    // not possible.
    virtual void evict_from_l1(line_t, base::cycle_t now) = 0;
    virtual void evict(line_t, base::cycle_t now) = 0;
    // Evicts all lines from the tile's caches, with write-back. Returns false while some remain;
    // wake() follows.
    virtual bool flush(unsigned thread, base::cycle_t now) = 0;

    // ---- time
    // The thread's instruction, which received retry, wait or taken, has ended.
    virtual void completed(unsigned thread, base::cycle_t now) = 0;
    // The first cycle in which the caches of the tile have something to process; base::never if
    // there is none.
    virtual base::cycle_t next_event() const = 0;
    // The core has reached cycle `now`: processes everything that is due.
    virtual void process_due_events(base::cycle_t now) = 0;
    // Whether a message has left the tile since the last call.
    virtual bool sent() = 0;
};

// The L1 code cache, as the core's fetch unit uses it.
class l1i_if : public virtual sc_core::sc_interface {
  public:
    // The line for a fetch. `cacheable`: from the memory type; if false, the caller counts misses.
    // Returns hit, retry or wait.
    virtual outcome line_for_fetch(unsigned thread, line_t, bool cacheable, base::cycle_t now) = 0;
    // line_for_fetch() of a line that is present. Returns false and does nothing if it is not.
    virtual bool use_code(unsigned thread, line_t, base::cycle_t now) = 0;
    // The line if a fetch could hit now, otherwise nullptr; without side effects.
    virtual const std::uint8_t* code_at_hand(line_t, base::cycle_t now) const = 0;
    // Whether the cache has the line, or is receiving it from the L2.
    virtual bool holds_code(line_t) const = 0;
};

}  // namespace knc::cache

#endif
