// Reads the counts of a card for a monitor.
#ifndef KNC_CARD_SNAPSHOT_H
#define KNC_CARD_SNAPSHOT_H

#include <bitset>

#include <knc/base/event.h>
#include <knc/card/card.h>
#include <knc/card/parameters.h>
#include <knc/monitor/snapshot.h>

namespace knc::card {

// The events of the machine, and those of its PMU that the machine has no others for; of a Pentium
// those of its PMU alone.
std::bitset<base::cell_count> counted_events(const parameters&);
// Lines of its L3; 0 without cache monitoring.
std::uint64_t monitored_lines(const parameters&);
// Monitoring IDs whose traffic it counts.
std::uint32_t bandwidth_ids(const parameters&);
monitor::platform_shape shape_of(const card&);
// To be called from run_control::observed, or after the run. Changes nothing.
monitor::snapshot snapshot_of(const card&);

}  // namespace knc::card

#endif
