#include <knc/monitor/client.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace knc::monitor {

namespace {

// More than any card needs: a wrong program at the other end must not ask for all of the memory.
constexpr std::uint32_t most_words = 1 << 22;

int connect_to(const std::string& path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    int error = ENAMETOOLONG;
    if (path.size() < sizeof address.sun_path) {
        std::memcpy(address.sun_path, path.data(), path.size());
        const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 &&
            connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
            return fd;
        error = errno;
        if (fd >= 0) close(fd);
    }
    throw std::runtime_error("no platform at " + path + ": " +
                             std::generic_category().message(error));
}

}  // namespace

client::client(const std::string& path) : fd_(connect_to(path)) {
    answer a{};
    const bool answered = ask({operation::shape, 0, 0, 0}, a);
    const auto shape = answered ? decode_shape(a.content) : std::nullopt;
    if (!shape) {
        close(fd_);
        throw std::runtime_error("no platform of this version at " + path);
    }
    shape_ = *shape;
    last_ = start_of(shape_);
}

client::~client() {
    close(fd_);
}

bool client::receive(void* to, std::size_t size) const {
    for (auto* at = static_cast<char*>(to); size != 0;) {
        const ssize_t n = recv(fd_, at, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= static_cast<std::size_t>(n);
    }
    return true;
}

bool client::ask(const request& r, answer& a) const {
    // A platform that has ended may have left its last answer: sending may fail.
    (void)send(fd_, &r, sizeof r, MSG_NOSIGNAL);
    if (!receive(&a.header, sizeof a.header) || a.header.words > most_words) return false;
    a.content.resize(a.header.words);
    return receive(a.content.data(), a.content.size() * sizeof a.content[0]);
}

snapshot client::read(std::uint64_t cycle, bool hold) {
    return take({operation::snapshot, hold ? 1U : 0U, cycle, 0});
}

snapshot client::read_at_mark(std::uint32_t number) {
    return take({operation::mark, 1, 0, number});
}

snapshot client::take(const request& r) {
    if (last_.ended) return last_;
    answer a{};
    const bool answered = ask(r, a);
    const auto next =
        answered ? decode_snapshot(a.content, shape_, a.header.ended != 0) : std::nullopt;
    if (next)
        last_ = *next;
    else
        last_.ended = true;
    return last_;
}

std::optional<std::uint64_t> client::access(operation what, unsigned thread, std::uint32_t number,
                                            std::uint64_t value) {
    if (last_.ended) return {};
    answer a{};
    const bool answered =
        ask({what, 1, std::uint64_t{thread} << 32 | number, value}, a) && a.header.ended == 0;
    if (!answered) last_.ended = true;
    if (!answered || a.content.size() != 2 || a.content[0] == 0) return {};
    return a.content[1];
}

std::optional<std::uint64_t> client::read_msr(unsigned thread, std::uint32_t number) {
    return access(operation::read_msr, thread, number, 0);
}

bool client::write_msr(unsigned thread, std::uint32_t number, std::uint64_t value) {
    return access(operation::write_msr, thread, number, value).has_value();
}

}  // namespace knc::monitor
