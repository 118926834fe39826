// Counts by the guest's own performance counters, as a monitor on a real card gets them.
//
// Models: PCM's way: it programs the two counters of every thread, reads them at the end of an
// interval, and multiplexes if it wants more than two events. Then each two events have a part of
// the interval, and their counts are scaled to the whole of it. Clocks, controllers and ring are
// those of the platform. Leaves out: the guest's use of its counters meanwhile, which it would
// disturb. Source: docs/monitor.md; PMU guide 327357-001 for the registers.
#ifndef KNC_MONITOR_MSR_SOURCE_H
#define KNC_MONITOR_MSR_SOURCE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <knc/monitor/source.h>

namespace knc::monitor {

class msr_source final : public source_if {
  public:
    // Counts `events`, at least one. Nothing is programmed before take().
    msr_source(source_if& platform, std::vector<std::size_t> events);
    ~msr_source() override;
    msr_source(const msr_source&) = delete;
    msr_source& operator=(const msr_source&) = delete;

    // Takes the counters, in the present cycle. False: the guest uses one of them.
    bool take();
    bool multiplexes() const { return events_.size() > counters; }

    // source_if. Always holds the simulation.
    const platform_shape& shape() const override { return platform_.shape(); }
    snapshot read(std::uint64_t cycle, bool hold) override;
    // Not with these counts: the present ones.
    snapshot read_at_mark(std::uint32_t) override { return now_; }
    std::optional<std::uint64_t> read_msr(unsigned thread, std::uint32_t number) override {
        return platform_.read_msr(thread, number);
    }
    bool write_msr(unsigned thread, std::uint32_t number, std::uint64_t value) override {
        return platform_.write_msr(thread, number, value);
    }

  private:
    static constexpr std::size_t counters = 2;  // of a thread
    static constexpr std::size_t saved_registers = 6;
    using saved = std::array<std::uint64_t, saved_registers>;

    void select(std::size_t group);
    // Adds what the counters have counted in `part` of `whole` cycles.
    void add(std::size_t group, std::uint64_t part, std::uint64_t whole);
    void give_back();

    source_if& platform_;
    const std::vector<std::size_t> events_;
    std::vector<saved> saved_;  // of each thread
    snapshot now_;              // with the counts so far
    bool taken_ = false;
};

}  // namespace knc::monitor

#endif
