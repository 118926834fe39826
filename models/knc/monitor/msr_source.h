// Counts by the guest's own performance counters, as a monitor on a real card gets them.
//
// Models: PCM's way: it programs the counters of every thread, reads them at the end of an
// interval, and multiplexes if it wants more events than there are counters (two; four and the
// fixed ones of architectural performance monitoring), or if the counter that an event of a Pentium
// needs has another one. Then the events have the counters in groups, each for a part of the
// interval, and their counts are scaled to the whole of it. Clocks,
// controllers and ring are those of the platform. Leaves out: the guest's use of its counters
// meanwhile, which it would disturb. Source: docs/monitor.md; PMU guide 327357-001 and Intel SDM
// vol. 3 for the registers.
#ifndef KNC_MONITOR_MSR_SOURCE_H
#define KNC_MONITOR_MSR_SOURCE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <knc/monitor/quantity.h>
#include <knc/monitor/source.h>

namespace knc::monitor {

class msr_source final : public source_if {
  public:
    // Whether the platform's counters can count the event.
    static bool can_count(const platform_shape&, std::size_t event);

    // Counts `events`, at least one, all of which the counters can count. Nothing is programmed
    // before take().
    msr_source(source_if& platform, std::vector<std::size_t> events);
    ~msr_source() override;
    msr_source(const msr_source&) = delete;
    msr_source& operator=(const msr_source&) = delete;

    // Takes the counters, in the present cycle. False: the guest uses one of them.
    bool take();
    bool multiplexes() const { return groups() > 1; }

    // source_if. Always holds the simulation.
    // The platform's, with these events alone.
    const platform_shape& shape() const override { return shape_; }
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
    struct registers;
    using saved = std::vector<std::uint64_t>;
    static const registers& registers_of(const platform_shape&);

    // With events that fixed counters count alone, there is one group of no events.
    std::size_t groups() const { return groups_.empty() ? 1 : groups_.size(); }
    std::size_t event_at(std::size_t group, std::size_t counter) const {
        return group < groups_.size() ? groups_[group][counter] : none;
    }
    void assign(std::size_t event);
    void select(std::size_t group);
    // Adds what the counters have counted in `part` of `whole` cycles.
    void add(std::size_t group, std::uint64_t part, std::uint64_t whole);
    void add(unsigned thread, std::size_t event, std::uint32_t counter, std::uint64_t part,
             std::uint64_t whole);
    void give_back();

    source_if& platform_;
    const registers& registers_;
    // The events that no fixed counter counts, by counter of each group.
    static constexpr std::size_t none = quantity_count;
    std::vector<std::vector<std::size_t>> groups_;
    platform_shape shape_;
    std::vector<saved> saved_;  // of each thread
    snapshot now_;              // with the counts so far
    bool taken_ = false;
};

}  // namespace knc::monitor

#endif
