#include <platform/console_standard.h>

#include <cerrno>
#include <iostream>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <platform/terminal.h>

namespace platform {

namespace {

// The program looks after the terminal itself, so a wait has an end.
constexpr int longest_wait = 200;  // ms

}  // namespace

console_standard::console_standard(terminal& t, bool quiet) : terminal_(t), quiet_(quiet) {
    struct stat s = {};
    if (fstat(STDIN_FILENO, &s) != 0)
        source_ = source::none;
    else if (isatty(STDIN_FILENO) != 0)
        source_ = source::terminal;
    else
        source_ = S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode) ? source::pipe : source::file;
}

void console_standard::write(const std::string& all) {
    terminal_.put(all.back());
}

bool console_standard::on_terminal() const {
    return isatty(STDOUT_FILENO) != 0;
}

bool console_standard::ready(int milliseconds) const {
    // A background program that reads its terminal is stopped.
    if (source_ == source::terminal && !in_foreground(STDIN_FILENO)) {
        if (milliseconds != 0) ::poll(nullptr, 0, milliseconds);
        return false;
    }
    pollfd p{STDIN_FILENO, POLLIN, 0};
    return ::poll(&p, 1, milliseconds) > 0;
}

void console_standard::take_terminal() {
    if (raw_ || !in_foreground(STDIN_FILENO)) return;
    raw_.emplace(STDIN_FILENO);
    terminal_.hand_over();
    if (!quiet_)
        std::cerr << "knc-vp: the keyboard is the console's: Ctrl-A x ends the run, Ctrl-A h "
                     "lists the keys\n";
}

std::string console_standard::read() {
    if (source_ == source::none) return {};
    if (source_ == source::terminal) take_terminal();
    if (live() && !ready(0)) return {};
    char part[4096];
    const ssize_t n = ::read(STDIN_FILENO, part, sizeof part);
    if (n <= 0) {
        if (n == 0 || (errno != EINTR && errno != EAGAIN)) source_ = source::none;
        return {};
    }
    const std::string text(part, static_cast<std::size_t>(n));
    if (source_ != source::terminal) return text;
    escape_keys::result r = keys_.filter(text);
    if (r.wanted == escape_keys::request::help) std::cerr << '\n' << escape_keys::help;
    if (r.wanted == escape_keys::request::quit) quit_ = true;
    return r.text;
}

void console_standard::wait() {
    ready(longest_wait);
}

}  // namespace platform
