#include <platform/unix_listener.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include <platform/input_error.h>

namespace platform {

unix_listener::unix_listener(const std::string& path, const std::string& option, int backlog)
    : path_(path), fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    const auto fail = [&](int error) {
        if (fd_ >= 0) close(fd_);
        throw input_error(
            fmt::format("{}{}: {}", option, path, std::generic_category().message(error)));
    };
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) fail(ENAMETOOLONG);
    std::memcpy(address.sun_path, path.data(), path.size());
    struct stat s = {};
    if (lstat(path.c_str(), &s) == 0 && S_ISSOCK(s.st_mode)) unlink(path.c_str());
    if (fd_ < 0 || bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(fd_, backlog) != 0)
        fail(errno);
}

unix_listener::~unix_listener() {
    close(fd_);
    unlink(path_.c_str());
}

int unix_listener::accept() const {
    return accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

}  // namespace platform
