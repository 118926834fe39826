// Counters over time, for the script of the page and as a table.
#ifndef KNC_PLATFORM_PAGE_HISTORY_H
#define KNC_PLATFORM_PAGE_HISTORY_H

#include <nlohmann/json.hpp>

#include <platform/report.h>

namespace platform {

// The increase of each count from point to point: of the card; of each core, with fewer points on
// cards of many cores.
nlohmann::ordered_json history_of(const report&);

}  // namespace platform

#endif
