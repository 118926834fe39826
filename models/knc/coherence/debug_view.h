// The coherent value of a line for accesses without side effects (loader, debugger, report).
//
// Models: which copy of a line has its present value while messages are in flight. A read offers
// the view every copy of the line, in any order, and takes value(). A write changes every copy: the
// slots and L1 caches of the tiles, l2_agent::debug_write(), directory::debug_write() of the home
// slice, debug_write() below for each message in flight, and memory. Leaves out: time. Source:
// docs/coherence.md, "Debug accesses".
#ifndef KNC_COHERENCE_DEBUG_VIEW_H
#define KNC_COHERENCE_DEBUG_VIEW_H

#include <utility>
#include <vector>

#include <knc/coherence/directory.h>
#include <knc/coherence/l2_agent.h>

namespace knc::coherence {

class debug_view {
  public:
    explicit debug_view(line_t line) : line_(line) {}

    line_t line() const { return line_; }

    // A copy in a cache whose state is readable(), including what the L1 data cache has written to
    // it.
    void copy(const std::uint8_t* data) { offer(rank::cache, data); }
    // The bytes of a streaming store that has requested ownership of the line. They are the line's
    // value if no cache and no message has the line.
    void streaming_store(const std::uint8_t* data) { offer(rank::streaming_store, data); }
    void victims(const l2_agent&);
    void slice(const directory&);
    // The copy of an L3 slice. `moving`: no cache has one, and it is newer than any other.
    // Otherwise it is the line's value unless an L2 or a message has a newer one.
    void l3(const std::uint8_t* data, bool moving) {
        offer(moving ? rank::moving : rank::l3, data);
    }
    void in_flight(const message&);
    void memory(const line_data& data) { offer(rank::memory, data.data()); }

    // Call it after memory and everything else has been offered. The data offered must still exist.
    line_data value();

  private:
    enum class rank : std::uint8_t { nothing, memory, l3, streaming_store, moving, cache };
    void offer(rank r, const std::uint8_t* data);

    line_t line_;
    rank rank_ = rank::nothing;
    line_data value_{};
    line_data written_{};    // data on the way to memory
    byte_mask overlay_ = 0;  // the bytes of it that count
    // Victim buffers that have the line, and the tiles whose eviction of it the home slice has
    // acknowledged.
    std::vector<std::pair<node_t, const std::uint8_t*>> victims_;
    std::uint64_t evicted_ = 0;
};

// Overwrites bytes of the line in a message in flight, if the message carries a copy of the line.
void debug_write(message&, line_t line, const std::uint8_t* data, byte_mask mask);

}  // namespace knc::coherence

#endif
