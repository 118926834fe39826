// The console of a run: what the guest prints and what it is told, by a user or by a session.
#ifndef KNC_PLATFORM_CONSOLE_H
#define KNC_PLATFORM_CONSOLE_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <knc/base/archive_forward.h>
#include <knc/base/clock.h>

#include <platform/console_end.h>
#include <platform/session.h>

namespace platform {

class console {
  public:
    // The steps of a session take the place of the host's input.
    console(std::unique_ptr<console_end>, std::vector<session_step>, std::uint64_t clock_hz);

    // The guest has printed `c` in cycle `now`. Returns whether a step of the session has ended by
    // it: there is input, and another deadline.
    bool put(char c, knc::base::cycle_t now);
    // The next character for the guest; none: at present there is none.
    std::optional<char> next();

    // Whether poll() has anything to do in this run.
    bool live() const { return end_->live(); }
    // Looks, a few hundred times per host second at most, whether the host has something to say.
    // Returns whether there is input.
    bool poll();
    // Input may still come from the host.
    bool open() const { return !session_ && end_->live() && !end_->exhausted(); }
    // Waits for input from the host. Returns whether there is any; the reasons why not are open(),
    // quit() and `interrupted`, which is asked now and then.
    bool wait(const std::function<bool()>& interrupted);
    bool quit() const { return end_->quit(); }
    // Nothing will be printed any more.
    void finish() { end_->finish(); }

    // The session, if there is one.
    session* script() { return session_ ? &*session_ : nullptr; }
    // What the guest has printed and been told. What is loaded goes on behind that: a session, if
    // it is the same; a file. Other input is new, and another session begins in cycle `now`.
    // Returns whether the session is the same one, or there is none in both.
    bool serialize(knc::base::archive&, knc::base::cycle_t now);
    // There are characters for the guest already.
    bool has_input() const { return taken_ < input_.size(); }
    // Everything the guest printed.
    const std::string& text() const { return text_; }
    // The user has seen it where messages appear.
    bool on_terminal() const { return end_->on_terminal(); }

  private:
    using host_clock = std::chrono::steady_clock;
    bool fill();
    void skip(std::uint64_t);

    std::unique_ptr<console_end> end_;
    std::optional<session> session_;
    std::string text_;
    std::string input_;
    std::size_t taken_ = 0;   // of `input_`
    std::uint64_t told_ = 0;  // characters, since the start of the run
    bool listening_ = false;  // the guest has asked for input
    host_clock::time_point polled_{};
};

}  // namespace platform

#endif
