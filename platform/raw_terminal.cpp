#include <platform/raw_terminal.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>

#include <termios.h>
#include <unistd.h>

namespace platform {

namespace {

// For the signal handlers. -1: no terminal is in raw mode.
volatile std::sig_atomic_t terminal = -1;
termios before, raw;

void restore() {
    if (terminal >= 0) tcsetattr(terminal, TCSANOW, &before);
}

// The handler is reset: the signal then does what it does without one.
void end(int signal) {
    restore();
    std::raise(signal);
}

void stop(int) {
    restore();
    std::raise(SIGSTOP);
}

void go_on(int) {
    if (terminal >= 0 && in_foreground(terminal)) tcsetattr(terminal, TCSANOW, &raw);
}

// A signal that the program ignores stays ignored.
void handle(int signal, void (*handler)(int), int flags) {
    struct sigaction old = {}, action = {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler != SIG_DFL) return;
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

}  // namespace

bool in_foreground(int fd) {
    return tcgetpgrp(fd) == getpgrp();
}

raw_terminal::raw_terminal(int fd) {
    if (tcgetattr(fd, &before) != 0) return;
    raw = before;
    cfmakeraw(&raw);
    raw.c_oflag = before.c_oflag;
    terminal = fd;
    std::atexit(restore);
    for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
        handle(s, end, SA_RESETHAND);
    handle(SIGTSTP, stop, SA_RESTART);
    handle(SIGCONT, go_on, SA_RESTART);
    tcsetattr(fd, TCSANOW, &raw);
}

raw_terminal::~raw_terminal() {
    restore();
    terminal = -1;
}

}  // namespace platform
