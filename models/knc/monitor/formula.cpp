#include <knc/monitor/formula.h>

#include <cctype>
#include <stdexcept>
#include <string>

namespace knc::monitor {

namespace {

[[noreturn]] void refuse(std::string_view text) {
    throw std::invalid_argument("formula: " + std::string{text});
}

// A number, a name, or number*name.
term parse_term(std::string_view text, std::string_view whole) {
    std::int64_t factor = 1;
    if (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
        std::size_t end = 0;
        factor = std::stoll(std::string{text}, &end);
        if (end == text.size()) return {one_of, factor};
        if (text[end] != '*') refuse(whole);
        text.remove_prefix(end + 1);
    }
    const auto what = find_quantity(text);
    if (!what) refuse(whole);
    return {*what, factor};
}

}  // namespace

formula::formula(std::string_view text) {
    std::int64_t sign = 1;
    for (std::string_view rest = text;;) {
        const std::size_t end = rest.find(' ');
        term t = parse_term(rest.substr(0, end), text);
        t.factor *= sign;
        terms_.push_back(t);
        if (end == std::string_view::npos) return;
        if (rest.size() < end + 4 || rest[end + 2] != ' ') refuse(text);
        const char operation = rest[end + 1];
        if (operation != '+' && operation != '-') refuse(text);
        sign = operation == '+' ? 1 : -1;
        rest.remove_prefix(end + 3);
    }
}

std::optional<std::int64_t> formula::of(const row& r) const {
    std::int64_t sum = 0;
    for (const term& t : terms_) {
        if (t.what != one_of && !r.has[t.what]) return {};
        sum += t.factor * (t.what == one_of ? 1 : static_cast<std::int64_t>(r.count[t.what]));
    }
    return sum;
}

}  // namespace knc::monitor
