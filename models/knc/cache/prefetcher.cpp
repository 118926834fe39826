#include <knc/cache/prefetcher.h>

#include <algorithm>
#include <stdexcept>

#include <knc/base/address_map.h>

namespace knc::cache {

namespace {

constexpr int lines_per_page = 4096 / base::line_bytes;

const prefetcher_parameters& checked(const prefetcher_parameters& p) {
    if (p.distance >= lines_per_page || p.threshold < 2)
        throw std::invalid_argument("prefetcher: parameters");
    return p;
}

}  // namespace

prefetcher::prefetcher(const prefetcher_parameters& p)
    : p_(checked(p)), streams_(p.streams), keys_(p.streams, no_key), used_(p.streams) {}

std::size_t prefetcher::streams() const {
    return static_cast<std::size_t>(std::count_if(streams_.begin(), streams_.end(),
                                                  [](const stream& s) { return s.length != 0; }));
}

void prefetcher::reset() {
    std::fill(streams_.begin(), streams_.end(), stream{});
    std::fill(keys_.begin(), keys_.end(), no_key);
}

line_run prefetcher::miss(std::uint64_t line, access_type type, std::uint8_t thread) {
    if (streams_.empty()) return {};
    stream& s = select(line / lines_per_page, type, p_.by_thread ? thread : std::uint8_t{0});
    const int in_page = static_cast<int>(line % lines_per_page);
    const bool on = s.length < p_.threshold ? train(s, in_page) : follow(s, in_page);
    return on ? ask(s) : line_run{};
}

prefetcher::stream& prefetcher::select(std::uint64_t page, access_type type, std::uint8_t thread) {
    const std::uint64_t key =
        page << 16 | std::uint64_t{thread} << 8 | static_cast<std::uint64_t>(type);
    auto found = std::find(keys_.begin(), keys_.end(), key);
    const bool known = found != keys_.end();
    if (!known)
        found = keys_.begin() + (std::min_element(used_.begin(), used_.end()) - used_.begin());
    const auto n = static_cast<std::size_t>(found - keys_.begin());
    used_[n] = ++misses_;
    if (known) return streams_[n];
    *found = key;
    streams_[n] = stream{};
    streams_[n].page = page;
    return streams_[n];
}

bool prefetcher::train(stream& s, int line) const {
    const int offset = line - s.last;
    if (s.length != 0 && offset == 0) return false;
    if (s.length == 0 || (offset != 1 && offset != -1)) {
        s.direction = 0;
        s.length = 1;
    } else {
        s.length = offset == s.direction ? s.length + 1 : 2;
        s.direction = static_cast<std::int8_t>(offset);
    }
    s.last = s.asked = static_cast<std::uint8_t>(line);
    return s.length >= p_.threshold;
}

bool prefetcher::follow(stream& s, int line) const {
    const int ahead = (line - s.last) * s.direction, distance = static_cast<int>(p_.distance);
    // A late miss of a line that the stream has passed.
    if (ahead <= 0 && ahead >= -distance) return false;
    if (ahead < 0 || ahead > distance + 1) {
        s.length = 0;
        return train(s, line);
    }
    s.last = static_cast<std::uint8_t>(line);
    if ((line - s.asked) * s.direction > 0) s.asked = s.last;
    return true;
}

line_run prefetcher::ask(stream& s) const {
    const int to_page_end = s.direction > 0 ? lines_per_page - 1 - s.last : s.last;
    const int limit = s.last + s.direction * std::min(static_cast<int>(p_.distance), to_page_end);
    const int first = s.asked + s.direction;
    const int count = (limit - s.asked) * s.direction;
    if (count <= 0) return {};
    s.asked = static_cast<std::uint8_t>(limit);
    return {s.page * lines_per_page + static_cast<std::uint64_t>(first), s.direction,
            static_cast<std::uint32_t>(count)};
}

}  // namespace knc::cache
