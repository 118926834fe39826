#include <vcd/checker.h>

#include <charconv>

#include <fmt/format.h>

#include <vcd/declarations.h>
#include <vcd/values.h>

namespace vcd {

namespace {

class simulation {
  public:
    simulation(token_reader& in, declarations d)
        : in_(in), codes_(std::move(d.codes)), last_(d.variables.size()) {
        summary_.timescale = std::move(d.timescale);
        summary_.variables = std::move(d.variables);
    }

    summary run() {
        std::string word;
        while (in_.next(word)) {
            switch (word[0]) {
                case '#':
                    time(word);
                    break;
                case '$':
                    command(word);
                    break;
                default:
                    change(word);
            }
        }
        if (!section_.empty()) fail(section_ + " without $end");
        return std::move(summary_);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const { throw malformed(in_.line(), what); }

    void time(const std::string& word) {
        if (!section_.empty()) fail(fmt::format("time {} inside {}", word, section_));
        std::uint64_t t = 0;
        const auto r = std::from_chars(word.data() + 1, word.data() + word.size(), t);
        if (r.ec != std::errc{} || r.ptr != word.data() + word.size())
            fail(fmt::format("'{}' is no time", word));
        if (summary_.times != 0 && t < summary_.last_time)
            fail(fmt::format("time runs backwards, from {} to {}", summary_.last_time, t));
        if (summary_.times++ == 0) summary_.first_time = t;
        summary_.last_time = t;
    }

    void command(const std::string& word) {
        if (word == "$comment") {
            skip_command(in_, word);
        } else if (word == "$end" && !section_.empty()) {
            section_.clear();
        } else if (word == "$dumpvars" || word == "$dumpall" || word == "$dumpon" ||
                   word == "$dumpoff") {
            if (!section_.empty()) fail(fmt::format("{} inside {}", word, section_));
            section_ = word;
        } else {
            fail(fmt::format("'{}' has no place among the value changes", word));
        }
    }

    void change(const std::string& word) {
        if (summary_.times == 0 && section_.empty()) fail("a value change before the first time");
        const char kind = word[0];
        if (kind == 'b' || kind == 'B' || kind == 'r' || kind == 'R') {
            std::string code;
            const std::string value = word.substr(1);
            if (!in_.next(code)) fail("a value without an identifier code");
            const bool real = kind == 'r' || kind == 'R';
            if (real ? !is_real(value) : !is_four_state(value))
                fail(fmt::format("'{}' is no value", word));
            store(code, real ? value : canonical(value), real ? 0 : value.size(), real);
        } else if (is_four_state(word.substr(0, 1))) {
            store(word.substr(1), canonical(word.substr(0, 1)), 0, false);
        } else {
            fail(fmt::format("'{}' is no value change", word));
        }
    }

    // `digits`: digits of a vector; 0 for a scalar or a real value.
    void store(const std::string& code, const std::string& value, std::size_t digits, bool real) {
        const auto found = codes_.find(code);
        if (found == codes_.end()) fail(fmt::format("identifier code '{}' is not declared", code));
        ++summary_.value_changes;
        for (const std::size_t i : found->second) {
            variable& v = summary_.variables[i];
            if (real != (v.type == "real" || v.type == "realtime"))
                fail(fmt::format("{} is of type {}: the value is of another kind", v.name, v.type));
            if (digits > v.width)
                fail(fmt::format("{} digits for {} of {} bits", digits, v.name, v.width));
            if (!real && digits == 0 && v.width != 1)
                fail(fmt::format("a scalar value for {} of {} bits", v.name, v.width));
            // $dumpoff shows unknown values, which the variables do not take.
            if (section_ == "$dumpoff") continue;
            if (!last_[i].empty() && last_[i] != value) ++v.changes;
            last_[i] = value;
        }
    }

    token_reader& in_;
    std::unordered_map<std::string, std::vector<std::size_t>> codes_;
    std::vector<std::string> last_;
    std::string section_;  // the $dump... command being read
    summary summary_;
};

// A word of a hostile file may have a million characters.
constexpr std::size_t longest_message = 1000;

std::string readable(const std::string& what) {
    return what.size() <= longest_message ? what : what.substr(0, longest_message) + "...";
}

}  // namespace

malformed::malformed(std::uint64_t l, const std::string& what)
    : std::runtime_error(readable(what)), line(l) {}

summary check(std::istream& in) {
    token_reader tokens{in};
    declarations d = read_declarations(tokens);
    return simulation{tokens, std::move(d)}.run();
}

std::vector<const variable*> find(const summary& s, std::string_view name) {
    std::vector<const variable*> found;
    for (const variable& v : s.variables) {
        const std::string_view full = v.name;
        const bool suffix = full.size() > name.size() &&
                            full[full.size() - name.size() - 1] == '.' &&
                            full.substr(full.size() - name.size()) == name;
        if (full == name || suffix) found.push_back(&v);
    }
    return found;
}

}  // namespace vcd
