// The scenarios that come with the program: TOML files in share/knc/scenarios, beside the directory
// of the program, in the build tree as after installation.
//
// Source: docs/scenarios.md.
#ifndef KNC_PLATFORM_SCENARIO_LIST_H
#define KNC_PLATFORM_SCENARIO_LIST_H

#include <filesystem>
#include <iosfwd>

namespace platform {

// Writes the directory, and of each scenario the name, the image and the description, in
// alphabetical order. Throws input_error where the directory or a file cannot be read.
void list_scenarios(std::ostream&, const std::filesystem::path& directory);

// Where the scenarios of this program are. Throws input_error where the program's own place cannot
// be found.
std::filesystem::path scenario_directory();

}  // namespace platform

#endif
