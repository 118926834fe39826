// The servers of MSRs and of monitors: the first byte chooses one, the others are what a client
// sends before it closes its side. Both servers have requests of one size.
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <platform/monitor_server.h>
#include <platform/msr_server.h>

#include "target.h"

namespace {

constexpr std::size_t threads = 8;

class registers final : public platform::msr_target_if {
  public:
    bool read(std::size_t thread, std::uint32_t number, std::uint64_t& value) override {
        fuzz::require(thread < threads, "the thread exists");
        value = last_;
        return number % 2 == 0;
    }
    bool write(std::size_t thread, std::uint32_t number, std::uint64_t value) override {
        fuzz::require(thread < threads, "the thread exists");
        last_ = value;
        return number % 2 == 0;
    }

  private:
    std::uint64_t last_ = 0;
};

// In no file system (unix(7), abstract names).
std::string socket_path() {
    return std::string(1, '\0') + "knc_fuzz_requests_" + std::to_string(getpid());
}

int connected() {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string path = socket_path();
    std::memcpy(address.sun_path, path.data(), path.size());
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    fuzz::require(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
                  "the server listens");
    return fd;
}

void send_all(int fd, const std::string& bytes) {
    fuzz::require(
        send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()),
        "the socket takes the input");
    shutdown(fd, SHUT_WR);
}

// What has been answered; the server has closed or waits.
std::size_t read_all(int fd) {
    char bytes[0x4000];
    std::size_t all = 0;
    for (ssize_t n; (n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
        all += static_cast<std::size_t>(n);
    return all;
}

void warn(const std::string& text) {
    fuzz::require_clear(text, {"--m"});
}

void serve_msrs(const std::string& bytes) {
    registers card;
    platform::msr_server server{socket_path(), threads, warn};
    const int fd = connected();
    send_all(fd, bytes);
    std::size_t answers = 0;
    for (std::size_t turn = 0; turn <= bytes.size() / sizeof(knc_msr_request) + 1; ++turn) {
        if (server.look()) server.serve(card);
        answers += read_all(fd);
    }
    fuzz::require(!server.look(), "no access of a client that has gone");
    fuzz::require(answers <= bytes.size(), "one answer, of the same size, for a request");
    close(fd);
}

knc::monitor::platform_shape card_shape() {
    knc::monitor::platform_shape s;
    s.tiles = threads / 4;
    return s;
}

void serve_monitors(const std::string& bytes) {
    registers card;
    platform::monitor_server server{socket_path(), card_shape(),
                                    [] { return knc::monitor::snapshot{}; }, card, warn};
    const int fd = connected();
    send_all(fd, bytes);
    for (knc::base::cycle_t now = 0; now < 64; ++now) {
        server.look();
        if (now % 8 == 3) server.marked(static_cast<std::uint32_t>(now / 8), now);
        if (server.next() <= now) server.serve(now);
        read_all(fd);
    }
    server.finish();
    close(fd);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string bytes = fuzz::text_of(data + 1, size - 1);
    if (data[0] % 2 == 0)
        serve_msrs(bytes);
    else
        serve_monitors(bytes);
    return 0;
}
