// talk WHERE STEP... -- COMMAND...
//
// Runs COMMAND and speaks with it in the place of a user. WHERE: "terminal", a new terminal that is
// its standard input, output and error; "pty", the pseudo-terminal it names on standard error;
// "socket:PATH", the socket on which it listens. Steps: wait:TEXT, send:TEXT (escapes \n \r \xNN),
// mode:raw and mode:cooked (what the terminal must be then), leave (the client goes; the next step
// with text brings another one, some time later), kill:NUMBER (a signal), run:COMMAND (by the
// shell). What is read goes to standard output. Exit status: that of COMMAND, 128 + n after signal
// n, 99 if a step fails.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace {

constexpr int limit = 20;     // s, for each step
constexpr int absence = 500;  // ms

pid_t child = -1;

[[noreturn]] void fail(const std::string& what) {
    if (child > 0) kill(child, SIGKILL);
    std::cout << std::flush;
    std::cerr << "talk: " << what << '\n';
    std::_Exit(99);
}

std::string plain(const std::string& text) {
    std::string out;
    for (std::size_t n = 0; n < text.size(); ++n) {
        if (text[n] != '\\' || n + 1 == text.size()) {
            out += text[n];
        } else if (const char c = text[++n]; c == 'x') {
            out += static_cast<char>(std::stoi(text.substr(n + 1, 2), nullptr, 16));
            n += 2;
        } else {
            out += c == 'n' ? '\n' : c == 'r' ? '\r' : c;
        }
    }
    return out;
}

class talk {
  public:
    talk(std::string where, char** command) : where_(std::move(where)) {
        if (where_ == "terminal")
            child = forkpty(&fd_, nullptr, nullptr, nullptr);
        else
            start();
        if (child == 0) {
            execv(command[0], command);
            std::_Exit(98);
        }
        if (child < 0) fail("no process");
        close_in_child();
    }

    void step(const std::string& s) {
        const auto colon = s.find(':');
        const std::string what = s.substr(0, colon);
        const std::string text = colon == std::string::npos ? "" : plain(s.substr(colon + 1));
        if (what == "wait") {
            wait(text);
        } else if (what == "send") {
            if (::write(client(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
                fail("cannot send " + s);
        } else if (what == "mode") {
            mode(text);
        } else if (what == "kill") {
            kill(child, std::stoi(text));
        } else if (what == "run") {
            if (std::system(text.c_str()) != 0) fail("no success: " + s);
        } else if (what == "leave") {
            // A pseudo-terminal tells that its client has gone only as long as there is none.
            close(std::exchange(fd_, -1));
            ::poll(nullptr, 0, absence);
        } else {
            fail("no step " + s);
        }
    }

    int end() {
        while (more()) {
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (where_ == "terminal") mode("cooked");
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }

  private:
    void start() {
        if (pipe(errors_) != 0) fail("no pipe");
        child = fork();
        if (child != 0) return;
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(errors_[1], STDERR_FILENO);
        close(errors_[0]);
        close(errors_[1]);
    }
    void close_in_child() {
        if (errors_[1] >= 0) close(std::exchange(errors_[1], -1));
    }

    int client() {
        if (fd_ < 0)
            fd_ = where_ == "pty" ? slave() : connected(where_.substr(where_.find(':') + 1));
        return fd_;
    }
    int slave() {
        const std::string announced = "knc-vp: console: ";
        while (name_.empty()) {
            char c = 0;
            if (::read(errors_[0], &c, 1) != 1) fail("no name of a terminal in: " + line_);
            if (c != '\n') {
                line_ += c;
                continue;
            }
            if (line_.rfind(announced, 0) == 0) name_ = line_.substr(announced.size());
            line_.clear();
        }
        const int fd = open(name_.c_str(), O_RDWR | O_NOCTTY);
        if (fd < 0) fail("cannot open " + name_);
        return fd;
    }
    static int connected(const std::string& path) {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        for (int n = 0; n < 100 * limit; ++n) {
            if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
                return fd;
            ::poll(nullptr, 0, 10);
        }
        fail("cannot connect to " + path);
    }

    // Reads what is there, or waits for it; false at the end.
    bool more() {
        if (fd_ < 0) return false;
        pollfd p{fd_, POLLIN, 0};
        if (::poll(&p, 1, 1000 * limit) <= 0) fail("nothing more after: " + seen_);
        char part[4096];
        const ssize_t n = ::read(fd_, part, sizeof part);
        if (n <= 0) return false;
        std::cout.write(part, n);
        seen_.append(part, static_cast<std::size_t>(n));
        return true;
    }
    void wait(const std::string& text) {
        client();
        std::size_t at = 0;
        while ((at = seen_.find(text)) == std::string::npos)
            if (!more()) fail("'" + text + "' has not come; there was: " + seen_);
        seen_.erase(0, at + text.size());
    }
    // A short time is allowed for a change that is on its way.
    void mode(const std::string& wanted) const {
        for (int n = 0; n < 500; ++n) {
            termios t = {};
            if (tcgetattr(fd_, &t) != 0) fail("no mode");
            const bool cooked = (t.c_lflag & (ICANON | ECHO | ISIG)) == (ICANON | ECHO | ISIG);
            const bool raw = (t.c_lflag & (ICANON | ECHO | ISIG)) == 0;
            if (wanted == "cooked" ? cooked : raw) return;
            ::poll(nullptr, 0, 10);
        }
        fail("the terminal is not " + wanted);
    }

    const std::string where_;
    int fd_ = -1;
    int errors_[2] = {-1, -1};
    std::string line_, name_, seen_;
};

}  // namespace

int main(int argc, char** argv) {
    int command = 2;
    while (command < argc && std::strcmp(argv[command], "--") != 0) ++command;
    if (command + 1 >= argc) fail("WHERE STEP... -- COMMAND... is wanted");
    talk t(argv[1], argv + command + 1);
    for (int n = 2; n < command; ++n) t.step(argv[n]);
    return t.end();
}
