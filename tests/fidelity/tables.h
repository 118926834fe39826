// The two tables of this directory: what is published and what is measured.
#ifndef KNC_TESTS_FIDELITY_TABLES_H
#define KNC_TESTS_FIDELITY_TABLES_H

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fidelity {

struct published {
    double value;
    std::string unit, quantity, source;
};

struct measurement {
    std::string name, form, published, unit;  // "-": nothing published
    std::optional<double> low, high;          // of what passes
    std::string preset, image, cmdline;
};

// Both throw std::runtime_error that names file and line.
std::map<std::string, published> read_published(const std::filesystem::path&);
std::vector<measurement> read_measurements(const std::filesystem::path&);

}  // namespace fidelity

#endif
