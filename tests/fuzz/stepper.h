// A thread with random state that fetches, decodes, executes and takes events as the core does,
// and is checked after each step.
#ifndef KNC_TESTS_FUZZ_STEPPER_H
#define KNC_TESTS_FUZZ_STEPPER_H

#include <string>

#include <gtest/gtest.h>

#include <knc/isa/decoder.h>
#include <knc/isa/event_delivery.h>

#include "flat_machine.h"
#include "source.h"

namespace knc::isa::test {

// Of a test that is repeated in each.
std::string name_of(const testing::TestParamInfo<world>&);

class stepper {
  public:
    explicit stepper(profile p) : machine(p), edge_(0x1000) {}

    // Random registers, segments, tables, memory and code. The random damage to tables reaches the
    // page tables if `damages_pages`.
    void prepare(world, source&, bool damages_pages = true);
    // At most `steps` instructions and events; false: it ended early, with a shutdown or an
    // instruction that is not executed.
    bool run(source&, unsigned steps);

    flat_machine machine;

  private:
    void randomize_registers(source&);
    void randomize_x87(source&);
    void randomize_system(source&);
    void randomize_memory(source&, bool damages_pages);
    bool step(source&);
    bool take(event_kind, const fault&, std::uint64_t next_ip);
    status execute_next(std::uint64_t ip);
    void check_unchanged(const state& before, const insn&);
    void check();

    knc::test::guarded_memory edge_;  // instruction bytes, against its end
    bool left_protected_mode_ = false;
};

}  // namespace knc::isa::test

#endif
