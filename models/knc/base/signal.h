// A value that can be put into a waveform.
//
// Models: a name in the hierarchy, a width, the address of the value, and what a viewer should say
// about it. The owner refreshes the value when it is told to sample. Leaves out: file formats,
// which only the caller knows.
#ifndef KNC_BASE_SIGNAL_H
#define KNC_BASE_SIGNAL_H

#include <cstdint>
#include <string>
#include <vector>

namespace knc::base {

// The names of a signal's values, from 0 on.
struct value_names {
    const char* enumeration;  // one word, different for each table
    std::vector<const char*> names;
};

// How a viewer shows a signal: bits of a register or an address; a number that mostly grows; a
// number that rises and falls, as of requests that wait.
enum class signal_form : std::uint8_t { pattern, number, level };

struct signal {
    std::string name;  // dotted path, e.g. "tile0.t0.pmu.cntr0"
    unsigned width;    // bits, 1-64
    const std::uint64_t* value;
    const char* meaning = "";
    signal_form form = signal_form::pattern;
    const value_names* names = nullptr;  // of an enumeration; it exists for ever
};

using signal_list = std::vector<signal>;

// Values that lie one behind the other: [first, last). Null pointers: any values.
struct value_range {
    const std::uint64_t* first = nullptr;
    const std::uint64_t* last = nullptr;
};

}  // namespace knc::base

#endif
