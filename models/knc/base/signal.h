// A value that can be put into a waveform.
//
// Models: a name in the hierarchy, a width and the address of the value. The owner refreshes the
// value when it is told to sample. Leaves out: file formats, which only the caller knows.
#ifndef KNC_BASE_SIGNAL_H
#define KNC_BASE_SIGNAL_H

#include <cstdint>
#include <string>
#include <vector>

namespace knc::base {

struct signal {
    std::string name;  // dotted path, e.g. "tile0.t0.pmu.cntr0"
    unsigned width;    // bits, 1-64
    const std::uint64_t* value;
};

using signal_list = std::vector<signal>;

}  // namespace knc::base

#endif
