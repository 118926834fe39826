// The rows of a monitor's table: the difference of two snapshots, by thread, core and card.
//
// Source: docs/monitor.md.
#ifndef KNC_MONITOR_ROWS_H
#define KNC_MONITOR_ROWS_H

#include <cstdint>
#include <vector>

#include <knc/monitor/quantity.h>
#include <knc/monitor/snapshot.h>

namespace knc::monitor {

// `thread`: core * 4 + thread of the core.
row thread_row(const platform_shape&, const snapshot& before, const snapshot& after,
               unsigned thread);
row core_row(const platform_shape&, const snapshot& before, const snapshot& after, unsigned core);
// Also with what belongs to no core: controllers, ring.
row card_row(const platform_shape&, const snapshot& before, const snapshot& after);

// The monitoring IDs whose traffic belongs to a row: those that its threads have now, each once; of
// the card all.
std::vector<std::uint64_t> traffic_ids(const platform_shape&, const snapshot& now, row_kind,
                                       unsigned first, unsigned threads);

}  // namespace knc::monitor

#endif
