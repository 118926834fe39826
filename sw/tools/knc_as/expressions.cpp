#include "expressions.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "text.h"

namespace knc_as {
namespace {

class parser {
  public:
    explicit parser(const std::string& text) : text_(text) {}

    expression parse() {
        const std::int64_t value = sum();
        if (peek() != '\0') fail();
        if (symbols_) return {0, trimmed(text_)};
        return {value, {}};
    }

  private:
    [[noreturn]] void fail() const {
        throw statement_error("cannot read '" + trimmed(text_) + "'");
    }

    char peek() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
            ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(const char* word) {
        peek();
        const std::string w = word;
        if (text_.compare(at_, w.size(), w) != 0) return false;
        at_ += w.size();
        return true;
    }

    // Arithmetic is that of 64-bit words, so that no sum overflows.
    static std::int64_t wrapped(std::uint64_t v) { return static_cast<std::int64_t>(v); }

    std::int64_t sum() {
        std::int64_t v = product();
        for (;;) {
            if (take("+"))
                v = wrapped(static_cast<std::uint64_t>(v) + static_cast<std::uint64_t>(product()));
            else if (take("-"))
                v = wrapped(static_cast<std::uint64_t>(v) - static_cast<std::uint64_t>(product()));
            else
                return v;
        }
    }
    std::int64_t product() {
        std::int64_t v = unary();
        for (;;) {
            if (take("*"))
                v = wrapped(static_cast<std::uint64_t>(v) * static_cast<std::uint64_t>(unary()));
            else if (take("/"))
                v = quotient(v, unary(), false);
            else if (take("%"))
                v = quotient(v, unary(), true);
            else if (take("<<"))
                v = wrapped(static_cast<std::uint64_t>(v) << shift(unary()));
            else if (take(">>"))
                v = wrapped(static_cast<std::uint64_t>(v) >> shift(unary()));
            else
                return v;
        }
    }
    std::int64_t quotient(std::int64_t a, std::int64_t b, bool remainder) const {
        if (symbols_) return 0;
        if (b == 0) throw statement_error("division by zero in '" + trimmed(text_) + "'");
        if (b == -1) return remainder ? 0 : wrapped(-static_cast<std::uint64_t>(a));
        return remainder ? a % b : a / b;
    }
    unsigned shift(std::int64_t by) const {
        if (by < 0 || by > 63) fail();
        return static_cast<unsigned>(by);
    }
    std::int64_t unary() {
        if (take("-")) return wrapped(-static_cast<std::uint64_t>(unary()));
        if (take("~")) return ~unary();
        if (take("+")) return unary();
        if (!take("(")) return primary();
        const std::int64_t v = sum();
        if (!take(")")) fail();
        return v;
    }
    std::int64_t primary() {
        const char c = peek();
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_name(text_[at_])) ++at_;
        const std::string word = text_.substr(begin, at_ - begin);
        if (is_name_start(c)) {
            if (word == ".") throw statement_error("'.' has another value in bytes: name a label");
            symbols_ = true;
            return 0;
        }
        if (std::isdigit(static_cast<unsigned char>(c)) == 0) fail();
        return number(word);
    }
    std::int64_t number(const std::string& word) {
        // 1b and 1f are labels; 0b1 is a binary number.
        const bool digits = word.find_first_not_of("0123456789") == word.size() - 1;
        if (digits && (word.back() == 'b' || word.back() == 'f')) {
            symbols_ = true;
            return 0;
        }
        const bool binary = word.size() > 2 && word[0] == '0' && (word[1] == 'b' || word[1] == 'B');
        char* end = nullptr;
        errno = 0;
        const char* first = word.c_str() + (binary ? 2 : 0);
        const std::uint64_t v = std::strtoull(first, &end, binary ? 2 : 0);
        if (end == first || *end != '\0') fail();
        if (errno == ERANGE) throw statement_error("'" + word + "' has more than 64 bits");
        return wrapped(v);
    }

    const std::string& text_;
    std::size_t at_ = 0;
    bool symbols_ = false;
};

}  // namespace

expression parse_expression(const std::string& text) {
    return parser(text).parse();
}

}  // namespace knc_as
