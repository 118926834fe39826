// The table of a sweep: one row for each run, which follows from the inputs of the runs alone.
//
// Source: docs/sweep.md; RFC 4180 for the file of comma-separated values.
#ifndef KNC_PLATFORM_SWEEP_TABLE_H
#define KNC_PLATFORM_SWEEP_TABLE_H

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <platform/report.h>
#include <platform/sweep_file.h>
#include <platform/sweep_points.h>

namespace platform {

struct sweep_cell {
    std::string text;     // empty: the run has no such value
    bool number = false;  // of the run or of the card
};

struct sweep_table {
    std::vector<std::string> heads;
    std::size_t keys = 0;  // columns of the axes, behind the first, which is the run's number
    std::vector<std::vector<sweep_cell>> rows;
};

// Only heads.
sweep_table empty_table(const sweep_file&);
// Adds the run at `point`. `report`: of report.json; empty: there is none. `console`: what the
// firmware printed.
void add_run(sweep_table&, const sweep_file&, const sweep_point& point, int status,
             const std::optional<nlohmann::ordered_json>& report, const std::string& console);

// The value of a column in report.json, whose counts_of() are `counts`; null: it has none.
nlohmann::ordered_json value_of(const expectation&, const nlohmann::ordered_json& written,
                                const report& counts);

// The number behind the first place of `text`, after blanks; null: there is none.
nlohmann::ordered_json number_behind(const std::string& text, const std::string& console);

void write_csv(std::ostream&, const sweep_table&);

}  // namespace platform

#endif
