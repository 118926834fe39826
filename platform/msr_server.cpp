#include <platform/msr_server.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/socket.h>

#include <fmt/format.h>

namespace platform {

namespace {

constexpr std::chrono::milliseconds poll_interval{5};
constexpr int backlog = 64;

}  // namespace

msr_server::msr_server(const std::string& path, std::size_t threads, warning warn)
    : listener_(path, "--msr ", backlog), threads_(threads), warn_(std::move(warn)) {}

msr_server::~msr_server() {
    for (client& c : clients_) c.leave();
}

bool msr_server::poll() {
    const auto now = host_clock::now();
    if (now - looked_ < poll_interval && now - asked_ >= poll_interval) return false;
    return look();
}

bool msr_server::look() {
    looked_ = host_clock::now();
    for (int fd; (fd = listener_.accept()) >= 0;) clients_.emplace_back(fd);
    for (client& c : clients_) take(c);
    forget_the_gone(clients_);
    return std::any_of(clients_.begin(), clients_.end(),
                       [](const client& c) { return c.access.has_value(); });
}

void msr_server::take(client& c) {
    for (int n = 0; n < most_requests && c.connected() && !c.access; ++n) {
        const auto r = c.receive();
        if (r) {
            obey(c, *r);
            continue;
        }
        if (!c.connected() && c.begun() != 0)
            refuse(c, fmt::format("a request of {} bytes, {} are wanted", c.begun(),
                                  sizeof(knc_msr_request)));
        return;
    }
}

void msr_server::obey(client& c, const knc_msr_request& r) {
    asked_ = looked_;
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
            begin(c, r, knc_msr_may_read);
            break;
        case knc_msr_write:
            begin(c, r, knc_msr_may_write);
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

void msr_server::begin(client& c, const knc_msr_request& r, std::uint64_t needed) {
    if (!c.thread) return refuse(c, "an access without a thread");
    if ((c.may & needed) == 0) return answer(c, EBADF, 0);
    c.access = r;
}

void msr_server::serve(msr_target_if& target) {
    for (client& c : clients_) {
        if (!c.access) continue;
        const knc_msr_request r = *std::exchange(c.access, std::nullopt);
        std::uint64_t value = 0;
        const bool done = r.operation == knc_msr_write ? target.write(*c.thread, r.number, r.value)
                                                       : target.read(*c.thread, r.number, value);
        answer(c, done ? 0 : EIO, done ? value : 0);
    }
    forget_the_gone(clients_);
}

void msr_server::answer(client& c, std::uint32_t error, std::uint64_t value) {
    const knc_msr_answer a{error, 0, value};
    const ssize_t n = send(c.descriptor(), &a, sizeof a, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n == static_cast<ssize_t>(sizeof a)) return;
    if (n < 0 && errno != EAGAIN) return c.leave();
    refuse(c, "answers are not read");
}

void msr_server::refuse(client& c, const std::string& why) {
    warn_(fmt::format("--msr: a client is closed: {}", why));
    c.leave();
}

}  // namespace platform
