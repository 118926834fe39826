// The coherent value of a line for accesses without side effects (loader, debugger, report).
//
// Models: where a line's value is while messages are under way. A read offers the view everything
// that may have the line, in any order, and takes value(). A write goes to every place: slots and
// L1 of the tiles, l2_agent::debug_write(), directory::debug_write() of the home slice,
// debug_write() below for each message under way, memory.
// Source: docs/coherence.md, "Debug accesses".
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

    // A copy in a cache, with what the L1 data cache has written to it; of a state that readable().
    void copy(const std::uint8_t* data) { offer(rank::cache, data); }
    // What a store will write that has claimed the line: where nothing better is left of the line,
    // that it is about to be.
    void claimed(const std::uint8_t* data) { offer(rank::claimed, data); }
    void victims(const l2_agent&);
    void slice(const directory&);
    void in_flight(const message&);
    void memory(const line_data& data) { offer(rank::memory, data.data()); }

    // Once memory and everything else was offered; what was offered must still be there.
    line_data value();

  private:
    enum class rank : std::uint8_t { nothing, memory, claimed, moving, cache };
    void offer(rank r, const std::uint8_t* data);

    line_t line_;
    rank rank_ = rank::nothing;
    line_data value_{};
    line_data written_{};    // on its way to memory,
    byte_mask overlay_ = 0;  // these bytes of it
    // Victim buffers that have the line, and tiles whose eviction of it is complete at the home
    // slice.
    std::vector<std::pair<node_t, const std::uint8_t*>> victims_;
    std::uint64_t evicted_ = 0;
};

// Overwrites bytes of the line in a message under way, if it is a copy of the line.
void debug_write(message&, line_t line, const std::uint8_t* data, byte_mask mask);

}  // namespace knc::coherence

#endif
