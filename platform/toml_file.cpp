#include <platform/toml_file.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include <platform/input_error.h>
#include <platform/utf8.h>

namespace platform {

namespace {

// More open brackets than any file has; the parser recurses.
constexpr int deepest = 200;

// The parser's message without its function name and its drawing of the place.
std::string first_line(const std::string& what) {
    std::string line = what.substr(0, what.find('\n'));
    if (line.rfind("[error] toml::", 0) == 0) {
        const auto colon = line.find(": ");
        if (colon != std::string::npos) line.erase(0, colon + 2);
    }
    return line;
}

}  // namespace

toml_file::toml_file(const std::string& text, const std::string& file)
    : file_(file), root_(parse(text)) {}

void toml_file::fail(const toml::value& v, const std::string& what) const {
    throw input_error(fmt::format("{}: {}", place(v), what));
}

std::string toml_file::place(const toml::value& v) const {
    return fmt::format("{}:{}", file_, v.location().line());
}

toml::table toml_file::parse(const std::string& text) const {
    const std::size_t bad = first_invalid_utf8(text);
    if (bad != text.size()) {
        const auto line =
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
        throw input_error(fmt::format("{}:{}: not UTF-8 text", file_, line));
    }
    int depth = 0, longest = 0;
    for (const char c : text) {
        if (c == '[' || c == '{') longest = std::max(longest, ++depth);
        if ((c == ']' || c == '}') && depth > 0) --depth;
    }
    if (longest > deepest) throw input_error(fmt::format("{}: nested too deeply", file_));
    try {
        std::istringstream in{text};
        return toml::parse(in, file_).as_table();
    } catch (const toml::exception& e) {
        throw input_error(
            fmt::format("{}:{}: {}", file_, e.location().line(), first_line(e.what())));
    } catch (const std::exception& e) {
        throw input_error(fmt::format("{}: {}", file_, first_line(e.what())));
    }
}

std::string toml_file::text(const std::string& key, const toml::value& v) const {
    if (!v.is_string()) fail(v, fmt::format("key {}: text is wanted", key));
    return v.as_string().str;
}

std::string toml_file::line(const std::string& key, const toml::value& v) const {
    std::string one = text(key, v);
    if (one.find('\n') != std::string::npos)
        fail(v, fmt::format("key {}: one line is wanted", key));
    return one;
}

std::vector<std::string> toml_file::texts(const std::string& key, const toml::value& v) const {
    if (!v.is_array()) fail(v, fmt::format("key {}: a list of texts is wanted", key));
    std::vector<std::string> all;
    for (const toml::value& element : v.as_array()) all.push_back(text(key, element));
    return all;
}

std::uint64_t toml_file::number(const std::string& key, const toml::value& v) const {
    if (!v.is_integer() || v.as_integer() < 0)
        fail(v, fmt::format("key {}: a number is wanted", key));
    return static_cast<std::uint64_t>(v.as_integer());
}

double toml_file::real(const std::string& key, const toml::value& v) const {
    const double x = v.is_floating()  ? v.as_floating()
                     : v.is_integer() ? static_cast<double>(v.as_integer())
                                      : std::numeric_limits<double>::quiet_NaN();
    if (!std::isfinite(x)) fail(v, fmt::format("key {}: a number is wanted", key));
    return x;
}

std::string toml_file::scalar(const std::string& key, const toml::value& v) const {
    if (v.is_string()) return v.as_string().str;
    if (v.is_boolean()) return v.as_boolean() ? "true" : "false";
    if (v.is_integer()) return std::to_string(v.as_integer());
    if (!v.is_array()) fail(v, fmt::format("key {}: a number, true, false or text is wanted", key));
    std::string joined;
    for (const toml::value& element : v.as_array())
        joined += (joined.empty() ? "" : ",") + text(key, element);
    return joined;
}

void toml_file::keys(const std::string& path, const toml::value& v,
                     std::vector<assignment>& out) const {
    if (v.is_table()) {
        for (const auto& [name, member] : v.as_table())
            keys(fmt::format("{}.{}", path, name), member, out);
    } else {
        out.push_back({path, scalar(path, v), place(v)});
    }
}

const toml::array& toml_file::tables(const std::string& name, const toml::value& v) const {
    if (!v.is_array()) fail(v, fmt::format("key {0}: write [[{0}]]", name));
    for (const toml::value& e : v.as_array())
        if (!e.is_table()) fail(e, fmt::format("key {0}: write [[{0}]]", name));
    return v.as_array();
}

void sort_by_key(std::vector<assignment>& a) {
    std::sort(a.begin(), a.end(),
              [](const assignment& x, const assignment& y) { return x.key < y.key; });
}

}  // namespace platform
