#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <fmt/format.h>

#include <platform/console_stream.h>
#include <platform/input_error.h>

namespace platform {

namespace {

class pty_console final : public console_stream {
  public:
    pty_console() : master_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) {
        char name[128];
        if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0 ||
            ptsname_r(master_, name, sizeof name) != 0)
            fail();
        slave_ = name;
        // In raw mode from the start: nothing that is printed may come back as an echo. When nobody
        // has it open, its master reports a hang-up.
        const int fd = open_slave();
        termios t = {};
        if (fd < 0 || tcgetattr(fd, &t) != 0) fail();
        cfmakeraw(&t);
        if (tcsetattr(fd, TCSANOW, &t) != 0) fail();
        close(fd);
        std::cerr << "knc-vp: console: " << slave_ << std::endl;
    }
    ~pty_console() override { close(master_); }
    pty_console(const pty_console&) = delete;
    pty_console& operator=(const pty_console&) = delete;

  private:
    [[noreturn]] static void fail() {
        throw input_error(fmt::format("--console pty: {}", std::generic_category().message(errno)));
    }
    int open_slave() const {
        return open(slave_.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    }
    int client() override {
        pollfd p{master_, 0, 0};
        return ::poll(&p, 1, 0) > 0 && (p.revents & POLLHUP) != 0 ? -1 : master_;
    }
    // When the master is closed, what the client has not read yet is lost. Unlike FIONREAD, poll()
    // also sees what the kernel has still to pass on.
    bool unread() override {
        pollfd p{open_slave(), POLLIN, 0};
        const bool there = p.fd >= 0 && ::poll(&p, 1, 0) > 0 && (p.revents & POLLIN) != 0;
        if (p.fd >= 0) close(p.fd);
        return there;
    }

    const int master_;
    std::string slave_;
};

}  // namespace

std::unique_ptr<console_end> make_pty_console() {
    return std::make_unique<pty_console>();
}

}  // namespace platform
