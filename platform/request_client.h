// A client of a server whose requests have one size, over a socket whose calls do not wait.
//
// Leaves out: answers, and what requests mean.
#ifndef KNC_PLATFORM_REQUEST_CLIENT_H
#define KNC_PLATFORM_REQUEST_CLIENT_H

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

namespace platform {

// A client that sends without end does not hold up the run: so many requests are taken at a time.
inline constexpr int most_requests = 64;

// The owner calls leave() before the end of this.
template <class Request>
class request_client {
  public:
    explicit request_client(int fd) : fd_(fd) {}

    // Less than 0: it has left.
    int descriptor() const { return fd_; }
    bool connected() const { return fd_ >= 0; }
    // The next request, if all of it has come. A client that has closed its end leaves.
    std::optional<Request> receive() {
        const ssize_t n = recv(fd_, received_.data() + size_, received_.size() - size_, 0);
        if (n <= 0) {
            if (n == 0 || (errno != EAGAIN && errno != EINTR)) leave();
            return {};
        }
        size_ += static_cast<std::size_t>(n);
        if (size_ != received_.size()) return {};
        size_ = 0;
        Request r;
        std::memcpy(&r, received_.data(), sizeof r);
        return r;
    }
    // The bytes of a request of which not all have come.
    std::size_t begun() const { return size_; }
    void leave() {
        if (connected()) close(std::exchange(fd_, -1));
    }

  private:
    int fd_;
    std::array<char, sizeof(Request)> received_{};
    std::size_t size_ = 0;  // of `received_`
};

template <class Client>
void forget_the_gone(std::vector<Client>& clients) {
    clients.erase(std::remove_if(clients.begin(), clients.end(),
                                 [](const Client& c) { return !c.connected(); }),
                  clients.end());
}

}  // namespace platform

#endif
