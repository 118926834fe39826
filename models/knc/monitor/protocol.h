// What a platform and a monitor say to each other.
//
// A monitor sends requests over a Unix stream socket, in the host's byte order. Each gets one
// answer: a header, then words of 64 bits. The end of the run answers a request that waits, and
// also a client that has asked nothing: with the last snapshot. Source: docs/monitor.md.
#ifndef KNC_MONITOR_PROTOCOL_H
#define KNC_MONITOR_PROTOCOL_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <knc/monitor/snapshot.h>

namespace knc::monitor {

inline constexpr std::uint64_t protocol_version = 6;

enum class operation : std::uint32_t {
    shape,     // the words are those of a platform_shape
    snapshot,  // taken in `cycle`, or in the first possible one after it
    // At once, if the platform waits for this client, else in the next possible cycle: RDMSR and
    // WRMSR at ring 0 of the hardware thread in bits 63:32 of `cycle`, of the register in bits
    // 31:0. The words are 1 and what was read; 0 and 0: #GP.
    read_msr,
    write_msr,
    mark,  // a snapshot as soon as the firmware sets mark `value`
};

struct request {
    operation what;
    std::uint32_t hold;  // 1: after the answer, the platform waits for this client's next request
    std::uint64_t cycle;
    std::uint64_t value;  // of write_msr; of mark: its number
};

struct answer_header {
    std::uint32_t ended;  // 1: the run is over
    std::uint32_t words;  // that follow
};

using words = std::vector<std::uint64_t>;

words encode(const platform_shape&);
words encode(const snapshot&, const platform_shape&);
// Empty: the words are not those of a platform like this.
std::optional<platform_shape> decode_shape(const words&);
std::optional<snapshot> decode_snapshot(const words&, const platform_shape&, bool ended);

}  // namespace knc::monitor

#endif
