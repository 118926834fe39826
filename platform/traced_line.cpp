#include <platform/traced_line.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include <platform/input_error.h>

namespace platform {

std::uint64_t traced_line(const std::string& text, const image& i) {
    if (std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
        char* end = nullptr;
        errno = 0;
        const std::uint64_t address = std::strtoull(text.c_str(), &end, 0);
        if (*end == '\0' && errno == 0) return address;
        throw input_error(fmt::format("key trace.line: {} is no address", text));
    }
    const symbol* const s = i.find(text);
    if (s == nullptr)
        throw input_error(fmt::format("key trace.line: {} has no symbol {}", i.name, text));
    const auto physical = i.physical(s->address, 1);
    if (!physical) throw input_error(fmt::format("key trace.line: {} is not in memory", text));
    return *physical;
}

}  // namespace platform
