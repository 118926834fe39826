#include <platform/vcd_writer.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <knc/base/bits.h>

namespace platform {

namespace {

constexpr std::size_t block = 1 << 18;
// A last time stamp has room behind any limit.
constexpr std::size_t longest_stamp = 22;
constexpr std::size_t longest_change = 1 + 64 + 8 + 1 + 8;

// The binary digits of all bytes.
struct byte_digits {
    char of[256 + 1][8];
};
constexpr byte_digits make_digits() {
    byte_digits d{};
    for (unsigned n = 0; n < 256; ++n)
        for (unsigned bit = 0; bit < 8; ++bit)
            d.of[n][bit] = static_cast<char>('0' + (n >> (7 - bit) & 1));
    return d;
}
constexpr byte_digits digits = make_digits();

// The shortest codes, of printable characters. A code with a dollar would look like a command.
std::string code_of(std::size_t n) {
    constexpr std::size_t first = '%', count = '~' - '%' + 1;
    std::string code;
    for (++n; n != 0; n = (n - 1) / count) code += static_cast<char>(first + (n - 1) % count);
    return code;
}

std::vector<std::string> levels_of(const std::string& name) {
    std::vector<std::string> levels;
    std::size_t from = 0;
    for (std::size_t dot; (dot = name.find('.', from)) != std::string::npos; from = dot + 1)
        levels.push_back(name.substr(from, dot - from));
    levels.push_back(name.substr(from));
    return levels;
}

// The signals by scope: those of a scope before its inner scopes, both in the order of the list.
struct scope {
    std::string name;
    std::vector<std::pair<std::string, std::size_t>> signals;
    std::vector<scope> inner;

    void add(const std::vector<std::string>& levels, std::size_t level, std::size_t signal) {
        if (level + 1 == levels.size()) {
            signals.emplace_back(levels[level], signal);
            return;
        }
        auto s = std::find_if(inner.begin(), inner.end(),
                              [&](const scope& i) { return i.name == levels[level]; });
        if (s == inner.end()) s = inner.insert(s, scope{levels[level], {}, {}});
        s->add(levels, level + 1, signal);
    }
};

}  // namespace

void vcd_writer::buffer::add(std::string_view t) {
    char* const to = room(t.size());
    std::memcpy(to, t.data(), t.size());
    end_at(to + t.size());
}

vcd_writer::vcd_writer(const knc::base::signal_list& signals, output o, std::uint64_t limit)
    : output_(std::move(o)), limit_(limit) {
    text_.room(2 * block);
    for (std::size_t n = 0; n < signals.size(); ++n) {
        const std::string code = code_of(n) + '\n';
        variable v{knc::base::mask(signals[n].width),
                   signals[n].width == 1,
                   static_cast<std::uint8_t>(code.size()),
                   {}};
        std::memcpy(v.code, code.data(), code.size());
        variables_.push_back(v);
    }
    declare(signals);
    hand_on();
}

void vcd_writer::declare(const knc::base::signal_list& signals) {
    scope top{top_scope, {}, {}};
    for (std::size_t n = 0; n < signals.size(); ++n) top.add(levels_of(signals[n].name), 0, n);
    std::string text;
    // Two traces of one run are the same, byte for byte: there is no date.
    text += "$date\n    \n$end\n$version\n    knc-vp\n$end\n$timescale\n    1 ps\n$end\n";
    const auto write = [&](const scope& s, const auto& self) -> void {
        text += fmt::format("$scope module {} $end\n", s.name);
        for (const auto& [name, n] : s.signals) {
            const unsigned width = signals[n].width;
            const std::string range = width == 1 ? "" : fmt::format(" [{}:0]", width - 1);
            text += fmt::format("$var wire {} {} {}{} $end\n", width, code_of(n), name, range);
        }
        for (const scope& i : s.inner) self(i, self);
        text += "$upscope $end\n";
    };
    write(top, write);
    text += "$enddefinitions $end\n";
    text_.add(text);
}

void vcd_writer::stamp(std::uint64_t time) {
    step_ = text_.size();
    char* const to = text_.room(longest_stamp);
    *to = '#';
    char* const end = std::to_chars(to + 1, to + longest_stamp, time).ptr;
    *end = '\n';
    text_.end_at(end + 1);
    step_time_ = time;
}

bool vcd_writer::dump(std::uint64_t time, const std::uint64_t* values) {
    stamp(time);
    text_.add(dumped_ ? "$dumpon\n" : "$dumpvars\n");
    for (std::size_t n = 0; n < variables_.size(); ++n) append(n, values[n]);
    text_.add("$end\n");
    dumped_ = true;
    paused_ = false;
    return commit();
}

void vcd_writer::pause(std::uint64_t time) {
    if (full_ || paused_ || !dumped_) return;
    stamp(time);
    text_.add("$dumpoff\n");
    for (const variable& v : variables_) {
        text_.add(v.scalar ? "x" : "bx ");
        text_.add({v.code, v.code_size});
    }
    text_.add("$end\n");
    paused_ = true;
    commit();
}

void vcd_writer::begin(std::uint64_t time) {
    stamp(time);
}

void vcd_writer::append(std::size_t signal, std::uint64_t value) {
    const variable& v = variables_[signal];
    value &= v.mask;
    char* to = text_.room(longest_change);
    if (v.scalar) {
        *to++ = static_cast<char>('0' + value);
    } else {
        *to++ = 'b';
        unsigned shift = 0;
        while (shift != 56 && value >> shift > 0xff) shift += 8;
        const std::uint64_t high = value >> shift;
        // The table has a byte more than it needs: eight digits are there from any of them on.
        const unsigned zeros = high == 0 ? 7 : static_cast<unsigned>(__builtin_clzll(high)) - 56;
        std::memcpy(to, digits.of[high] + zeros, 8);
        to += 8 - zeros;
        while (shift != 0) {
            shift -= 8;
            std::memcpy(to, digits.of[value >> shift & 0xff], 8);
            to += 8;
        }
        *to++ = ' ';
    }
    std::memcpy(to, v.code, sizeof v.code);
    text_.end_at(to + v.code_size);
}

bool vcd_writer::commit() {
    if (!full_ && bytes() + longest_stamp > limit_) full_ = true;
    if (full_) {
        text_.cut(step_);
        return false;
    }
    last_time_ = step_time_;
    stamped_ = true;
    if (text_.size() >= block) hand_on();
    return true;
}

void vcd_writer::end(std::uint64_t time) {
    if (stamped_ && time > last_time_) stamp(time);
    last_time_ = std::max(last_time_, time);
    hand_on();
}

void vcd_writer::hand_on() {
    if (text_.size() != 0) output_(text_.text());
    written_ += text_.size();
    text_.cut(0);
    step_ = 0;
}

}  // namespace platform
