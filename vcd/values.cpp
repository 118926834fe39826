#include <vcd/values.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace vcd {

bool is_four_state(std::string_view text) {
    return !text.empty() && text.find_first_not_of("01xXzZ") == std::string_view::npos;
}

bool is_real(const std::string& text) {
    if (text.empty()) return false;
    char* end = nullptr;
    std::strtod(text.c_str(), &end);
    return *end == '\0';
}

std::string canonical(std::string_view four_state) {
    std::string value{four_state};
    std::transform(value.begin(), value.end(), value.begin(), [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    // Left extension repeats a leading 0, x or z, and puts 0 before a leading 1.
    std::size_t first = 0;
    while (first + 1 < value.size() &&
           (value[first] == '0' ? value[first + 1] == '0' || value[first + 1] == '1'
                                : value[first] != '1' && value[first] == value[first + 1]))
        ++first;
    return value.substr(first);
}

}  // namespace vcd
