// The SHA-256 of bytes, which names what is in a file.
#ifndef KNC_PLATFORM_DIGEST_H
#define KNC_PLATFORM_DIGEST_H

#include <cstddef>
#include <string>
#include <string_view>

namespace platform {

inline constexpr std::size_t sha256_bytes = 32;

// The digest itself, of sha256_bytes bytes. Throws std::runtime_error.
std::string sha256_of(std::string_view bytes);
// The same in hexadecimal.
std::string sha256_text(std::string_view bytes);

}  // namespace platform

#endif
