#include <platform/session.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <platform/console_text.h>

namespace platform {

namespace {

// So much of the console's end is in a message of one line.
constexpr std::size_t shown = 60;

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

session::session(std::vector<session_step> steps, std::uint64_t clock_hz)
    : steps_(std::move(steps)), clock_hz_(clock_hz) {
    begin(0);
}

// Steps that wait for nothing end at once.
void session::begin(knc::base::cycle_t now) {
    seen_.clear();
    for (; present_ < steps_.size() && steps_[present_].wait.empty(); ++present_)
        typed_ += steps_[present_].send;
    const session_step* s = waiting();
    deadline_ = s == nullptr || !s->timeout
                    ? knc::base::never
                    : now + static_cast<knc::base::cycle_t>(
                                std::ceil(*s->timeout * static_cast<double>(clock_hz_)));
}

bool session::heard(char c, knc::base::cycle_t now) {
    const session_step* s = waiting();
    if (s == nullptr || now >= deadline_) return false;
    seen_ += c;
    if (!ends_with(seen_, s->wait)) return false;
    typed_ += s->send;
    ++present_;
    begin(now);
    return true;
}

std::optional<char> session::next() {
    if (taken_ < typed_.size()) return typed_[taken_++];
    typed_.clear();
    taken_ = 0;
    return {};
}

std::string complaint(const session_step& s, bool late, const std::string& console) {
    const std::string end = console.substr(console.size() - std::min(console.size(), shown));
    const std::string limit = late ? fmt::format(" within {} s simulated", *s.timeout) : "";
    return fmt::format("{}: \"{}\" has not come{}; the console ends with \"{}\"", s.place,
                       escaped(s.wait), limit, escaped(end));
}

}  // namespace platform
