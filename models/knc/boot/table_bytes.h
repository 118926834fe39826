// Numbers in the bytes of a table, as a little-endian machine has them; sums of tables.
#ifndef KNC_BOOT_TABLE_BYTES_H
#define KNC_BOOT_TABLE_BYTES_H

#include <cstddef>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>

namespace knc::boot {

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

// Sets the byte at `at` so that the first `size` bytes add up to 0.
inline void balance(std::string& table, std::size_t at, std::size_t size = std::string::npos) {
    table[at] = 0;
    const auto part = std::string_view{table}.substr(0, size);
    const auto sum = std::accumulate(part.begin(), part.end(), 0u, [](unsigned n, char c) {
        return n + static_cast<unsigned char>(c);
    });
    table[at] = static_cast<char>(0u - sum);
}

}  // namespace knc::boot

#endif
