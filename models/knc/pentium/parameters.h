// Sizes and times of a Pentium's caches and bus.
#ifndef KNC_PENTIUM_PARAMETERS_H
#define KNC_PENTIUM_PARAMETERS_H

#include <cstdint>

#include <knc/cache/parameters.h>

namespace knc::pentium {

// Bytes of a line of both caches, and of a transfer on the bus, of which a line needs four.
// Source: Pentium Processor Family Developer's Manual, vol. 1.
constexpr unsigned line_bytes = 32, bus_bytes = 8, line_transfers = line_bytes / bus_bytes;

struct parameters {
    // A geometry's number of sets is that of lines of 32 bytes.
    cache::geometry l1d{16 << 10, 4, cache::replacement::tree_plru};
    cache::geometry l1i{16 << 10, 4, cache::replacement::tree_plru};
    // Core clocks of a clock of the bus.
    std::uint32_t bus_ratio = 2;
    // Clocks of the bus from the start of a read to its first 8 bytes, and for each further 8 bytes
    // of a burst: 6-2-2-2, as EDO memory of the time on a bus of 66 MHz. Unverified.
    std::uint32_t read_clocks = 6;
    std::uint32_t burst_clocks = 2;
    // Clocks of the bus of a write of up to 8 bytes. Unverified.
    std::uint32_t write_clocks = 3;
    // Writes of up to 8 bytes that wait for the bus. Source: docs/p55c.md.
    std::uint32_t write_buffers = 4;
};

}  // namespace knc::pentium

#endif
