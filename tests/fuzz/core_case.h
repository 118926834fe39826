// A tile whose threads execute random code: in 32-bit protected mode, in long mode at ring 0 and 3,
// and in real mode, with descriptor tables, an IDT into the code, and a bus between the local
// APICs. A Pentium has one thread, and no long mode. Counters of PMUs other than Knights Corner's
// count something from the start.
#ifndef KNC_TESTS_FUZZ_CORE_CASE_H
#define KNC_TESTS_FUZZ_CORE_CASE_H

#include <string>

#include <knc/card/interrupt_fabric.h>
#include <unit/card/no_io_apic.h>
#include <unit/card/rig.h>

#include "source.h"

namespace knc::card::test {

class core_case : public rig {
  public:
    core_case(const char* name, const parameters&);
    std::size_t threads() const { return unit.thread_count(); }
    bool is_pentium() const { return profile_ == isa::profile::p55c; }

    // Random memory and threads. The same seed makes the same machine.
    void prepare(std::uint64_t seed);
    // Lets `clocks` pass in stretches of at most `stretch()` clocks; devices answer after a fixed
    // latency.
    void pass(base::cycle_t clocks, const std::function<base::cycle_t()>& stretch);

    void unsupported(const std::string& text) override { stops.push_back(text); }

    std::vector<std::string> stops;
    std::uint64_t accesses = 0;  // of devices

  private:
    void put_tables(isa::test::source&, bool long_mode);
    void put_frame(isa::test::source&, std::uint32_t thread, bool long_mode);
    void start_thread(isa::test::source&, std::uint32_t thread, bool long_mode);
    void start_real(std::size_t thread);
    void start_counters(isa::test::source&, std::uint32_t thread);
    std::uint64_t useful(isa::test::source&, bool long_mode) const;
    template <class T>
    void put(std::uint32_t at, T v) {
        std::memcpy(memory.data() + at, &v, sizeof v);
    }

    const isa::profile profile_;
    const pmu::front_end_kind registers_;
    interrupt_fabric fabric_;
    no_io_apic io_apic_;
};

}  // namespace knc::card::test

#endif
