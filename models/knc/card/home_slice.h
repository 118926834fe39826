// What the slices that are homes of lines have in common: tag directory and L3.
//
// Models no hardware; it is the interface for debug accesses and statistics.
#ifndef KNC_CARD_HOME_SLICE_H
#define KNC_CARD_HOME_SLICE_H

#include <cstdint>

#include <knc/base/archive_forward.h>
#include <knc/coherence/debug_view.h>

namespace knc::card {

struct slice_counts {
    std::uint64_t messages = 0;  // accepted since the start
    std::uint64_t waited = 0;    // sum of the cycles for which they waited for the slice

    void serialize(base::archive&);
};

class home_slice {
  public:
    // Whether a cache has the line, the slice's own included, or a transaction for it is in
    // progress.
    virtual bool knows(coherence::line_t) const = 0;
    // Debug accesses (docs/coherence.md).
    virtual void view(coherence::debug_view&) const = 0;
    virtual void debug_write(coherence::line_t, const std::uint8_t* data, coherence::byte_mask) = 0;
    virtual const slice_counts& counted() const = 0;

  protected:
    ~home_slice() = default;
};

}  // namespace knc::card

#endif
