#include <platform/utf8.h>

#include <cstdint>

namespace platform {

namespace {

// Bytes of the sequence that `first` begins; 0: it begins none.
std::size_t sequence_length(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return 2;  // C0 and C1 would spell ASCII in two bytes
    if (first >= 0xE0 && first < 0xF0) return 3;
    if (first >= 0xF0 && first < 0xF5) return 4;
    return 0;
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
        const std::size_t length = sequence_length(byte(0));
        if (length == 0 || length > text.size() - at) return at;
        std::uint32_t code = length == 1 ? byte(0) : byte(0) & (0x7Fu >> length);
        for (std::size_t i = 1; i < length; ++i) {
            if ((byte(i) & 0xC0) != 0x80) return at;
            code = code << 6 | (byte(i) & 0x3Fu);
        }
        const bool longer_than_needed =
            (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
        if (longer_than_needed || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return at;
        at += length;
    }
    return text.size();
}

std::string as_name(std::string_view text) {
    std::string name;
    while (!text.empty()) {
        const std::size_t good = first_invalid_utf8(text);
        for (const char c : text.substr(0, good))
            name += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '_' : c;
        if (good == text.size()) break;
        name += '_';
        text.remove_prefix(good + 1);
    }
    return name;
}

}  // namespace platform
