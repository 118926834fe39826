// A scripted session at the console: text that is waited for, and text that is typed then.
//
// Time is simulated time, and what is typed is ready in the cycle in which the text waited for was
// complete. So a session is exactly reproducible.
#ifndef KNC_PLATFORM_SESSION_H
#define KNC_PLATFORM_SESSION_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>

namespace platform {

struct session_step {
    std::string wait;  // empty: nothing
    std::string send;
    // Simulated seconds that it may take until the text has come, from the end of the step before;
    // none: any time.
    std::optional<double> timeout = 10;
    std::string place;  // FILE:LINE
};

class session {
  public:
    // The first step begins in cycle 0.
    session(std::vector<session_step>, std::uint64_t clock_hz);

    // The guest has printed `c` in cycle `now`. Returns whether a step has ended by it. What comes
    // in the cycle of the deadline or later is too late.
    bool heard(char c, knc::base::cycle_t now);
    // The next character to be typed.
    std::optional<char> next();

    // How far it is. Another session than the one saved begins in cycle `now`. Returns whether it
    // is the same.
    bool serialize(knc::base::archive&, knc::base::cycle_t now);

    // The cycle by which the present step must have ended.
    knc::base::cycle_t deadline() const { return deadline_; }
    void set_deadline(knc::base::cycle_t at) { deadline_ = at; }
    // The step that waits; nullptr: all have ended.
    const session_step* waiting() const {
        return present_ < steps_.size() ? &steps_[present_] : nullptr;
    }

  private:
    void begin(knc::base::cycle_t now);

    const std::vector<session_step> steps_;
    const std::uint64_t clock_hz_;
    std::size_t present_ = 0;
    std::string seen_;  // since the end of the step before
    std::string typed_;
    std::size_t taken_ = 0;  // of `typed_`
    knc::base::cycle_t deadline_ = knc::base::never;
};

// One line about the step that did not end: its text, its place, and how the console ends. `late`:
// its time was over.
std::string complaint(const session_step&, bool late, const std::string& console);

}  // namespace platform

#endif
