#include <platform/gdb_surplus.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include <sys/socket.h>
#include <unistd.h>

#include <platform/gdb_packet.h>

namespace platform {

namespace {

constexpr std::size_t most_waiting = 8;

}  // namespace

gdb_surplus::~gdb_surplus() {
    for (const client& c : waiting_) close(c.fd);
}

// Returns whether the client has had its answer, or has gone; then it is closed.
bool gdb_surplus::leaves(client& c) {
    char bytes[0x1000];
    const ssize_t n = recv(c.fd, bytes, sizeof bytes, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (n > 0 && !c.answered) {
        // A first packet is short, and comes as a whole. An acknowledgement may come before it.
        if (std::find(bytes, bytes + n, '#') == bytes + n) return false;
        const std::string answer = '+' + frame_packet("E.another gdb is connected");
        c.answered = send(c.fd, answer.data(), answer.size(), MSG_NOSIGNAL) > 0;
        if (c.answered) return false;
    }
    close(c.fd);
    return true;
}

void gdb_surplus::add(int fd) {
    if (waiting_.size() == most_waiting) {
        close(waiting_.front().fd);
        waiting_.erase(waiting_.begin());
    }
    waiting_.push_back({fd});
}

std::vector<int> gdb_surplus::descriptors() const {
    std::vector<int> all;
    for (const client& c : waiting_) all.push_back(c.fd);
    return all;
}

void gdb_surplus::look() {
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), leaves), waiting_.end());
}

}  // namespace platform
