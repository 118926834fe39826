// The PMU of a core, after docs/pmu.md, looked at in every clock.
#ifndef KNC_TESTS_REFERENCE_COUNTERS_H
#define KNC_TESTS_REFERENCE_COUNTERS_H

#include <array>
#include <cstdint>
#include <vector>

#include <knc/base/event.h>

namespace knc::reference {

using event_counts = std::array<std::array<base::event_row, 2>, base::threads_per_core>;

class counters {
  public:
    // RDMSR, WRMSR, RDPMC, SPFLT of `thread`; false: #GP.
    static bool readable(std::uint32_t msr);
    static bool writable(std::uint32_t msr, std::uint64_t value);
    std::uint64_t read(std::size_t thread, std::uint32_t msr) const;
    void write(std::size_t thread, std::uint32_t msr, std::uint64_t value);
    std::uint64_t rdpmc(std::size_t thread, std::uint32_t index) const {
        return banks_[thread].value[index];
    }
    void spflt(std::size_t thread, bool on);

    // A clock is over: all events so far, the level each thread is at, and the thread in the
    // execution stage. PMIs go to pmis().
    void clock(const event_counts& all, const std::array<base::privilege, 4>& at,
               std::size_t execution_stage);
    // Threads whose PMI line rose since the last call.
    std::vector<std::size_t> pmis();

    struct bank {
        std::array<std::uint64_t, 2> value{}, select{};
        std::uint64_t spflt = 0, global = 0, status = 0;
        std::array<bool, 2> met_before{};
        std::array<std::uint64_t, 2> overflows{};
        bool level = false, line = false;
    };
    const bank& state(std::size_t thread) const { return banks_[thread]; }

    std::uint64_t tsc = 0;  // clocks, moved by writes

  private:
    bool enabled(const bank& b, unsigned n) const;
    std::uint64_t events(std::size_t thread, std::uint64_t select, const event_counts& all) const;
    void drive_lines(const std::array<std::size_t, 4>& target);

    std::array<bank, base::threads_per_core> banks_;
    event_counts before_{};
    std::vector<std::size_t> pmis_;
};

}  // namespace knc::reference

#endif
