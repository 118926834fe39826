#include <platform/save_file.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <unordered_map>

#include <fmt/format.h>

#include <platform/traced_functions.h>

namespace platform {

namespace {

using knc::base::signal;
using knc::base::signal_form;

// The scope SystemC's VCD writer puts around everything.
constexpr const char* top_scope = "SystemC";

// Flags of a line in a save file, hexadecimal.
constexpr unsigned right = 0x20;
constexpr unsigned hexadecimal = 0x2 | right, decimal = 0x4 | right, binary = 0x8 | right;
constexpr unsigned translated = 0x2000;
constexpr unsigned curve = 0x8'8000;  // steps, over the range of all values
constexpr unsigned blank = 0x200;
constexpr unsigned room_for_curve = 0x2'0000;  // a line of its own
constexpr unsigned group_begin = 0x80'0200, group_end = 0x100'0200;

// GTKWave counts red, orange, yellow, ... from 1.
enum class colour : unsigned { orange = 2, yellow = 3 };

// GTKWave's markers with a name: A to Z.
constexpr std::size_t most_marks = 26;

// GTKWave's zoom factor that shows `span` picoseconds in a window of the usual width: it draws
// 2^-zoom units of time on 200 pixels.
double zoom(std::uint64_t span) {
    constexpr double frames = 6;
    return -std::log2(std::max(1.0, static_cast<double>(span) / frames));
}

std::string scope_of(const std::string& name) {
    return name.substr(0, name.rfind('.'));
}
std::string last_part(const std::string& name) {
    return name.substr(name.rfind('.') + 1);
}
// GTKWave shows what follows the last dot only.
std::string words(std::string name) {
    std::replace(name.begin(), name.end(), '.', ' ');
    return name;
}
bool of_thread(const signal& s, const char* what) {
    return last_part(s.name) == what && last_part(scope_of(s.name))[0] == 't';
}

unsigned number_format(const signal& s) {
    if (s.width == 1) return binary;
    return s.form == signal_form::pattern ? hexadecimal : decimal;
}

// `alias`: its name in the view.
void write_member(std::ostream& out, const signal& s, const std::string& alias,
                  const translations& names) {
    const translation* const t = names.of(s);
    const bool level = s.form == signal_form::level && t == nullptr;
    unsigned flags = number_format(s);
    if (t != nullptr) flags = (t->hexadecimal ? hexadecimal : decimal) | translated;
    if (level) flags |= curve;
    if (t != nullptr || level)
        out << fmt::format("[color] {}\n",
                           static_cast<unsigned>(level ? colour::orange : colour::yellow));
    out << fmt::format("@{:x}\n", flags);
    if (t != nullptr) out << fmt::format("^{} {}\n", names.filter(*t), t->file);
    out << fmt::format("+{{{}}} {}.{}", alias, top_scope, s.name);
    if (s.width > 1) out << fmt::format("[{}:0]", s.width - 1);
    out << '\n';
    if (level) out << fmt::format("@{:x}\n-\n", room_for_curve | blank);
}

}  // namespace

translations::translations(const knc::base::signal_list& signals,
                           const traced_functions* functions) {
    for (const signal& s : signals) {
        if (s.names != nullptr) {
            translation& t = add(s, fmt::format("trace.{}.txt", s.names->enumeration));
            if (!t.texts.empty()) continue;
            for (const char* name : s.names->names) t.texts.emplace_back(t.texts.size(), name);
        } else if (functions != nullptr && of_thread(s, "function")) {
            translation& t = add(s, "trace.function.txt");
            if (!t.texts.empty()) continue;
            t.texts.assign(functions->functions().begin(), functions->functions().end());
        } else if (functions != nullptr && of_thread(s, "pc")) {
            const auto& known = functions->instructions();
            translation& t = add(s, "trace.pc.txt");
            t.hexadecimal = true;
            if (t.texts.empty()) t.texts.assign(known.begin(), known.end());
        }
    }
}

// The one of that name, new if there is none.
translation& translations::add(const signal& s, const std::string& file) {
    auto f = std::find_if(files_.begin(), files_.end(),
                          [&file](const translation& x) { return x.file == file; });
    if (f == files_.end()) f = files_.insert(f, translation{file, false, {}});
    by_signal_[s.name] = static_cast<std::size_t>(f - files_.begin());
    return *f;
}

const translation* translations::of(const signal& s) const {
    const auto f = by_signal_.find(s.name);
    return f != by_signal_.end() ? &files_[f->second] : nullptr;
}

void write_translation(std::ostream& out, const translation& t) {
    // GTKWave prints all digits of a number in hexadecimal.
    for (const auto& [value, text] : t.texts)
        out << (t.hexadecimal ? fmt::format("{:016x} {}\n", value, text)
                              : fmt::format("{} {}\n", value, text));
}

void write_save_file(std::ostream& out, const knc::base::signal_list& signals,
                     const translations& names, const trace_view& view) {
    out << "[dumpfile] \"" << view.dump << "\"\n[savefile] \"trace.gtkw\"\n";
    out << fmt::format("[timestart] {}\n[size] 1600 900\n[pos] -1 -1\n*{:.6f} {}",
                       view.from.value(), zoom((view.to - view.from).value()), view.from.value());
    std::vector<trace_view::mark> marks;
    for (const trace_view::mark& m : view.marks)
        if (m.at >= view.from && m.at <= view.to && marks.size() < most_marks) marks.push_back(m);
    for (const trace_view::mark& m : marks) out << ' ' << m.at.value();
    out << '\n';
    for (std::size_t n = 0; n < marks.size(); ++n)
        out << fmt::format("[markername] {}{}\n", static_cast<char>('A' + n), marks[n].name);
    out << "[treeopen] " << top_scope
        << ".\n[sst_width] 20\n[signals_width] 300\n[sst_expanded] 0\n";

    // In the order of the first signal of each.
    std::vector<std::pair<std::string, std::vector<const signal*>>> groups;
    std::unordered_map<std::string, std::size_t> known;
    for (const signal& s : signals) {
        const auto [scope, is_new] = known.try_emplace(scope_of(s.name), groups.size());
        if (is_new) groups.push_back({scope->first, {}});
        groups[scope->second].second.push_back(&s);
    }
    for (const auto& [scope, members] : groups) {
        if (members.size() == 1) {
            write_member(out, *members.front(), words(members.front()->name), names);
            continue;
        }
        out << fmt::format("@{:x}\n-{}\n", group_begin, scope);
        for (const signal* const s : members) write_member(out, *s, last_part(s->name), names);
        out << fmt::format("@{:x}\n-{}\n", group_end, scope);
    }
}

}  // namespace platform
