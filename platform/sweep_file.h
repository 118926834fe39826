// Sweep files: which runs a sweep makes, and what it keeps of each.
//
// Source: docs/sweep.md.
#ifndef KNC_PLATFORM_SWEEP_FILE_H
#define KNC_PLATFORM_SWEEP_FILE_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <platform/expectation.h>
#include <platform/scenario.h>

namespace platform {

// What takes several values.
struct sweep_axis {
    // A configuration key, preset, image, cmdline, or cmdline.WORD: the word WORD=VALUE of the
    // command line.
    std::string key;
    std::vector<std::string> values;
    std::string group;  // axes of one group take their values together; empty: none
    std::string place;  // FILE:LINE
};

// One column of the table of results, beside those that every table has.
struct sweep_column {
    std::string name;
    std::optional<expectation> of;  // empty: how many expectations do not hold
};

struct sweep_file {
    std::string name;  // of the file
    std::string description;
    std::optional<std::string> scenario, image, preset, cmdline;  // files: relative to this one
    std::vector<assignment> keys;
    std::vector<sweep_axis> axes;
    std::vector<sweep_column> columns;
};

// More runs than this are a mistake.
inline constexpr std::size_t most_sweep_runs = 10'000;
// Keys of axes that are no configuration keys.
inline constexpr std::string_view cmdline_key = "cmdline", word_prefix = "cmdline.",
                                  preset_key = "preset", image_key = "image";
// Columns of every table, before the keys and behind them.
inline constexpr std::string_view run_column = "run";
inline constexpr std::string_view outcome_columns[] = {"status", "end", "cycles", "instructions"};
// What `columns` calls the number of expectations that do not hold.
inline constexpr std::string_view failed_column = "failed_expectations";

// Reads sweep `text`; `file` names it in messages. Throws input_error with file, line and key.
sweep_file read_sweep(const std::string& text, const std::string& file);

}  // namespace platform

#endif
