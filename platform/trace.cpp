#include <platform/trace.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <ostream>

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

// Two traces of one run are the same, byte for byte: blanks in place of the date that SystemC has
// written at the beginning of the file.
void blank_date(const std::string& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    std::string head(256, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    file.clear();
    const std::size_t first = head.find("$date") + std::strlen("$date");
    const std::size_t end = head.find("$end");
    if (end == std::string::npos || end < first) return;
    for (std::size_t n = first; n < end; ++n)
        if (head[n] != '\n') head[n] = ' ';
    file.seekp(0);
    file.write(head.data(), static_cast<std::streamsize>(end));
}

std::string scope_of(const std::string& name) {
    return name.substr(0, name.rfind('.'));
}

}  // namespace

trace::trace(const std::string& directory, const knc::base::signal_list& signals)
    : path_(directory + "/trace"), file_(sc_core::sc_create_vcd_trace_file(path_.c_str())) {
    file_->set_time_unit(1, sc_core::SC_PS);
    for (const knc::base::signal& s : signals)
        sc_core::sc_trace(file_, *s.value, s.name, static_cast<int>(s.width));
}

trace::~trace() {
    sc_core::sc_close_vcd_trace_file(file_);
    blank_date(path_ + ".vcd");
}

void write_save_file(std::ostream& out, const knc::base::signal_list& signals,
                     const sc_core::sc_time& from, const sc_core::sc_time& to) {
    out << "[dumpfile] \"trace.vcd\"\n[savefile] \"trace.gtkw\"\n";
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
