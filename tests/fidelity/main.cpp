// Runs firmware that measures the machine and prints what it found beside published numbers.
//
// fidelity [--page FILE] [NAME...]: the rows of measurements.table that are named, or all. Exit
// status 1 if a value lies outside its row's bounds, a run fails, or FILE does not show the line.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tables.h"

namespace {

namespace fs = std::filesystem;

constexpr double line_bytes = 64;

std::string text_of(const fs::path& file) {
    std::ifstream in{file};
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// In the unit of the row.
double measure(const fidelity::measurement& m) {
    const fs::path out = fs::temp_directory_path() / fmt::format("knc-fidelity-{}", getpid());
    const std::string command =
        fmt::format("'{}' run '{}/{}.elf' --quiet --preset {} --cmdline '{}' --out '{}' >/dev/null",
                    KNC_VP, KNC_IMAGES, m.image, m.preset, m.cmdline, out.string());
    const int status = std::system(command.c_str());
    const std::string console = text_of(out / "console.log");
    const std::string report = text_of(out / "report.json");
    fs::remove_all(out);
    if (status != 0) throw std::runtime_error(m.name + ": the run failed: " + command);
    std::smatch found;
    static const std::regex result{"measured ([0-9]+) ([a-z]+) in ([0-9]+) clocks"};
    if (!std::regex_search(console, found, result))
        throw std::runtime_error(m.name + ": the run measured nothing");
    const double count = std::stod(found[1]);
    const double clocks = std::stod(found[3]);
    if (m.unit == "clocks") return clocks / count;
    const auto time = nlohmann::json::parse(report).at("time");
    const double hz = time.at("cycles").get<double>() / time.at("simulated_seconds").get<double>();
    const double of_each = found[2] == "lines" ? line_bytes : 1;
    return count * of_each / (clocks / hz) / 1e9;
}

bool run(const fidelity::measurement& m,
         const std::map<std::string, fidelity::published>& published, const std::string& page) {
    const double value = measure(m);
    const bool low = m.low && value < *m.low;
    const bool high = m.high && value > *m.high;
    std::string line = fmt::format("{:15} {:8.3f} {:7}", m.name, value, m.unit);
    if (m.published != "-") {
        const fidelity::published& p = published.at(m.published);
        line +=
            fmt::format(" {:8} {:5.2f}  {} ({})", p.value, value / p.value, p.quantity, p.source);
    } else {
        line += fmt::format(" {:>8} {:>5}  {}, {} {}", "-", "-", m.preset, m.image, m.cmdline);
    }
    if (low || high)
        line += fmt::format("  OUTSIDE {}",
                            low ? fmt::format("from {}", *m.low) : fmt::format("to {}", *m.high));
    fmt::print("{}\n", line);
    const bool shown = page.empty() || ("\n" + page).find("\n" + line + "\n") != page.npos;
    if (!shown) fmt::print("the page does not show this line\n");
    std::fflush(stdout);
    return !low && !high && shown;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto published = fidelity::read_published(fs::path{KNC_TABLES} / "published.csv");
        const auto rows = fidelity::read_measurements(fs::path{KNC_TABLES} / "measurements.table");
        std::vector<std::string> wanted(argv + 1, argv + argc);
        std::string page;
        if (wanted.size() >= 2 && wanted[0] == "--page") {
            page = text_of(wanted[1]);
            if (page.empty()) throw std::runtime_error(wanted[1] + ": no such page");
            wanted.erase(wanted.begin(), wanted.begin() + 2);
        }
        for (const std::string& name : wanted)
            if (std::none_of(rows.begin(), rows.end(),
                             [&](const auto& m) { return m.name == name; }))
                throw std::runtime_error(name + ": no such row");
        fmt::print("{:15} {:>8} {:7} {:>8} {:>5}  what was published\n", "measurement", "model", "",
                   "publ.", "ratio");
        bool passed = true;
        for (const auto& m : rows)
            if (wanted.empty() || std::find(wanted.begin(), wanted.end(), m.name) != wanted.end())
                passed &= run(m, published, page);
        return passed ? 0 : 1;
    } catch (const std::exception& e) {
        fmt::print(stderr, "fidelity: {}\n", e.what());
        return 1;
    }
}
