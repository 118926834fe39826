#include <platform/console_stream.h>

#include <cerrno>

#include <poll.h>
#include <unistd.h>

namespace platform {

namespace {

constexpr int pause = 20;        // ms
constexpr int most_pauses = 50;  // a second

}  // namespace

void console_stream::write(const std::string& all) {
    printed_ = &all;
    if (present_ >= 0) flush();
}

// What does not fit now is written by a later call.
void console_stream::flush() {
    while (printed_ != nullptr && written_ < printed_->size()) {
        const ssize_t n =
            ::write(present_, printed_->data() + written_, printed_->size() - written_);
        if (n < 0) {
            if (errno == EINTR) continue;
            if (errno != EAGAIN) drop();
            return;
        }
        written_ += static_cast<std::size_t>(n);
    }
}

void console_stream::drop() {
    lost();
    present_ = -1;
}

void console_stream::service() {
    const int now = client();
    if (now >= 0 && now != present_) written_ = 0;
    present_ = now;
    if (present_ >= 0) flush();
}

std::string console_stream::read() {
    service();
    if (present_ < 0) return {};
    char part[4096];
    const ssize_t n = ::read(present_, part, sizeof part);
    if (n > 0) return std::string(part, static_cast<std::size_t>(n));
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) drop();
    return {};
}

void console_stream::wait() {
    pollfd p{present_, POLLIN, 0};
    ::poll(&p, present_ >= 0 ? 1 : 0, pause);
}

void console_stream::finish() {
    for (int n = 0; n < most_pauses; ++n) {
        service();
        if (present_ < 0 || printed_ == nullptr) return;
        if (written_ == printed_->size() && !unread()) return;
        ::poll(nullptr, 0, pause);
    }
}

}  // namespace platform
