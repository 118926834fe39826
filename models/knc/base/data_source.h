// The place from which a load has its data, from the nearest to the farthest.
//
// The values are those of a record's data source field (SDM vol. 3, load latency codes), so a
// slower place has a greater value. A fill says l2, l3 or memory: what brought the line to the L1.
#ifndef KNC_BASE_DATA_SOURCE_H
#define KNC_BASE_DATA_SOURCE_H

#include <cstdint>

namespace knc::base {

enum class data_source : std::uint8_t {
    l1 = 1,
    line_under_way = 2,  // the L1 had requested the line for another access
    l2 = 3,              // or a request of the L2 for the line was under way
    l3 = 4,
    memory = 0xc  // or, without an L3, another tile's cache
};

}  // namespace knc::base

#endif
