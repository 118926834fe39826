// What a core may ask of its level 1 caches, and what they tell the core.
//
// Models: interfaces only. `cache::l1_data` and `cache::l1_code` implement them with caches,
// `cache::ideal_memory` with memory that answers in the cycle of the access. A core needs nothing
// else to reach memory, so a memory system of the user's own can stand behind these interfaces.
//
// A hit needs no call: the core may use a line that it was granted until the client interface takes
// the grant back. All cycles are the core's; `now` never goes back. A call may lead to calls of
// l1_client_if, and none of these may lead back into the caches.
#ifndef KNC_CACHE_L1_IF_H
#define KNC_CACHE_L1_IF_H

#include <cstdint>

#include <sysc/communication/sc_interface.h>

#include <knc/base/clock.h>
#include <knc/coherence/message.h>

namespace knc::cache {

using coherence::line_t;

// What an L1 answers to an access. One of:
//   hit    the line is granted: its 64 bytes are at line(),
//   taken  the L1 has taken the store, or will take it into the store buffer,
//   retry  the thread makes the same access again in cycle retry_at(),
//   wait   the thread makes the same access again when l1_client_if::wake() says so.
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
    // Of a hit; nullptr otherwise.
    std::uint8_t* line() const { return line_; }
    // Of `retry` and `wait`; base::never for `wait`.
    base::cycle_t retry_at() const { return cycle_; }

  private:
    outcome(std::uint8_t* line, base::cycle_t cycle) : line_(line), cycle_(cycle) {}

    // Two words, so that a call returns them in registers. Nobody retries in cycle 0.
    std::uint8_t* line_;
    base::cycle_t cycle_;
};

// What a miss of the L1 data cache is counted as. A load may need the right to store: its
// instruction goes on to do so. `none`: the access is no instruction's own.
enum class charge : std::uint8_t { none, load, store };

// What a prefetch is to do.
struct prefetch_request {
    bool to_l1 = false;
    bool exclusive = false;
    bool non_temporal = false;  // the line is the next of its set to go
    bool counted = false;       // VPREFETCH0 and VPREFETCH1: they have events of their own
};

// Data of an uncached access, from its first byte on.
using uncached_data = coherence::line_data;

// What the L1 caches tell the core. No call may lead back into the caches.
class l1_client_if : public virtual sc_core::sc_interface {
  public:
    // The core may no longer write the line, or no longer access it, that was granted at `host`
    // without asking again. Bit n of `threads`: thread n has been granted it.
    virtual void data_not_writable(line_t, const std::uint8_t* host, unsigned threads) = 0;
    virtual void data_lost(line_t, const std::uint8_t* host, unsigned threads) = 0;
    // Another copy of the line was, or is about to be, written: what was fetched from it is void.
    virtual void code_lost(line_t) = 0;
    // The L1 code cache has replaced the line: its grant is void, what was fetched from it is not.
    // For cores that keep grants of code lines.
    virtual void code_replaced(line_t) {}
    // What the thread waits for is there, or worth another try, from `cycle` on.
    virtual void wake(unsigned thread, base::cycle_t cycle) = 0;
    // The last store of the thread's store buffer has been performed.
    virtual void stores_performed(unsigned thread) = 0;
    // A store that waited has been performed.
    virtual void stored(std::uint64_t paddr, unsigned size) = 0;
    // Whether the line has decoded code in it.
    virtual bool holds_code(line_t) const = 0;
    // The answer to an uncached access; the thread goes on at `cycle`.
    virtual void uncached_done(unsigned thread, std::uint32_t ticket, const uncached_data&,
                               base::cycle_t cycle) = 0;
    // Something has come from outside the tile: l1d_if::next_event() is `cycle` or earlier now.
    virtual void event_due([[maybe_unused]] base::cycle_t cycle) {}
};

// The L1 data cache, as the core's load-store unit sees it.
class l1d_if : public virtual sc_core::sc_interface {
  public:
    // True: what is granted are copies in a cache, one line at a time. The core writes the cycle of
    // each use behind the bytes of the line, as a base::cycle_t, and makes accesses to memory that
    // may not be cached by uncached(). False: what is granted is memory itself, with the 4 KB page
    // around the line; every access is a hit, and no grant is taken back.
    virtual bool keeps_copies() const = 0;

