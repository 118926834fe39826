// What a card and its cores share in a fast-forward: where memory is, and when it ends.
//
// Models nothing. Leaves out: the execution itself (knc/core/functional_unit.h). Source:
// docs/fast_forward.md.
#ifndef KNC_CORE_FUNCTIONAL_PLACE_H
#define KNC_CORE_FUNCTIONAL_PLACE_H

#include <cstdint>
#include <optional>

#include <knc/base/clock.h>
#include <knc/cache/footprint.h>
#include <knc/core/ports.h>

namespace knc::core {

// When a fast-forward ends. All cores of a card share one.
struct functional_goal {
    static constexpr std::uint64_t unlimited = ~std::uint64_t{0};

    std::uint64_t instructions = unlimited;  // as many more, of all threads together
    std::optional<std::uint64_t> pc;         // a thread is about to execute this linear address
    bool reached = false;                    // also set from outside
};

// What a core needs to execute functionally.
struct functional_place {
    std::uint8_t* memory;  // its bytes; no cache has a copy of any
    immediate_devices_if& devices;
    functional_goal& goal;
    base::cycle_t turn;  // clocks of a thread's turn
    // Caches and TLBs are warm afterwards: TLBs follow the threads, and `used`, the core's own,
    // remembers the lines that they use.
    bool warm = false;
    cache::footprint* used = nullptr;  // nullptr: not warm
};

}  // namespace knc::core

#endif
