#include <platform/vcd_command.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include <vcd/checker.h>

namespace platform {

namespace {

bool check_file(const std::string& file, std::istream& in, const std::vector<std::string>& changing,
                std::ostream& out, std::ostream& problems) {
    vcd::summary s;
    try {
        s = vcd::check(in);
    } catch (const vcd::malformed& e) {
        problems << fmt::format("{}:{}: {}\n", file, e.line, e.what());
        return false;
    }
    const auto changes = [](const vcd::variable& v) { return v.changes != 0; };
    out << fmt::format(
        "{}: {} variables, {} of them change; {} value changes at {} times from {} to {} in units "
        "of {}\n",
        file, s.variables.size(), std::count_if(s.variables.begin(), s.variables.end(), changes),
        s.value_changes, s.times, s.first_time, s.last_time, s.timescale);
    bool good = true;
    for (const std::string& name : changing) {
        const auto found = vcd::find(s, name);
        if (std::any_of(found.begin(), found.end(),
                        [&](const vcd::variable* v) { return changes(*v); }))
            continue;
        problems << fmt::format("{}: {} {}\n", file, name,
                                found.empty() ? "is not in it" : "never changes");
        good = false;
    }
    return good;
}

}  // namespace

int check_waveforms(const std::vector<std::string>& files, const std::vector<std::string>& changing,
                    std::ostream& out, std::ostream& problems) {
    int status = 0;
    for (const std::string& file : files) {
        std::error_code error;
        std::ifstream in{file, std::ios::binary};
        if (!in || std::filesystem::is_directory(file, error)) {
            problems << fmt::format("knc-vp: {}: {}\n", file,
                                    in ? "is a directory" : std::generic_category().message(errno));
            status = 2;
        } else if (!check_file(file, in, changing, out, problems)) {
            status = std::max(status, 1);
        }
    }
    return status;
}

}  // namespace platform
