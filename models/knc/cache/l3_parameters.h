// Sizes and times of the L3. Each has a configuration key of the same name under "l3.".
//
// Knights Corner has no L3; every default is a decision (docs/hierarchy.md).
#ifndef KNC_CACHE_L3_PARAMETERS_H
#define KNC_CACHE_L3_PARAMETERS_H

#include <cstdint>
#include <string>

#include <knc/cache/parameters.h>

namespace knc::cache {

// Whose a line is that another monitoring ID than its own hits: still the former's, or the
// latter's.
enum class monitored_hit : std::uint8_t { keep, move };

struct l3_parameters {
    // Of the slice of a tile; 0 bytes: there is no L3, and the slices are tag directories.
    geometry slice{0, 16, replacement::lru};
    // Cycles from the arrival of a request at a free slice to the departure of the slice's
    // messages: the lookup of tags and data. At least 1; unverified.
    std::uint32_t cycles = 20;
    // The same for all other messages, such as the line from memory. At least 1; unverified.
    std::uint32_t forward_cycles = 4;
    // Cycles between two messages that a slice accepts, at least 1; unverified.
    std::uint32_t interval = 1;
    // Monitoring IDs that it tells apart, 1 to 1024; the others count as none.
    std::uint32_t monitored = 1;
    monitored_hit hit = monitored_hit::keep;

    bool exists() const { return slice.bytes != 0; }
};

// The reason why an L3 with these parameters is impossible, in one line that names the member;
// empty if it is possible.
std::string impossible(const l3_parameters&);

}  // namespace knc::cache

#endif
