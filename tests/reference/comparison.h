// The model's core and the reference on one program.
#ifndef KNC_TESTS_REFERENCE_COMPARISON_H
#define KNC_TESTS_REFERENCE_COMPARISON_H

#include <functional>
#include <string>

#include <knc/card/interrupt_fabric.h>
#include <unit/card/no_io_apic.h>
#include <unit/card/rig.h>

#include "machine.h"
#include "program.h"

namespace knc::reference {

// The model: a tile with a bus between its local APICs.
class model : public card::test::rig {
  public:
    model(const char* name, const card::parameters&);

    void unsupported(const std::string&) override {}

  private:
    card::interrupt_fabric fabric_;
    card::test::no_io_apic io_apic_;
};

struct outcome {
    std::string difference;  // empty: none
    std::uint64_t instructions = 0;
    base::event_row events{};  // of all threads
};

// Runs the program on `m`, which nothing has run on, in stretches of `window()` clocks, and on a
// reference of its own, and compares them behind each stretch.
outcome compare(const program&, model& m, const std::function<base::cycle_t()>& window);

// Runs thread 0 of the program, without interrupts and counters, on `timed` and then as many
// instructions on `functional`, which executes without time. Returns the differences; empty: none.
// `instructions` receives their number.
std::string compare_without_time(const program&, model& timed, model& functional,
                                 std::uint64_t& instructions);

// What the seed has made.
std::string describe(const program&);

}  // namespace knc::reference

#endif