    // ---- cacheable accesses
    // The line to be loaded from; or to be read and written at once, for which the thread's own
    // stores have to be performed first. A line that had to be fetched stays pinned until
    // completed(). hit, retry or wait.
    virtual outcome line_for_load(unsigned thread, line_t, charge, base::cycle_t now) = 0;
    virtual outcome line_for_update(unsigned thread, line_t, charge, base::cycle_t now) = 0;
    // The line to be stored to. `taken`: the store need not wait; buffer_store() will take it, with
    // `others` of the same instruction before it.
    virtual outcome line_for_store(unsigned thread, line_t, unsigned others, base::cycle_t now) = 0;

    // ---- the store buffer
    // Takes a store of `size` bytes within a line.
    virtual void buffer_store(unsigned thread, std::uint64_t paddr, unsigned size, const void* data,
                              base::cycle_t now) = 0;
    // Overwrites what a load of [paddr, paddr + size) found with what the thread has in its buffer.
    virtual void forward_stores(unsigned thread, std::uint64_t paddr, unsigned size,
                                std::uint8_t* data) const = 0;
    // Whether all stores of the thread have been performed; if not, wake() says when.
    virtual bool drained(unsigned thread) = 0;

    // ---- weakly ordered stores: nothing orders them with other accesses but fenced()
    // Stores to memory of type WC, within a line. Whether there are buffers for them at all.
    virtual bool combines() const = 0;
    // Whether combine_store() can take one, after `others` of the same instruction; if not, wake()
    // says when to ask again.
    virtual bool room_to_combine(unsigned thread, line_t, unsigned others, base::cycle_t now) = 0;
    virtual void combine_store(unsigned thread, std::uint64_t paddr, unsigned size,
                               const void* data, base::cycle_t now) = 0;
    // What the thread has stored there is written to memory from now on. Complete lines are anyhow.
    virtual void send_combined(unsigned thread, base::cycle_t now) = 0;
    // A store of a whole line that need not be read. `ordered`: other threads see it as they see
    // other stores; else at any time until fenced(). hit: the core writes the line; taken: done;
    // retry or wait.
    virtual outcome streaming_store(unsigned thread, line_t, const coherence::line_data&,
                                    bool ordered, base::cycle_t now) = 0;
    // Whether all weakly ordered stores of the thread are complete; if not, wake() says when to ask
    // again.
    virtual bool fenced(unsigned thread, base::cycle_t now) = 0;

    // ---- memory that no cache keeps
    // An access within a line; uncached_done() answers with the ticket. A write of
    // no byte makes every cache of the card give up the line.
    virtual void uncached(unsigned thread, std::uint32_t ticket, bool write, std::uint64_t paddr,
                          unsigned size, const std::uint8_t* data, base::cycle_t now) = 0;

    // ---- cache control
    // A hint: dropped where it cannot be followed at once. `cacheable`: as memory type.
    virtual void prefetch(unsigned thread, line_t, const prefetch_request&, bool cacheable,
                          base::cycle_t now) = 0;
    // The line leaves the L1 data cache, or all caches of the tile; dropped where it cannot.
    virtual void evict_from_l1(line_t, base::cycle_t now) = 0;
    virtual void evict(line_t, base::cycle_t now) = 0;
    // Every line leaves the tile's caches and is written back. False: wake() says when to go on.
    virtual bool flush(unsigned thread, base::cycle_t now) = 0;

    // ---- time
    // The thread's instruction that was told to retry or wait, or had a store taken, has ended.
    virtual void completed(unsigned thread, base::cycle_t now) = 0;
    // First cycle in which the caches of the tile act without being asked; base::never: none.
    virtual base::cycle_t next_event() const = 0;
    // The core has reached cycle `now`: the caches do all that is due.
    virtual void process_due_events(base::cycle_t now) = 0;
    // Whether a message has left the tile since the last call.
    virtual bool sent() = 0;
};

// The L1 code cache, as the core's fetch unit sees it.
class l1i_if : public virtual sc_core::sc_interface {
  public:
    // The line to be fetched from. `cacheable`: as memory type; if not, the caller counts misses.
    // hit, retry or wait.
    virtual outcome line_for_fetch(unsigned thread, line_t, bool cacheable, base::cycle_t now) = 0;
    // line_for_fetch() of a line that is there: whether it is. Nothing else happens if it is not.
    virtual bool use_code(unsigned thread, line_t, base::cycle_t now) = 0;
    // The line, if it could be fetched from now, else nullptr; nothing happens by that.
    virtual const std::uint8_t* code_at_hand(line_t, base::cycle_t now) const = 0;
    // Whether there is a copy of the line, or one on its way from the L2.
    virtual bool holds_code(line_t) const = 0;
};

}  // namespace knc::cache

#endif
