// A value that can be put into a waveform.
//
// Models: a name in the hierarchy, a width and where the value is. Whoever owns the value refreshes
// it when asked to sample; the file format is the business of whoever asked (models know none).
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
