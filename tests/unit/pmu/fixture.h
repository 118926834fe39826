// A PMU with its ledger and a record of its PMIs, driven clock by clock.
#ifndef KNC_TESTS_UNIT_PMU_FIXTURE_H
#define KNC_TESTS_UNIT_PMU_FIXTURE_H

#include <cstdint>
#include <utility>
#include <vector>

#include <knc/base/bits.h>
#include <knc/pmu/counter_bank.h>
#include <knc/pmu/knc_front_end.h>

namespace pmu_test {

using namespace knc;
using base::cycle_t;

namespace msr {
inline constexpr std::uint32_t tsc = 0x10, cntr0 = 0x20, cntr1 = 0x21, evtsel0 = 0x28,
                               evtsel1 = 0x29, spflt = 0x2C, status = 0x2D, ovf = 0x2E, ctrl = 0x2F;
}

// Event-select fields, from table 1-5 of the guide.
inline constexpr std::uint64_t usr = 1u << 16, os = 1u << 17, edge = 1u << 18, intr = 1u << 20,
                               any = 1u << 21, en = 1u << 22, inv = 1u << 23;
constexpr std::uint64_t cmask(std::uint64_t n) {
    return n << 24;
}

// Event codes with their unit mask, as they stand in bits 15:0.
inline constexpr std::uint64_t instructions = 0x0016, unhalted = 0x002A, microcode = 0x002C,
                               vpu_elements = 0x2018, snoop_hit_l2 = 0x10E6, data_read = 0x0000;

inline constexpr std::uint64_t top = (std::uint64_t{1} << 40) - 1;  // highest counter value

struct pmi_record : pmu::pmi_listener_if {
    using entry = std::pair<std::size_t, cycle_t>;
    void overflowed(std::size_t thread, cycle_t now) override { seen.emplace_back(thread, now); }
    void model_error(const std::string& text) override { errors.push_back(text); }
    std::vector<entry> seen;
    std::vector<std::string> errors;
};
using pmis = std::vector<pmi_record::entry>;

// What settles in each clock hides the deadlines: for tests of these.
inline pmu::parameters unaudited() {
    pmu::parameters p;
    p.audit = false;
    return p;
}

struct bench {
    explicit bench(const pmu::parameters& p = {}) : registers(p), audit(p.audit) {
        registers.connect(counters, record);
    }

    base::ledger ledger;
    pmi_record record;
    pmu::knc_front_end registers;
    const bool audit;
    pmu::counter_bank counters{ledger, pmu::bounds_of_table(), registers.counters(), registers,
                               audit};

    // The clock that is running ends: all its events are in the ledger.
    void tick(cycle_t clocks = 1) { counters.settle(counters.settled() + clocks); }

    // Events of one clock.
    void raise(std::size_t thread, base::event e, std::uint64_t n = 1) {
        ledger.raise(thread, e, n);
        tick();
    }

    bool write(std::uint32_t address, std::uint64_t value, std::size_t thread = 0) {
        return registers.write(thread, address, value);
    }
    std::uint64_t read(std::uint32_t address, std::size_t thread = 0) {
        std::uint64_t value = ~std::uint64_t{0};
        registers.read(thread, address, value);
        return value;
    }
    // Counter N of `thread` starts at `value` and counts `select` (EN is added).
    void arm(std::uint64_t select, std::uint64_t value = 0, std::size_t thread = 0,
             unsigned n = 0) {
        write(msr::cntr0 + n, value, thread);
        write(msr::evtsel0 + n, select | en, thread);
        write(msr::ctrl, read(msr::ctrl, thread) | base::bit(n), thread);
    }
};

}  // namespace pmu_test

#endif
