#include <platform/escape_keys.h>

#include <utility>

namespace platform {

escape_keys::result escape_keys::filter(std::string_view typed) {
    constexpr char control_a = 1;
    result r;
    for (const char c : typed) {
        if (!std::exchange(escaped_, false)) {
            escaped_ = c == control_a;
            if (!escaped_) r.text += c;
        } else if (c == control_a) {
            r.text += c;
        } else if (c == 'h' || c == '?') {
            r.wanted = request::help;
        } else if (c == 'x') {
            r.wanted = request::quit;
            return r;
        }
    }
    return r;
}

}  // namespace platform
