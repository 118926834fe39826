#include <platform/gdb_packet.h>

#include <utility>

namespace platform {

namespace {

constexpr char escape = '}', escape_bit = 0x20;
constexpr char digits[] = "0123456789abcdef";

std::optional<unsigned> digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
    return {};
}

std::string unescape(std::string_view content) {
    std::string plain;
    for (std::size_t n = 0; n < content.size(); ++n) {
        if (content[n] == escape && n + 1 < content.size())
            plain += static_cast<char>(content[++n] ^ escape_bit);
        else
            plain += content[n];
    }
    return plain;
}

}  // namespace

std::string to_hex(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto b = static_cast<unsigned char>(c);
        text += digits[b >> 4];
        text += digits[b & 15];
    }
    return text;
}

std::optional<std::string> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return {};
    std::string bytes;
    for (std::size_t n = 0; n < text.size(); n += 2) {
        const auto high = digit(text[n]), low = digit(text[n + 1]);
        if (!high || !low) return {};
        bytes += static_cast<char>(*high << 4 | *low);
    }
    return bytes;
}

std::optional<std::uint64_t> take_hex(std::string_view& text) {
    std::uint64_t value = 0;
    std::size_t n = 0;
    for (; n < text.size(); ++n) {
        const auto d = digit(text[n]);
        if (!d) break;
        if (value >> 60 != 0) return {};
        value = value << 4 | *d;
    }
    if (n == 0) return {};
    text.remove_prefix(n);
    return value;
}

bool take(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

std::string_view take_until(std::string_view& text, char c) {
    const std::size_t n = text.find(c);
    const std::string_view part = text.substr(0, n);
    text.remove_prefix(n == std::string_view::npos ? text.size() : n + 1);
    return part;
}

bool begins(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

bool take_word(std::string_view& text, std::string_view with) {
    if (!begins(text, with)) return false;
    text.remove_prefix(with.size());
    return true;
}

std::optional<gdb_range> take_range(std::string_view& text) {
    const auto address = take_hex(text);
    if (!address || !take(text, ',')) return {};
    const auto size = take_hex(text);
    if (!size) return {};
    return gdb_range{*address, *size};
}

std::string escape_packet(std::string_view content) {
    std::string text;
    for (const char c : content) {
        if (c == '$' || c == '#' || c == '*' || c == escape) {
            text += escape;
            text += static_cast<char>(c ^ escape_bit);
        } else {
            text += c;
        }
    }
    return text;
}

std::string frame_packet(std::string_view escaped) {
    std::uint8_t sum = 0;
    for (const char c : escaped)
        sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(c));
    std::string text = "$";
    text += escaped;
    text += '#';
    text += digits[sum >> 4];
    text += digits[sum & 15];
    return text;
}

void gdb_packet_reader::clear() {
    received_.clear();
    taken_ = 0;
    state_ = state::between;
}

gdb_packet_reader::item gdb_packet_reader::next() {
    while (taken_ < received_.size()) {
        item i = take(received_[taken_++]);
        if (i.what != kind::none) return i;
    }
    received_.clear();
    taken_ = 0;
    return {};
}

// A $ begins a packet wherever it is: the one before has lost its end.
gdb_packet_reader::item gdb_packet_reader::take(char c) {
    if (c == '$') {
        state_ = state::content;
        content_.clear();
        sum_ = 0;
        too_long_ = false;
        return {};
    }
    switch (state_) {
        case state::between:
            if (c == '\x03') return {kind::interrupt, {}};
            if (c == '+') return {kind::accepted, {}};
            if (c == '-') return {kind::rejected, {}};
            break;
        case state::content:
            if (c == '#') {
                state_ = state::first_digit;
                break;
            }
            sum_ = static_cast<std::uint8_t>(sum_ + static_cast<std::uint8_t>(c));
            if (content_.size() < gdb_packet_bytes)
                content_ += c;
            else
                too_long_ = true;
            break;
        case state::first_digit:
            digit_ = c;
            state_ = state::second_digit;
            break;
        case state::second_digit:
            state_ = state::between;
            return complete(c);
    }
    return {};
}

gdb_packet_reader::item gdb_packet_reader::complete(char last_digit) {
    const auto high = digit(digit_), low = digit(last_digit);
    if (too_long_ || !high || !low || (*high << 4 | *low) != sum_) return {kind::bad, {}};
    return {kind::packet, unescape(std::exchange(content_, {}))};
}

}  // namespace platform
