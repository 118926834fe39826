#include <platform/fast_forward.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include <platform/input_error.h>

namespace platform {

namespace {

using end = knc::card::fast_forward_control::end;

std::optional<std::uint64_t> number(const std::string& text) {
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) == 0) return {};
    char* rest = nullptr;
    errno = 0;
    const bool hexadecimal = text.size() > 2 && (text[1] == 'x' || text[1] == 'X');
    const std::uint64_t n = std::strtoull(text.c_str(), &rest, hexadecimal ? 16 : 10);
    if (*rest != '\0' || errno != 0) return {};
    return n;
}

[[noreturn]] void fail(const std::string& text, const std::string& why) {
    throw input_error(fmt::format("key fast_forward.to: '{}': {}", text, why));
}

std::uint64_t number_from(const std::string& text, const std::string& value, std::uint64_t low,
                          std::uint64_t high, const char* wanted) {
    const auto n = number(value);
    if (!n || *n < low || *n > high) fail(text, fmt::format("{} is wanted", wanted));
    return *n;
}

}  // namespace

knc::card::fast_forward_control fast_forward_of(const fast_forward_settings& s, const image& i) {
    knc::card::fast_forward_control c;
    c.quantum = s.quantum;
    c.warm = s.warm;
    if (s.to.empty()) return c;
    c.text = s.to;
    std::istringstream words{s.to};
    std::string what, value, more;
    words >> what >> value >> more;
    if (!more.empty()) fail(s.to, fmt::format("'{}' is too much", more));
    constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    if (what == "marker") {
        c.until = end::marker;
        c.value = number_from(s.to, value, 0, std::numeric_limits<std::uint32_t>::max(),
                              "marker and a number of 32 bits");
    } else if (what == "instructions") {
        c.until = end::instructions;
        c.value = number_from(s.to, value, 1, all - 1, "instructions and a number above 0");
    } else if (what == "pc") {
        c.until = end::pc;
        c.value = number_from(s.to, value, 0, all, "pc and an address");
    } else if (what == "symbol") {
        const symbol* const found = i.find(value);
        if (found == nullptr) fail(s.to, fmt::format("{} has no symbol {}", i.name, value));
        c.until = end::pc;
        c.value = found->address;
    } else {
        fail(s.to, "marker N, instructions N, pc ADDRESS or symbol NAME is wanted");
    }
    return c;
}

std::string fast_forward_end(const std::string& option) {
    constexpr const char* prefix = "to=";
    constexpr std::size_t length = 3;
    if (option.compare(0, length, prefix) != 0)
        throw input_error(fmt::format("--fast-forward {}: to=END is wanted", option));
    return option.substr(length);
}

}  // namespace platform
