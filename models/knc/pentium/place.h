// Where a line of a Pentium's caches is in the host's memory.
#ifndef KNC_PENTIUM_PLACE_H
#define KNC_PENTIUM_PLACE_H

#include <cstdint>

#include <knc/base/address_map.h>
#include <knc/cache/l1_if.h>
#include <knc/pentium/parameters.h>

namespace knc::pentium {

// The host address of the 64 bytes that contain the line: what a core expects of a grant.
inline std::uint8_t* place_of(std::uint8_t* memory, cache::line_t line) {
    return memory + (line * line_bytes & ~(std::uint64_t{base::line_bytes} - 1));
}

}  // namespace knc::pentium

#endif
