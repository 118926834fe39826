// What a monitor reads of a platform: counts since the start of the run, of one cycle.
//
// Models no hardware. Leaves out: how it is read (knc/card/snapshot.h, knc/monitor/client.h) and
// what is made of two of them (knc/monitor/rows.h). Source: docs/monitor.md.
#ifndef KNC_MONITOR_SNAPSHOT_H
#define KNC_MONITOR_SNAPSHOT_H

#include <bitset>
#include <cstdint>
#include <vector>

#include <knc/base/event.h>
#include <knc/pmu/parameters.h>

namespace knc::monitor {

struct platform_shape {
    unsigned tiles = 0;
    unsigned controllers = 0;
    std::uint64_t clock_hz = 0;
    std::uint64_t ring_slots = 0;                              // of the rings for data
    pmu::front_end_kind registers = pmu::front_end_kind::knc;  // of its PMU
    unsigned threads_per_core = base::threads_per_core;
    std::bitset<base::cell_count> events = knc_events();  // those that it counts

    std::uint64_t l3_lines = 0;       // of its L3; 0: there is no cache monitoring
    std::uint32_t bandwidth_ids = 0;  // monitoring IDs whose traffic with memory it counts
    bool bus = false;                 // a bus leads to its memory

    static std::bitset<base::cell_count> knc_events() {
        return ~std::bitset<base::cell_count>{} >> (base::cell_count - base::event_count);
    }
    unsigned threads() const { return tiles * threads_per_core; }
};

struct thread_counts {
    base::event_row events{};  // ground truth, of both privilege levels
    std::uint64_t awake = 0;   // cycles, neither halted nor waiting for SIPI
    // Levels: its monitoring ID, and the lines of the L3 with this ID; unknown: none are counted.
    static constexpr std::uint64_t unknown = ~std::uint64_t{0};
    std::uint64_t rmid = 0, l3_lines = unknown;
    bool online = false;  // it has left the state in which it waits for SIPI
};

struct controller_counts {
    std::uint64_t reads = 0, writes = 0;  // of lines
};

struct snapshot {
    std::uint64_t cycle = 0;
    bool ended = false;                  // the run is over
    std::vector<thread_counts> threads;  // core * 4 + thread of the core
    std::vector<controller_counts> controllers;
    std::uint64_t ring_busy = 0;  // cycles of slots of the rings for data
    // By monitoring ID: lines that the L3 has read from memory and written to it.
    std::vector<std::uint64_t> traffic;
    controller_counts bus;  // transfers of up to 8 bytes
};

// The snapshot before the first cycle.
snapshot start_of(const platform_shape&);

}  // namespace knc::monitor

#endif
