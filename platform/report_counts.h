// The way back from report.json, as far as events and counts go.
//
// Leaves out: phases, whose metrics report.json holds as they are, and everything else.
#ifndef KNC_PLATFORM_REPORT_COUNTS_H
#define KNC_PLATFORM_REPORT_COUNTS_H

#include <nlohmann/json.hpp>

#include <platform/report.h>

namespace platform {

// Clocks, instructions, resets, marks with their clocks, threads with what find_count() knows of
// them. Throws nlohmann::json::exception where `j` is no report.
report counts_of(const nlohmann::ordered_json& j);

}  // namespace platform

#endif
