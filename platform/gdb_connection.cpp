#include <platform/gdb_connection.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include <platform/input_error.h>

namespace platform {

namespace {

constexpr int backlog = 4;
// A client that does not read its answers for so long is closed.
constexpr int patience_ms = 10'000;
// One that sends without end does not hold up the run.
constexpr int most_parts = 64;
constexpr const char* option = "--gdb ";

bool is_number(const std::string& text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

gdb_connection::gdb_connection(const std::string& place) {
    if (is_number(place))
        port_ = listen_at_port(place);
    else
        socket_.emplace(place, option, backlog);
}

// Programs of this host only: whoever reaches the port controls the run.
int gdb_connection::listen_at_port(const std::string& place) {
    constexpr unsigned long largest = 65535;
    const unsigned long number = place.size() > 5 ? 0 : std::stoul(place);
    if (number == 0 || number > largest)
        throw input_error(fmt::format("{}{}: a port is 1 to {}", option, place, largest));
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int yes = 1;
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(number));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(fd, backlog) != 0) {
        const int error = errno;
        if (fd >= 0) close(fd);
        throw input_error(
            fmt::format("{}{}: {}", option, place, std::generic_category().message(error)));
    }
    return fd;
}

gdb_connection::~gdb_connection() {
    leave();
    if (port_ >= 0) close(port_);
}

bool gdb_connection::accept() {
    const bool had_one = connected();
    for (int fd;
         (fd = accept4(listening(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
        if (connected()) {
            surplus_.add(fd);
            continue;
        }
        const int yes = 1;
        if (port_ >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        client_ = fd;
        acknowledges_ = true;
        sent_.clear();
        reader_.clear();
    }
    surplus_.look();
    return connected() && !had_one;
}

void gdb_connection::wait_for_client() {
    while (!connected() && !accept()) wait_for_bytes();
}

// Also from those who would like to be clients.
void gdb_connection::wait_for_bytes() const {
    std::vector<pollfd> all{{listening(), POLLIN, 0}};
    if (connected()) all.push_back({client_, POLLIN, 0});
    for (const int fd : surplus_.descriptors()) all.push_back({fd, POLLIN, 0});
    ::poll(all.data(), all.size(), -1);
}

// Returns whether something has come.
bool gdb_connection::receive() {
    char bytes[0x1000];
    const ssize_t n = recv(client_, bytes, sizeof bytes, 0);
    if (n > 0) {
        reader_.add({bytes, static_cast<std::size_t>(n)});
        return true;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) leave();
    return false;
}

gdb_connection::item gdb_connection::take() {
    for (int parts = 0; connected() && parts < most_parts; ++parts) {
        item i = reader_.next();
        switch (i.what) {
            case kind::none:
                if (receive()) break;
                return {};
            case kind::packet:
                if (acknowledges_) write("+");
                return i;
            case kind::bad:
                // Without acknowledgements nobody would send it again: an answer ends the wait.
                if (acknowledges_)
                    write("-");
                else
                    send("E01");
                break;
            case kind::rejected:
                if (acknowledges_ && !sent_.empty()) write(sent_);
                break;
            case kind::accepted:
                break;
            case kind::interrupt:
                return i;
        }
    }
    return {};
}

gdb_connection::item gdb_connection::wait() {
    while (connected()) {
        item i = take();
        if (i.what != kind::none) return i;
        if (!connected()) break;
        wait_for_bytes();
        accept();
    }
    return {};
}

void gdb_connection::send(std::string_view content) {
    sent_ = frame_packet(escape_packet(content));
    write(sent_);
}

void gdb_connection::write(std::string_view bytes) {
    while (connected() && !bytes.empty()) {
        const ssize_t n = ::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(n));
            continue;
        }
        if (n < 0 && errno == EINTR) continue;
        pollfd p{client_, POLLOUT, 0};
        if (n == 0 || errno != EAGAIN || ::poll(&p, 1, patience_ms) <= 0) leave();
    }
}

void gdb_connection::leave() {
    if (client_ >= 0) close(std::exchange(client_, -1));
}

}  // namespace platform
