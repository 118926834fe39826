// The interfaces between the caches of one tile.
//
// Models no hardware by itself. The L1s send requests (l2_if). The L2 fills the L1s, snoops them,
// and notifies them when it has room again (l1_fill_if, l1d_snoop_if, l1i_snoop_if). The two L1s
// keep each other's copies consistent (l1d_stores_if, l1i_copies_if), so that code may modify
// itself. Every call belongs to cycle `now`. Time appears as the cycle in which a line is ready or
// a message leaves the tile.
//
// Calls nest: a fill may make the L1 evict a line (write_back()) and perform stores that waited
// (access(), request_i_to_m()); an access may fill the L1 that makes it. An L2 changes its state
// before it calls an L1. The L1 for code calls access() only. Source: docs/hierarchy.md.
#ifndef KNC_CACHE_LEVELS_IF_H
#define KNC_CACHE_LEVELS_IF_H

#include <cstdint>

#include <sysc/communication/sc_interface.h>

#include <knc/base/clock.h>
#include <knc/base/data_source.h>
#include <knc/cache/prefetcher.h>
#include <knc/cache/store_buffer.h>
#include <knc/coherence/l2_agent.h>
#include <knc/coherence/message.h>

namespace knc::cache {

using coherence::line_t;

// A demand access that misses an L1: the L1 has no copy, or no writable one.
struct l2_access {
    line_t line;
    access_type type;
    std::uint8_t thread;
    bool waits;         // the thread waits, not a store in its buffer
    bool walk = false;  // a page walk, which is no reference of the last-level cache
};

// A prefetch instruction that the L1 passes on.
struct l2_prefetch {
    line_t line;
    std::uint8_t thread;
    bool to_l1;
    bool exclusive;
    bool counted;  // VPREFETCH1 and VPREFETCH0, which have events of their own
};

// The L2's response to an access or a prefetch. hit: the L2 has the line and has filled the
// requesting L1; the line is ready in cycle `ready`. sent: a request is outstanding, and
// l1_fill_if::fill() follows. refused: the L2 has no room. An access is repeated after
// l1_fill_if::retry(); a prefetch is dropped.
struct l2_answer {
    enum class kind : std::uint8_t { hit, sent, refused };
    kind what;
    base::cycle_t ready = base::never;
    // sent: where a load will have its data from. memory: a request has left the tile for this
    // access; line_fill::from says more. line_under_way: one for this L1; l2: another one.
    base::data_source from = base::data_source::memory;
};

// The response to a request for ownership of a line without its data.
enum class i_to_m_answer : std::uint8_t {
    sent,
    present,    // the L2 has a copy: make an ordinary access
    under_way,  // a request for the line is outstanding
    refused     // as for an access
};

// The requester of a line for which a request is outstanding.
enum class requester : std::uint8_t { none, stream_prefetcher, core };

// The L2's own events in time.
class l2_events_if : public virtual sc_core::sc_interface {
  public:
    // The first cycle in which the L2 has something to process; base::never if there is none.
    virtual base::cycle_t next_event() const = 0;
    virtual void process_due_events(base::cycle_t now) = 0;
    // Whether a message has left the tile since the last call.
    virtual bool sent() = 0;
};

// The L2, as its L1s use it.
class l2_if : public l2_events_if {
  public:
    virtual l2_answer access(const l2_access&, base::cycle_t now) = 0;
    virtual l2_answer prefetch(const l2_prefetch&, base::cycle_t now) = 0;
    virtual i_to_m_answer request_i_to_m(unsigned thread, line_t, base::cycle_t now) = 0;
    virtual requester under_way(line_t) const = 0;
    // Data that the L1 has written. `evicted`: it keeps no copy.
    virtual void write_back(line_t, const coherence::line_data&, bool evicted,
                            base::cycle_t now) = 0;

    // Accesses of a thread that leave no copy. Return false if another one to the line is
    // outstanding.
    virtual bool read_once(unsigned thread, line_t, base::cycle_t now) = 0;
    virtual bool write_once(unsigned thread, line_t, const coherence::line_data&,
                            coherence::byte_mask, base::cycle_t now) = 0;

    // Evicts the line from the caches of the tile, unless it is pinned or cannot leave now.
    virtual void evict(line_t, base::cycle_t now) = 0;
    // Evicts all lines. Returns false while some remain; continue after retry().
    virtual bool flush(unsigned thread, base::cycle_t now) = 0;

    // The thread's instruction has ended: its pins end.
    virtual void completed(unsigned thread, base::cycle_t now) = 0;
};

// A line, or the permission to write it, for an L1.
struct line_fill {
    line_t line;
    const std::uint8_t* bytes;  // in the L2; valid during the call
    bool writable;
    bool at_once;          // the fill is inside the call of the access that it serves
    std::uint8_t waiting;  // bit n: thread n waits for the line
    base::cycle_t ready;
    base::data_source from = base::data_source::l2;  // l2, l3 or memory
};

// An L1, as the L2 fills it.
class l1_fill_if : public virtual sc_core::sc_interface {
  public:
    virtual void fill(const line_fill&, base::cycle_t now) = 0;
    // Refused requests may be repeated.
    virtual void retry(base::cycle_t now) = 0;
};

// The L1 data cache, as the L2 snoops it.
class l1d_snoop_if : public l1_fill_if {
  public:
    // Copies what the L1 has written to the line into `bytes`, the L2's copy, and keeps no more
    // than `keep`. Returns whether the L1 had written to it.
    virtual bool take_back(line_t, std::uint8_t* bytes, coherence::l1_keeps keep,
                           base::cycle_t now) = 0;
    // The tile owns the line without its data: writes all bytes of it. Returns false if no store
    // requested that.
    virtual bool write_owned(line_t, std::uint8_t* bytes) const = 0;
    // A fill that does not go to this L1 is complete: waiting stores must check again.
    virtual void filled(base::cycle_t now) = 0;
    // Responses to read_once() and write_once().
    virtual void read_complete(line_t, const coherence::line_data&, base::cycle_t now) = 0;
    virtual void write_complete(line_t, base::cycle_t now) = 0;
};

// The L1 code cache, as the L2 snoops it.
class l1i_snoop_if : public l1_fill_if {
  public:
    // The line is written, or leaves the L2: invalidates the copy.
    virtual void drop(line_t) = 0;
};

// The L1 code cache, as the L1 data cache uses it.
class l1i_copies_if : public virtual sc_core::sc_interface {
  public:
    // Whether it has a copy, ready or not; whether it has one that is not ready yet.
    virtual bool has(line_t) const = 0;
    virtual bool arriving(line_t, base::cycle_t now) const = 0;
    virtual void drop(line_t) = 0;
    // The thread's instruction has ended.
    virtual void completed(unsigned thread) = 0;
};

// The L1 data cache, as the L1 code cache uses it.
class l1d_stores_if : public virtual sc_core::sc_interface {
  public:
    // The stores of the thread in its store buffer. The reference stays valid.
    virtual const store_buffer& stores(unsigned thread) const = 0;
    // As l1d_if::drained().
    virtual bool drained(unsigned thread) = 0;
    // The code cache takes a copy: writes dirty data back to the L2 and withdraws the permission to
    // write the line.
    virtual void clean(line_t, base::cycle_t now) = 0;
};

}  // namespace knc::cache

#endif
