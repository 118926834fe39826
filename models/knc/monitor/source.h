// Where a monitor gets its snapshots from.
#ifndef KNC_MONITOR_SOURCE_H
#define KNC_MONITOR_SOURCE_H

#include <cstdint>
#include <optional>

#include <knc/monitor/snapshot.h>

namespace knc::monitor {

// A platform of one card.
class source_if {
  public:
    virtual ~source_if() = default;
    virtual const platform_shape& shape() const = 0;
    // The counts of `cycle`, or of the first possible cycle after it; after the end of the run, the
    // last ones. `hold`: the simulation does not go on before the next call.
    virtual snapshot read(std::uint64_t cycle, bool hold) = 0;
    // The counts when the firmware next sets mark `number`, or the last ones; holds the simulation.
    virtual snapshot read_at_mark(std::uint32_t number) = 0;
    // RDMSR and WRMSR of a hardware thread at ring 0, while the simulation is held. Empty, false:
    // #GP, or the run has ended.
    virtual std::optional<std::uint64_t> read_msr(unsigned thread, std::uint32_t number) = 0;
    virtual bool write_msr(unsigned thread, std::uint32_t number, std::uint64_t value) = 0;
};

}  // namespace knc::monitor

#endif
