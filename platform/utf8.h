// Whether text is UTF-8, as TOML and JSON require. (The TOML parser reads out of bounds where a
// string is not.)
#ifndef KNC_PLATFORM_UTF8_H
#define KNC_PLATFORM_UTF8_H

#include <cstddef>
#include <string>
#include <string_view>

namespace platform {

// Offset of the first byte that is no UTF-8; the size of `text` if all of it is.
std::size_t first_invalid_utf8(std::string_view text);

// `text` with `_` for each control character and each byte that is no UTF-8: a name from a file
// that nobody has checked.
std::string as_name(std::string_view text);

}  // namespace platform

#endif
