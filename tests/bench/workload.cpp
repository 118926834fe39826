#include "workload.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

std::string trimmed(const std::string& s) {
    const std::size_t first = s.find_first_not_of(' ');
    return first == std::string::npos ? "" : s.substr(first, s.find_last_not_of(' ') - first + 1);
}

// A decimal number, perhaps with K or M for a thousand or a million.
std::uint64_t number(const std::string& s) {
    std::size_t read = 0;
    const std::uint64_t n = std::stoull(s, &read);
    const std::string unit = s.substr(read);
    return unit == "K" ? n * 1000 : unit == "M" ? n * 1000000 : n;
}

std::string replaced(std::string s, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = s.find(what, at)) != std::string::npos; at += by.size())
        s.replace(at, what.size(), by);
    return s;
}

}  // namespace

std::vector<workload> read_workloads(const std::string& path, const std::string& sw,
                                     const std::string& linux_build) {
    std::ifstream in{path};
    if (!in) throw std::runtime_error(path + " cannot be read");
    std::vector<workload> all;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream columns{line};
        std::array<std::string, 4> c;
        for (std::string& column : c) {
            std::getline(columns, column, '|');
            column = trimmed(column);
        }
        if (c[3].empty()) throw std::runtime_error(path + ": four columns are wanted: " + line);
        workload w;
        w.name = c[0];
        const std::size_t dash = c[1].find('-');
        w.from = number(c[1].substr(0, dash));
        w.to = number(c[1].substr(dash + 1));
        if (const std::size_t comma = c[2].find(','); comma != std::string::npos) {
            w.short_run = c[2].substr(0, comma);
            w.long_run = c[2].substr(comma + 1);
        }
        w.arguments = replaced(replaced(c[3], "{sw}", sw), "{linux}", linux_build);
        w.image = w.arguments.substr(0, w.arguments.find(' '));
        if (std::filesystem::exists(w.image)) all.push_back(w);
    }
    return all;
}

}  // namespace bench
