// What the formulas of the metrics are made of: the counts of one row of the monitor's table.
//
// Models no hardware: the increase of each count between two snapshots, for a thread, a core or the
// card. Counts of threads are summed. An event of a core is counted once per core, and does not
// exist in a thread's row, except for CPU_CLK_UNHALTED. Source: docs/monitor.md.
#ifndef KNC_MONITOR_QUANTITY_H
#define KNC_MONITOR_QUANTITY_H

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <knc/base/event.h>
#include <knc/pmu/parameters.h>

namespace knc::monitor {

// Beside the events, which have their numbers of base::event: Knights Corner's, then those of other
// monitoring units.
enum quantity : std::size_t {
    tsc = base::cell_count,  // clocks of the row's cores
    thread_tsc,              // clocks of the row's threads
    elapsed,                 // clocks of the interval
    reference_cycles,        // unhalted clocks of the threads by a constant clock
    l3_lines,                // level: of the L3, with the monitoring IDs of the row's threads
    l3_size,                 // level: lines of the L3
    total_traffic,           // lines between L3 and memory, of the row's monitoring IDs
    local_traffic,           // the part of local memory
    awake,                   // clocks in which a thread was awake
    read_lines,              // by the memory controllers
    write_lines,
    bus_reads,  // transfers of up to 8 bytes
    bus_writes,
    ring_busy,   // cycles of slots
    ring_slots,  // cycles of slots that there were
    quantity_count
};

// Not the increase of a count, but what is there at the end of the interval.
constexpr bool is_level(std::size_t quantity) {
    return quantity == l3_lines || quantity == l3_size;
}

// As in a formula: DATA_READ, MEM_LOAD_RETIRED_L2_HIT, TSC.
std::string name_of(std::size_t quantity);
std::optional<std::size_t> find_quantity(std::string_view name);
// An event by the name that it has in this PMU, otherwise as above.
std::optional<std::size_t> find_quantity(std::string_view name, pmu::front_end_kind);

enum class row_kind : std::uint8_t { thread, core, card };

struct row {
    row_kind kind = row_kind::card;
    unsigned core = 0, thread = 0;
    std::array<std::uint64_t, quantity_count> count{};
    std::bitset<quantity_count> has;
};

}  // namespace knc::monitor

#endif
