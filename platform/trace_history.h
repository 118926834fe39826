// The last clocks of all traced signals, for the part of a window before its trigger.
//
// Keeps the values at the oldest clock and all changes since then, 24 bytes each.
#ifndef KNC_PLATFORM_TRACE_HISTORY_H
#define KNC_PLATFORM_TRACE_HISTORY_H

#include <cstdint>
#include <deque>
#include <vector>

#include <knc/base/clock.h>

namespace platform {

class trace_history {
  public:
    struct change {
        knc::base::cycle_t at;
        std::size_t signal;
        std::uint64_t value;
    };

    // Starts with these values.
    void reset(std::vector<std::uint64_t> values) {
        values_ = std::move(values);
        changes_.clear();
    }
    // Clocks never decrease.
    void add(const change& c) { changes_.push_back(c); }
    // Nobody asks for an earlier clock than `oldest` any more.
    void forget_before(knc::base::cycle_t oldest) {
        for (; !changes_.empty() && changes_.front().at <= oldest; changes_.pop_front())
            values_[changes_.front().signal] = changes_.front().value;
    }

    // The values at the oldest clock, and the changes after it.
    const std::vector<std::uint64_t>& values() const { return values_; }
    const std::deque<change>& changes() const { return changes_; }

  private:
    std::vector<std::uint64_t> values_;
    std::deque<change> changes_;
};

}  // namespace platform

#endif
