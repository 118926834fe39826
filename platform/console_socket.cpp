#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include <platform/console_stream.h>
#include <platform/input_error.h>

namespace platform {

namespace {

class socket_console final : public console_stream {
  public:
    explicit socket_console(const std::string& path)
        : path_(path), listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        if (path.size() >= sizeof address.sun_path) fail(ENAMETOOLONG);
        std::memcpy(address.sun_path, path.data(), path.size());
        struct stat s = {};
        if (lstat(path.c_str(), &s) == 0 && S_ISSOCK(s.st_mode)) unlink(path.c_str());
        if (listener_ < 0 ||
            bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
            listen(listener_, 1) != 0)
            fail(errno);
    }
    ~socket_console() override {
        lost();
        close(listener_);
        unlink(path_.c_str());
    }
    socket_console(const socket_console&) = delete;
    socket_console& operator=(const socket_console&) = delete;

  private:
    [[noreturn]] void fail(int error) const {
        throw input_error(
            fmt::format("--console socket:{}: {}", path_, std::generic_category().message(error)));
    }
    int client() override {
        if (client_ < 0)
            client_ = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        return client_;
    }
    void lost() override {
        if (client_ >= 0) close(std::exchange(client_, -1));
    }

    const std::string path_;
    const int listener_;
    int client_ = -1;
};

}  // namespace

std::unique_ptr<console_end> make_socket_console(const std::string& path) {
    return std::make_unique<socket_console>(path);
}

}  // namespace platform
