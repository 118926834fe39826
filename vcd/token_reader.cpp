#include <vcd/token_reader.h>

#include <istream>

#include <vcd/checker.h>

namespace vcd {

namespace {

constexpr std::size_t buffer_size = 1 << 16;
// Longer than the widest variable's value.
constexpr std::size_t longest_token = (1 << 20) + 2;

bool is_space(int c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

}  // namespace

token_reader::token_reader(std::istream& in) : in_(in), buffer_(buffer_size) {}

int token_reader::get() {
    if (position_ == filled_) {
        in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        filled_ = static_cast<std::size_t>(in_.gcount());
        position_ = 0;
        if (filled_ == 0) return -1;
    }
    return static_cast<unsigned char>(buffer_[position_++]);
}

bool token_reader::next(std::string& token) {
    token.clear();
    for (int c = get();; c = get()) {
        const bool ends = c < 0 || is_space(c);
        if (ends && !token.empty()) {
            if (c >= 0) --position_;  // a line end after the token counts for the next one
            return true;
        }
        if (c < 0) return false;
        if (c == '\n') ++line_;
        if (ends) continue;
        token_line_ = line_;
        if (c < ' ' || c == 0x7F)
            throw malformed(line_, "a control character: this is no VCD text");
        if (token.size() == longest_token)
            throw malformed(line_, "a word longer than any value can be");
        token += static_cast<char>(c);
    }
}

}  // namespace vcd
