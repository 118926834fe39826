#include <vcd/declarations.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <fmt/format.h>

namespace vcd {

namespace {

constexpr std::array scope_types{"begin", "fork", "function", "module", "task"};
constexpr std::array variable_types{"event",   "integer", "parameter", "real", "realtime", "reg",
                                    "supply0", "supply1", "time",      "tri",  "triand",   "trior",
                                    "trireg",  "tri0",    "tri1",      "wand", "wire",     "wor"};
constexpr std::array time_numbers{"1", "10", "100"};
constexpr std::array time_units{"s", "ms", "us", "ns", "ps", "fs"};

template <typename Table>
bool one_of(const Table& table, const std::string& word) {
    return std::find(table.begin(), table.end(), word) != table.end();
}

bool number(std::string_view text, unsigned& n) {
    const auto end = text.data() + text.size();
    const auto r = std::from_chars(text.data(), end, n);
    return r.ec == std::errc{} && r.ptr == end;
}

class reader {
  public:
    explicit reader(token_reader& in) : in_(in) {}

    declarations run() {
        std::string word;
        while (in_.next(word)) {
            if (word == "$enddefinitions") {
                finish();
                return std::move(d_);
            }
            if (word == "$scope") {
                scope();
            } else if (word == "$upscope") {
                upscope();
            } else if (word == "$var") {
                var();
            } else if (word == "$timescale") {
                timescale();
            } else if (word == "$date" || word == "$version" || word == "$comment") {
                skip_command(in_, word);
            } else {
                fail(fmt::format("'{}' is no declaration command", word));
            }
        }
        fail("the file ends before $enddefinitions");
    }

  private:
    [[noreturn]] void fail(const std::string& what) const { throw malformed(in_.line(), what); }

    std::vector<std::string> arguments(const std::string& keyword) {
        std::vector<std::string> words;
        std::string word;
        while (in_.next(word)) {
            if (word == "$end") return words;
            if (word[0] == '$' && word.size() > 1 &&
                std::isalpha(static_cast<unsigned char>(word[1])))
                break;
            words.push_back(word);
        }
        fail(keyword + " without $end");
    }

    void scope() {
        const auto words = arguments("$scope");
        if (words.size() != 2) fail("$scope wants a type and a name");
        if (!one_of(scope_types, words[0])) fail(fmt::format("'{}' is no scope type", words[0]));
        scopes_.push_back(words[1]);
    }

    void upscope() {
        if (!arguments("$upscope").empty()) fail("$upscope takes no argument");
        if (scopes_.empty()) fail("$upscope outside every scope");
        scopes_.pop_back();
    }

    void timescale() {
        std::string text;
        for (const std::string& word : arguments("$timescale")) text += word;
        const std::size_t unit = std::min(text.find_first_not_of("0123456789"), text.size());
        if (!one_of(time_numbers, text.substr(0, unit)) || !one_of(time_units, text.substr(unit)))
            fail(fmt::format("'{}' is no timescale", text));
        if (!d_.timescale.empty()) fail("a second $timescale");
        d_.timescale = text.substr(0, unit) + " " + text.substr(unit);
    }

    void var() {
        const auto words = arguments("$var");
        if (words.size() != 4 && words.size() != 5) fail("$var wants type, width, code and name");
        const std::string &type = words[0], &code = words[2];
        unsigned width = 0;
        if (!one_of(variable_types, type)) fail(fmt::format("'{}' is no variable type", type));
        if (!number(words[1], width) || width == 0 || width > widest_variable)
            fail(fmt::format("'{}' is no variable width", words[1]));
        std::string name = words[3];
        std::string range = words.size() == 5 ? words[4] : "";
        if (const auto bracket = name.rfind('[');
            range.empty() && bracket != std::string::npos && bracket > 0) {
            range = name.substr(bracket);
            name.erase(bracket);
        }
        check_range(range, width, name);

        std::string path;
        for (const std::string& s : scopes_) path += s + '.';
        path += name;
        if (!names_.insert(path + range).second) fail(fmt::format("{} is declared twice", path));

        auto& same = d_.codes[code];
        if (!same.empty()) {
            const variable& first = d_.variables[same.front()];
            if (first.type != type || first.width != width)
                fail(fmt::format(
                    "identifier code {} of {} already stands for {} of another type or width", code,
                    path, first.name));
        }
        same.push_back(d_.variables.size());
        d_.variables.push_back({path, type, width});
    }

    // "[msb:lsb]" spans the width; "[n]" is one bit of a vector.
    void check_range(const std::string& range, unsigned width, const std::string& name) const {
        if (range.empty()) return;
        unsigned msb = 0, lsb = 0;
        const auto colon = range.find(':');
        bool good = range.size() > 2 && range.front() == '[' && range.back() == ']';
        if (good && colon == std::string::npos) {
            good = number(std::string_view{range}.substr(1, range.size() - 2), msb) && width == 1;
        } else if (good) {
            good =
                number(std::string_view{range}.substr(1, colon - 1), msb) &&
                number(std::string_view{range}.substr(colon + 1, range.size() - colon - 2), lsb) &&
                std::max(msb, lsb) - std::min(msb, lsb) + 1 == width;
        }
        if (!good)
            fail(fmt::format("range {} of {} does not span its width {}", range, name, width));
    }

    void finish() {
        if (!arguments("$enddefinitions").empty()) fail("$enddefinitions takes no argument");
        if (!scopes_.empty()) fail(fmt::format("scope {} is not closed", scopes_.back()));
        if (d_.timescale.empty()) fail("no $timescale");
        if (d_.variables.empty()) fail("no variable is declared");
    }

    token_reader& in_;
    declarations d_;
    std::vector<std::string> scopes_;
    std::set<std::string> names_;
};

}  // namespace

void skip_command(token_reader& in, const std::string& keyword) {
    const std::uint64_t line = in.line();
    std::string word;
    while (in.next(word)) {
        if (word == "$end") return;
    }
    throw malformed(line, keyword + " without $end");
}

declarations read_declarations(token_reader& in) {
    return reader{in}.run();
}

}  // namespace vcd
