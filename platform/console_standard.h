// The console on standard input and output.
//
// Standard input is a terminal, which is put into raw mode when the guest begins to listen; a pipe
// or socket; or something that always answers at once, as a regular file or /dev/null does.
#ifndef KNC_PLATFORM_CONSOLE_STANDARD_H
#define KNC_PLATFORM_CONSOLE_STANDARD_H

#include <optional>
#include <string>

#include <platform/console_end.h>
#include <platform/escape_keys.h>
#include <platform/raw_terminal.h>

namespace platform {

class console_standard final : public console_end {
  public:
    console_standard(terminal&, bool quiet);

    void write(const std::string& all) override;
    std::string read() override;
    bool live() const override { return source_ == source::terminal || source_ == source::pipe; }
    bool exhausted() const override { return source_ == source::none; }
    void wait() override;
    bool on_terminal() const override;
    bool quit() const override { return quit_; }
    bool repeats() const override { return source_ == source::file; }

  private:
    enum class source { none, file, pipe, terminal };

    void take_terminal();
    bool ready(int milliseconds) const;

    terminal& terminal_;
    const bool quiet_;
    source source_;
    std::optional<raw_terminal> raw_;
    escape_keys keys_;
    bool quit_ = false;
};

}  // namespace platform

#endif
