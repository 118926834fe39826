#include <platform/monitor_server.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/socket.h>

#include <fmt/format.h>

namespace platform {

namespace {

namespace monitor = knc::monitor;

constexpr std::chrono::milliseconds poll_interval{5};
constexpr int backlog = 16;
// A client that does not read its answers for so long is closed.
constexpr int patience_ms = 10'000;

// Sends all of it; the client may take its time to read. False: it is gone.
bool send_all(int fd, const void* from, std::size_t size) {
    for (const auto* at = static_cast<const char*>(from); size != 0;) {
        const ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n > 0) {
            at += n;
            size -= static_cast<std::size_t>(n);
            continue;
        }
        if (n < 0 && errno == EINTR) continue;
        pollfd p{fd, POLLOUT, 0};
        if (n == 0 || errno != EAGAIN || ::poll(&p, 1, patience_ms) <= 0) return false;
    }
    return true;
}

}  // namespace

monitor_server::monitor_server(const std::string& path, const monitor::platform_shape& shape,
                               reader read, msr_target_if& registers, warning warn)
    : listener_(path, "--monitor ", backlog),
      shape_(shape),
      read_(std::move(read)),
      registers_(registers),
      warn_(std::move(warn)) {}

monitor_server::~monitor_server() {
    for (client& c : clients_) c.leave();
}

void monitor_server::wait_for_client() {
    for (look(); std::none_of(clients_.begin(), clients_.end(),
                              [](const client& c) { return c.wanted || c.holds; });
         look())
        wait_for_requests();
}

void monitor_server::poll() {
    if (host_clock::now() - looked_ >= poll_interval) look();
}

void monitor_server::look() {
    looked_ = host_clock::now();
    for (int fd; (fd = listener_.accept()) >= 0;) clients_.emplace_back(fd);
    for (client& c : clients_) take(c);
    forget_the_gone(clients_);
}

knc::base::cycle_t monitor_server::next() const {
    if (held()) return 0;
    knc::base::cycle_t first = knc::base::never;
    for (const client& c : clients_)
        if (c.wanted) first = std::min(first, *c.wanted);
    return first;
}

void monitor_server::serve(knc::base::cycle_t now) {
    for (answer_due(now); held(); answer_due(now)) {
        wait_for_requests();
        look();
    }
}

void monitor_server::answer_due(knc::base::cycle_t now) {
    monitor::words counts;
    for (client& c : clients_) {
        if (!c.wanted || *c.wanted > now) continue;
        if (c.asked.what == monitor::operation::read_msr ||
            c.asked.what == monitor::operation::write_msr) {
            answer(c, access_msr(c.asked), false);
            continue;
        }
        if (counts.empty()) counts = monitor::encode(read_(), shape_);
        answer(c, counts, false);
    }
    forget_the_gone(clients_);
}

monitor::words monitor_server::access_msr(const monitor::request& r) {
    const auto thread = static_cast<unsigned>(r.cycle >> 32);
    const auto number = static_cast<std::uint32_t>(r.cycle);
    std::uint64_t value = r.value;
    const bool done = thread < shape_.threads() && (r.what == monitor::operation::read_msr
                                                        ? registers_.read(thread, number, value)
                                                        : registers_.write(thread, number, value));
    return {done ? 1U : 0U, done ? value : 0};
}

void monitor_server::marked(std::uint32_t number, knc::base::cycle_t at) {
    for (client& c : clients_)
        if (c.wanted && c.asked.what == monitor::operation::mark && c.asked.value == number)
            c.wanted = std::min(*c.wanted, at);
}

void monitor_server::finish() {
    look();
    const monitor::words counts = monitor::encode(read_(), shape_);
    for (client& c : clients_) answer(c, counts, true);
    forget_the_gone(clients_);
}

// Whether the run must not go on: a client has its answer and wants to ask the next question first.
bool monitor_server::held() const {
    return std::any_of(clients_.begin(), clients_.end(),
                       [](const client& c) { return c.holds && !c.wanted; });
}

void monitor_server::wait_for_requests() {
    std::vector<pollfd> all{{listener_.descriptor(), POLLIN, 0}};
    for (const client& c : clients_)
        if (!c.wanted) all.push_back({c.descriptor(), POLLIN, 0});
    ::poll(all.data(), all.size(), -1);
}

void monitor_server::take(client& c) {
    for (int n = 0; n < most_requests && c.connected() && !c.wanted; ++n) {
        const auto r = c.receive();
        if (!r) return;
        obey(c, *r);
    }
}

void monitor_server::obey(client& c, const monitor::request& r) {
    c.holds = r.hold != 0;
    switch (r.what) {
        case monitor::operation::shape:
            return answer(c, monitor::encode(shape_), false);
        case monitor::operation::snapshot:
            c.wanted = r.cycle;
            c.asked = r;
            return;
        case monitor::operation::mark:
            c.wanted = knc::base::never;
            c.asked = r;
            return;
        case monitor::operation::read_msr:
        case monitor::operation::write_msr:
            c.wanted = 0;
            c.asked = r;
            return;
    }
    refuse(c, fmt::format("no operation {}", static_cast<std::uint32_t>(r.what)));
}

void monitor_server::answer(client& c, const monitor::words& content, bool ended) {
    c.wanted.reset();
    const monitor::answer_header h{ended ? 1U : 0U, static_cast<std::uint32_t>(content.size())};
    if (!send_all(c.descriptor(), &h, sizeof h) ||
        !send_all(c.descriptor(), content.data(), content.size() * sizeof content[0]))
        c.leave();
}

void monitor_server::refuse(client& c, const std::string& why) {
    warn_(fmt::format("--monitor: a client is closed: {}", why));
    c.leave();
}

}  // namespace platform
