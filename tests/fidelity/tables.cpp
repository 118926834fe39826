#include "tables.h"

#include <fstream>
#include <iomanip>
#include <sstream>
#include <stdexcept>

namespace fidelity {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void wrong(const fs::path& file, int line, const std::string& what) {
    throw std::runtime_error(file.string() + ":" + std::to_string(line) + ": " + what);
}

// Calls use(line, number) for each line that says something.
template <class F>
void for_each_line(const fs::path& file, F use) {
    std::ifstream in{file};
    if (!in) throw std::runtime_error(file.string() + ": cannot be read");
    std::string line;
    for (int number = 1; std::getline(in, line); ++number)
        if (!line.empty() && line[0] != '#') use(line, number);
}

// Fields between commas; one in quotes may contain them.
std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> result;
    std::istringstream in{line};
    while (in) {
        std::string f;
        if (in.peek() == '"')
            in >> std::quoted(f);
        else
            std::getline(in, f, ',');
        if (!in && f.empty()) break;
        result.push_back(f);
        if (in.peek() == ',') in.get();
    }
    return result;
}

std::optional<double> bound(const std::string& word) {
    if (word == "-") return std::nullopt;
    return std::stod(word);
}

}  // namespace

std::map<std::string, published> read_published(const fs::path& file) {
    std::map<std::string, published> result;
    for_each_line(file, [&](const std::string& line, int number) {
        const auto f = fields(line);
        if (f.size() != 5) wrong(file, number, "five fields expected");
        if (number > 1) result[f[0]] = {std::stod(f[1]), f[2], f[3], f[4]};
    });
    return result;
}

std::vector<measurement> read_measurements(const fs::path& file) {
    std::vector<measurement> result;
    for_each_line(file, [&](const std::string& line, int number) {
        measurement m;
        std::string low, high;
        std::istringstream in{line};
        in >> m.name >> m.form >> m.published >> m.unit >> low >> high >> m.preset >> m.image;
        if (!in) wrong(file, number, "eight words and a command line expected");
        if (m.form != "short" && m.form != "long") wrong(file, number, "form: short or long");
        if (m.unit != "clocks" && m.unit != "GB/s" && m.unit != "GFLOP/s")
            wrong(file, number, "unit: clocks, GB/s or GFLOP/s");
        std::getline(in >> std::ws, m.cmdline);
        m.low = bound(low);
        m.high = bound(high);
        result.push_back(m);
    });
    return result;
}

}  // namespace fidelity
