#include <platform/terminal.h>

#include <unistd.h>

#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace platform {

namespace {

constexpr std::chrono::milliseconds refresh{200};

}  // namespace

terminal::terminal(bool progress) : progress_(progress && isatty(STDERR_FILENO) != 0) {}

void terminal::put(char c) {
    clear();
    at_line_start_ = c == '\n';
    std::fputc(c, stdout);
    std::fflush(stdout);
}

void terminal::progress(double simulated_seconds, std::uint64_t instructions, double fraction) {
    const auto now = host_clock::now();
    // In the middle of a line of the console there is no place for it.
    if (!progress_ || handed_over_ || !at_line_start_ || now - shown_ < refresh) return;
    shown_ = now;
    const double host = std::chrono::duration<double>(now - started_).count();
    std::string line = fmt::format("\r\033[K{:.6f} s simulated, {:.1f} MIPS", simulated_seconds,
                                   static_cast<double>(instructions) / host / 1e6);
    if (fraction >= 0) line += fmt::format(", {:.0f}%", 100 * fraction);
    std::fputs(line.c_str(), stderr);
    line_shown_ = true;
}

void terminal::hand_over() {
    clear();
    handed_over_ = true;
}

void terminal::clear() {
    if (!line_shown_) return;
    std::fputs("\r\033[K", stderr);
    line_shown_ = false;
}

}  // namespace platform
