// The numbers of the picture of the ring.
#ifndef KNC_PLATFORM_PAGE_RING_H
#define KNC_PLATFORM_PAGE_RING_H

#include <cstdint>
#include <string>
#include <vector>

#include <platform/report.h>

namespace platform {

// Messages from a stop to its neighbour, and the percentage of the slots that passed between them.
std::uint64_t link_messages(const knc::card::ring_counts&, unsigned from, knc::ring::direction,
                            unsigned channel);
double link_load(const report&, unsigned from, knc::ring::direction, unsigned channel);

// A value for each tile.
struct tile_values {
    std::string name;
    bool from_metric;  // of the monitor
    std::vector<double> values;
};
std::vector<tile_values> values_of_tiles(const report&);

// GB per second of the whole run.
struct rate {
    double read, written;
};
rate memory_rate(const report&, unsigned controller);

}  // namespace platform

#endif
