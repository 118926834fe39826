#include <platform/input_error.h>

#include <platform/utf8.h>

namespace platform {

namespace {

constexpr std::size_t longest_message = 1000;

std::string one_line(const std::string& what) {
    if (what.size() <= longest_message) return as_name(what);
    return as_name(what.substr(0, longest_message)) + "...";
}

}  // namespace

input_error::input_error(const std::string& what) : std::runtime_error(one_line(what)) {}

}  // namespace platform
