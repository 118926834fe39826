// Numbers in the bytes of a table, as a little-endian machine has them.
#ifndef KNC_PLATFORM_TABLE_BYTES_H
#define KNC_PLATFORM_TABLE_BYTES_H

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace platform {

template <typename T>
T load(std::string_view s, std::size_t at) {
    T v;
    std::memcpy(&v, s.data() + at, sizeof v);
    return v;
}
template <typename T>
void store(std::string& s, std::size_t at, T v) {
    std::memcpy(s.data() + at, &v, sizeof v);
}
template <typename T>
void append(std::string& s, T v) {
    s.append(reinterpret_cast<const char*>(&v), sizeof v);
}

}  // namespace platform

#endif
