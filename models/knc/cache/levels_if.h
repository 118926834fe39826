// What the caches of one tile say to each other.
//
// Models: interfaces only. The L1s ask (l2_if); the L2 fills them, takes lines from them, and says
// when it has room again (l1_fill_if, l1d_snoop_if, l1i_snoop_if); the two L1s keep each other's
// copies consistent (l1d_stores_if, l1i_copies_if), so that code may write the code it runs. Every
// call takes place in cycle `now`. What takes time is when a line is ready and when a message
// leaves the tile.
#ifndef KNC_CACHE_LEVELS_IF_H
#define KNC_CACHE_LEVELS_IF_H

#include <cstdint>

#include <sysc/communication/sc_interface.h>

#include <knc/base/clock.h>
#include <knc/cache/prefetcher.h>
#include <knc/cache/store_buffer.h>
#include <knc/coherence/l2_agent.h>
#include <knc/coherence/message.h>

namespace knc::cache {

using coherence::line_t;

// A demand access that an L1 cannot serve: it has no copy, or none it may write.
struct l2_access {
    line_t line;
    access_type type;
    std::uint8_t thread;
    bool waits;  // the thread does, and not a store in its buffer
};

// A prefetch instruction that an L1 has not dropped.
struct l2_prefetch {
    line_t line;
    std::uint8_t thread;
    bool to_l1;
    bool exclusive;
    bool counted;  // VPREFETCH1 (and VPREFETCH0): it has events of its own
};

// What becomes of an access or a prefetch.
//   hit      the L2 has the line, and has filled the L1 that asks: it is ready in cycle `ready`;
//   sent     a request is under way, and l1_fill_if::fill() comes with the line;
//   refused  the L2 has no room: to be asked again after l1_fill_if::room_made().
struct l2_answer {
    enum class kind : std::uint8_t { hit, sent, refused };
    kind what;
    base::cycle_t ready = base::never;
};

// What a claim, the request for ownership of a line without its data, leads to.
enum class claim_answer : std::uint8_t {
    sent,
    present,    // the L2 has a copy: it is an access like any other
    under_way,  // the line is on its way already
    refused     // as of an access
};

// Who has asked for a line that is on its way to the tile.
enum class requester : std::uint8_t { none, stream_prefetcher, core };

// What an L2 does of its own accord.
class l2_events_if : public virtual sc_core::sc_interface {
  public:
    // First cycle in which there is something to do; base::never: none.
    virtual base::cycle_t next_event() const = 0;
    virtual void process_due_events(base::cycle_t now) = 0;
    // Whether a message has left the tile since the last call.
    virtual bool sent() = 0;
};

// The L2, as its L1s see it.
class l2_if : public l2_events_if {
  public:
    virtual l2_answer access(const l2_access&, base::cycle_t now) = 0;
    virtual l2_answer prefetch(const l2_prefetch&, base::cycle_t now) = 0;
    virtual claim_answer claim(unsigned thread, line_t, base::cycle_t now) = 0;
    virtual requester under_way(line_t) const = 0;
    // What the L1 has written of a line. `evicted`: it keeps no copy.
    virtual void write_back(line_t, const coherence::line_data&, bool evicted,
                            base::cycle_t now) = 0;

    // Accesses that leave no copy. False: another one to the line is under way.
    virtual bool read_once(line_t, base::cycle_t now) = 0;
    virtual bool write_once(line_t, const coherence::line_data&, coherence::byte_mask,
                            base::cycle_t now) = 0;

    // The line leaves the caches of the tile, if it is not pinned and can leave now.
    virtual void evict(line_t, base::cycle_t now) = 0;
    // All lines do. False: some have not yet; room_made() says when to go on.
    virtual bool flush(unsigned thread, base::cycle_t now) = 0;

    // The thread's instruction has ended: its pins are void.
    virtual void completed(unsigned thread, base::cycle_t now) = 0;
};

// A line, or the right to write it, for an L1.
struct line_fill {
    line_t line;
    const std::uint8_t* bytes;  // the L2's; valid during the call
    bool writable;
    bool at_once;          // it answers an access inside the call that makes it
    std::uint8_t waiting;  // bit n: thread n waits for the line
    base::cycle_t ready;
};

// An L1, as the L2 fills it.
class l1_fill_if : public virtual sc_core::sc_interface {
  public:
    virtual void fill(const line_fill&, base::cycle_t now) = 0;
    // What was refused may be asked for again.
    virtual void room_made(base::cycle_t now) = 0;
};

// The L1 data cache, as the L2 reaches into it.
class l1d_snoop_if : public l1_fill_if {
  public:
    // Writes what the L1 has written of the line to `bytes`, the L2's copy, and keeps no more than
    // `keep`. Whether it had written to it.
    virtual bool take_back(line_t, std::uint8_t* bytes, coherence::l1_keeps keep,
                           base::cycle_t now) = 0;
    // The tile has the line that was claimed: writes all its bytes. False: nobody claimed it.
    virtual bool write_claimed(line_t, std::uint8_t* bytes) const = 0;
    // A fill of a line that does not come here is complete: stores that wait look again.
    virtual void filled(base::cycle_t now) = 0;
    // Answers to read_once() and write_once().
    virtual void read_complete(line_t, const coherence::line_data&, base::cycle_t now) = 0;
    virtual void write_complete(line_t, base::cycle_t now) = 0;
};

// The L1 code cache, as the L2 reaches into it.
class l1i_snoop_if : public l1_fill_if {
  public:
    // The line is written, or leaves the L2: the copy is void.
    virtual void drop(line_t) = 0;
};

// The L1 code cache, as the L1 data cache sees it.
class l1i_copies_if : public virtual sc_core::sc_interface {
  public:
    // A copy, also one that is not ready yet; only one that is not ready yet.
    virtual bool has(line_t) const = 0;
    virtual bool arriving(line_t, base::cycle_t now) const = 0;
    virtual void drop(line_t) = 0;
    // The thread's instruction has ended.
    virtual void completed(unsigned thread) = 0;
};

// The L1 data cache, as the L1 code cache sees it.
class l1d_stores_if : public virtual sc_core::sc_interface {
  public:
    // The stores of the thread that have not been performed; the same object at all times.
    virtual const store_buffer& stores(unsigned thread) const = 0;
    // As l1d_if::drained().
    virtual bool drained(unsigned thread) = 0;
    // The code cache takes a copy: what was written goes to the L2, and nobody may write the line
    // without asking again.
    virtual void clean(line_t, base::cycle_t now) = 0;
};

}  // namespace knc::cache

#endif
