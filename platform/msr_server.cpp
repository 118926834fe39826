#include <platform/msr_server.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

namespace platform {

namespace {

constexpr std::chrono::milliseconds poll_interval{5};
constexpr int backlog = 64;
// A client that sends without end does not hold up the run.
constexpr int most_requests = 64;

knc_msr_request request_in(const std::array<char, sizeof(knc_msr_request)>& bytes) {
    knc_msr_request r;
    std::memcpy(&r, bytes.data(), sizeof r);
    return r;
}

}  // namespace

msr_server::msr_server(const std::string& path, std::size_t threads, warning warn)
    : listener_(path, "--msr ", backlog), threads_(threads), warn_(std::move(warn)) {}

msr_server::~msr_server() {
    for (client& c : clients_) leave(c);
}

bool msr_server::poll() {
    const auto now = host_clock::now();
    if (now - looked_ < poll_interval && now - asked_ >= poll_interval) return false;
    return look();
}

bool msr_server::look() {
    looked_ = host_clock::now();
    for (int fd; (fd = listener_.accept()) >= 0;) clients_.push_back({fd});
    for (client& c : clients_) take(c);
    forget_the_gone();
    return std::any_of(clients_.begin(), clients_.end(), [](const client& c) { return c.waits; });
}

void msr_server::take(client& c) {
    for (int n = 0; n < most_requests && c.fd >= 0 && !c.waits && receive(c); ++n) obey(c);
}

// Returns whether a request is complete.
bool msr_server::receive(client& c) {
    const ssize_t n = recv(c.fd, c.received.data() + c.size, c.received.size() - c.size, 0);
    if (n < 0) {
        if (errno != EAGAIN && errno != EINTR) leave(c);
        return false;
    }
    if (n == 0) {
        if (c.size != 0)
            refuse(c,
                   fmt::format("a request of {} bytes, {} are wanted", c.size, c.received.size()));
        leave(c);
        return false;
    }
    c.size += static_cast<std::size_t>(n);
    return c.size == c.received.size();
}

void msr_server::obey(client& c) {
    asked_ = looked_;
    c.size = 0;
    const knc_msr_request r = request_in(c.received);
    switch (r.operation) {
        case knc_msr_threads:
            answer(c, 0, threads_);
            break;
        case knc_msr_select:
            if (r.number >= threads_) return answer(c, ENXIO, 0);
            c.thread = r.number;
            c.may = r.value != 0 ? r.value : knc_msr_may_read | knc_msr_may_write;
            answer(c, 0, 0);
            break;
        case knc_msr_read:
            begin(c, knc_msr_may_read);
            break;
        case knc_msr_write:
            begin(c, knc_msr_may_write);
            break;
        case knc_msr_seek:
            c.position = r.value;
            answer(c, 0, 0);
            break;
        case knc_msr_tell:
            answer(c, 0, c.position);
            break;
        default:
            refuse(c, fmt::format("no operation {}", r.operation));
    }
}

void msr_server::begin(client& c, std::uint64_t needed) {
    if (!c.thread) return refuse(c, "an access without a thread");
    c.waits = (c.may & needed) != 0;
    if (!c.waits) answer(c, EBADF, 0);
}

void msr_server::serve(msr_target_if& target) {
    for (client& c : clients_) {
        if (!std::exchange(c.waits, false)) continue;
        const knc_msr_request r = request_in(c.received);
        std::uint64_t value = 0;
        const bool done = r.operation == knc_msr_write ? target.write(*c.thread, r.number, r.value)
                                                       : target.read(*c.thread, r.number, value);
        answer(c, done ? 0 : EIO, done ? value : 0);
    }
    forget_the_gone();
}

void msr_server::answer(client& c, std::uint32_t error, std::uint64_t value) {
    const knc_msr_answer a{error, 0, value};
    const ssize_t n = send(c.fd, &a, sizeof a, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n == static_cast<ssize_t>(sizeof a)) return;
    if (n < 0 && errno != EAGAIN) return leave(c);
    refuse(c, "answers are not read");
}

void msr_server::refuse(client& c, const std::string& why) {
    warn_(fmt::format("--msr: a client is closed: {}", why));
    leave(c);
}

void msr_server::leave(client& c) {
    if (c.fd >= 0) close(std::exchange(c.fd, -1));
    c.waits = false;
}

void msr_server::forget_the_gone() {
    clients_.erase(
        std::remove_if(clients_.begin(), clients_.end(), [](const client& c) { return c.fd < 0; }),
        clients_.end());
}

}  // namespace platform
