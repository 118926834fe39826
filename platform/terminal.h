// What the user sees of a run: the firmware's console on standard output, if that is where it ends,
// and a progress line on standard error where that is a terminal.
#ifndef KNC_PLATFORM_TERMINAL_H
#define KNC_PLATFORM_TERMINAL_H

#include <chrono>
#include <cstdint>

namespace platform {

class terminal {
  public:
    // `progress`: show the line, if standard error is a terminal.
    explicit terminal(bool progress);

    bool shows_progress() const { return progress_; }
    // The terminal is the guest's from now on: no more progress lines.
    void hand_over();
    // A character of the console: written and flushed at once, the progress line out of its way.
    void put(char c);
    // Replaces the progress line; a few times a second at most. `fraction` of the work done,
    // negative where no end is known.
    void progress(double simulated_seconds, std::uint64_t instructions, double fraction);
    // Removes the line.
    void clear();

  private:
    using host_clock = std::chrono::steady_clock;
    bool progress_;
    bool handed_over_ = false;
    bool line_shown_ = false;
    bool at_line_start_ = true;
    host_clock::time_point started_ = host_clock::now(), shown_ = started_;
};

}  // namespace platform

#endif
