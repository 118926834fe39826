#include <platform/console.h>

#include <utility>

namespace platform {

namespace {

constexpr std::chrono::milliseconds poll_interval{5};

}  // namespace

console::console(std::unique_ptr<console_end> end, std::vector<session_step> steps,
                 std::uint64_t clock_hz)
    : end_(std::move(end)) {
    if (!steps.empty()) session_.emplace(std::move(steps), clock_hz);
}

bool console::put(char c, knc::base::cycle_t now) {
    text_ += c;
    end_->write(text_);
    return session_ && session_->heard(c, now);
}

std::optional<char> console::next() {
    if (session_) return session_->next();
    listening_ = true;
    if (taken_ == input_.size() && !fill()) return {};
    ++told_;
    return input_[taken_++];
}

bool console::fill() {
    input_ = end_->read();
    taken_ = 0;
    return !input_.empty();
}

bool console::poll() {
    const auto now = host_clock::now();
    if (now - polled_ < poll_interval) return false;
    polled_ = now;
    end_->service();
    return listening_ && !session_ && taken_ == input_.size() && fill();
}

bool console::wait(const std::function<bool()>& interrupted) {
    while (open() && !quit()) {
        end_->wait();
        if (fill()) return true;
        if (interrupted()) return false;
    }
    return false;
}

}  // namespace platform
