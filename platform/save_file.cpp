#include <platform/save_file.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include <fmt/format.h>

namespace platform {

namespace {

// The scope SystemC's VCD writer puts around everything.
constexpr const char* top_scope = "SystemC";

// Flags of a line in a save file.
constexpr const char* binary = "@28";
constexpr const char* hexadecimal = "@22";
constexpr const char* group_begin = "@800200";
constexpr const char* group_end = "@1000200";

// GTKWave's zoom factor that shows `span` picoseconds in a window of the usual width: it draws
// 2^-zoom units of time on 200 pixels.
double zoom(std::uint64_t span) {
    constexpr double frames = 5;
    return -std::log2(std::max(1.0, static_cast<double>(span) / frames));
}

std::string scope_of(const std::string& name) {
    return name.substr(0, name.rfind('.'));
}

}  // namespace

void write_save_file(std::ostream& out, const knc::base::signal_list& signals,
                     const sc_core::sc_time& from, const sc_core::sc_time& to, const char* dump) {
    out << "[dumpfile] \"" << dump << "\"\n[savefile] \"trace.gtkw\"\n";
    out << fmt::format("[timestart] {}\n[size] 1600 900\n[pos] -1 -1\n*{:.6f} {}\n", from.value(),
                       zoom(to.value() - from.value()), from.value());
    out << "[treeopen] " << top_scope
        << ".\n[sst_width] 220\n[signals_width] 260\n[sst_expanded] 1\n";
    std::string group;
    for (const knc::base::signal& s : signals) {
        const std::string scope = scope_of(s.name);
        if (scope != group) {
            if (!group.empty()) out << group_end << "\n-" << group << '\n';
            out << group_begin << "\n-" << scope << '\n';
            group = scope;
        }
        out << (s.width == 1 ? binary : hexadecimal) << '\n' << top_scope << '.' << s.name;
        if (s.width > 1) out << fmt::format("[{}:0]", s.width - 1);
        out << '\n';
    }
    if (!group.empty()) out << group_end << "\n-" << group << '\n';
}

}  // namespace platform
