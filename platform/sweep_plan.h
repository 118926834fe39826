// What a sweep is to do: its runs with their arguments and inputs, and the results that are there.
//
// Source: docs/sweep.md.
#ifndef KNC_PLATFORM_SWEEP_PLAN_H
#define KNC_PLATFORM_SWEEP_PLAN_H

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <platform/sweep_file.h>
#include <platform/sweep_points.h>
#include <platform/sweep_store.h>

namespace platform {

struct planned_run {
    sweep_point point;
    std::string name;       // for people
    std::string directory;  // below that of the sweep
    std::vector<std::string> arguments, files;
    nlohmann::ordered_json inputs;
    stored_run stored;
    std::optional<run_result> result;  // of these inputs
    // Where the result is, if the run had another number before.
    std::filesystem::path elsewhere;

    bool done() const { return result && result->complete; }
};

// The runs of a sweep in `directory`, checked. Throws input_error.
std::vector<planned_run> plan_sweep(const sweep_file&, const std::filesystem::path& directory);

// The result of `r` in its own directory, if it is of its inputs.
std::optional<run_result> result_of(const planned_run& r);

// Moves the results that are elsewhere to the directories of their runs. Throws std::runtime_error.
void move_results(const std::vector<planned_run>&);

// The index, sweep.json.
nlohmann::ordered_json index_of(const sweep_file&, const std::vector<planned_run>&);

}  // namespace platform

#endif
