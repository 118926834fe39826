// What starts the window of a trace (docs/waveforms.md, "Triggers").
//
// A trigger is a list of conditions on values that the card keeps; it comes about at the first
// clock at which one of them does.
#ifndef KNC_PLATFORM_TRACE_TRIGGER_H
#define KNC_PLATFORM_TRACE_TRIGGER_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <knc/base/signal.h>

namespace platform {

// A condition on a value, looked at once per clock.
class trace_condition {
  public:
    enum class kind : std::uint8_t { rises, falls, changes, equals };
    trace_condition(const std::uint64_t* value, kind k, std::uint64_t wanted = 0)
        : value_(value), kind_(k), wanted_(wanted) {}

    const std::uint64_t* value() const { return value_; }
    // The present value is where the next clock begins.
    void arm() { last_ = *value_; }
    // Whether the condition came about since the call before. `equals` does when the value becomes
    // the one that is wanted.
    bool met() {
        const std::uint64_t before = last_;
        last_ = *value_;
        if (last_ == before) return false;
        switch (kind_) {
            case kind::rises:
                return last_ > before;
            case kind::falls:
                return last_ < before;
            case kind::equals:
                return last_ == wanted_;
            case kind::changes:
                break;
        }
        return true;
    }

  private:
    const std::uint64_t* value_;
    kind kind_;
    std::uint64_t wanted_;
    std::uint64_t last_ = 0;
};

struct trace_trigger {
    std::optional<std::uint64_t> mark;  // the first mark of this number
    std::vector<trace_condition> conditions;
    knc::base::signal_list signals;  // those that the conditions look at
};

// What a trigger can refer to.
struct trigger_sources {
    std::size_t threads;  // hardware threads of the card
    knc::base::signal_list signals;
    // How often a PMI line, and a counter, has risen and overflowed; by thread.
    std::function<const std::uint64_t*(std::size_t)> pmi;
    std::function<const std::uint64_t*(std::size_t, std::size_t)> overflows;
    // The address of a symbol.
    std::function<std::optional<std::uint64_t>(std::string_view)> address;
    // Of a thread.
    std::vector<std::string> counters = {"cntr0", "cntr1"};
};

// Throws input_error.
trace_trigger parse_trigger(const std::string& text, const trigger_sources&);

}  // namespace platform

#endif
