// All kernels under a debugger that is asked before each instruction: their clocks and events are
// the same, and it is asked for each attempt of each instruction, once.
#include "harness.h"

#include <set>

#include <knc/core/debugger.h>

namespace knc::kernels {
namespace {

// What the core has asked, and what is wrong with it.
class recorder final : public core::debugger_if {
  public:
    explicit recorder(machine& m) : cpu_(m.unit.cpu()) {
        cpu_.attach(*this);
        cpu_.watch(0, true);
    }

    void before_instruction(std::uint16_t core, unsigned thread, core::issue_place place) override {
        EXPECT_EQ(core, 0);
        EXPECT_EQ(thread, 0u);
        const std::uint64_t instruction = cpu_.instructions(0);
        // An attempt that waits comes again in a later clock; U and V have attempts of their own.
        const call now{cpu_.now(), place, instruction};
        EXPECT_TRUE(calls_.empty() || !(calls_.back() == now)) << "asked twice at " << now.at;
        if (!calls_.empty() && place == core::issue_place::first) {
            EXPECT_LT(calls_.back().at, now.at) << "U and what follows it, in one clock";
        }
        if (place == core::issue_place::second) {
            // The instruction in U has just retired.
            EXPECT_EQ(calls_.back().at, now.at);
            EXPECT_EQ(calls_.back().instruction + 1, instruction);
            ++in_v_;
        }
        asked_.insert(instruction);
        calls_.push_back(now);
    }

    // Each of the instructions that have retired was asked for.
    void check(const std::string& name, std::uint64_t v_pipe) const {
        const std::uint64_t retired = cpu_.instructions(0);
        std::uint64_t missed = 0;
        for (std::uint64_t n = 0; n < retired; ++n) missed += asked_.count(n) == 0;
        EXPECT_EQ(missed, 0u) << name << ": of " << retired << " instructions";
        // What is tried in V, and faults or waits there, issues in U later, as a new attempt.
        std::uint64_t again = 0;
        for (std::size_t n = 0; n + 1 < calls_.size(); ++n)
            again += calls_[n].place == core::issue_place::second &&
                     calls_[n + 1].instruction == calls_[n].instruction;
        EXPECT_EQ(in_v_, v_pipe + again) << name;
    }

  private:
    struct call {
        base::cycle_t at;
        core::issue_place place;
        std::uint64_t instruction;  // retired before it
        bool operator==(const call& o) const {
            return at == o.at && place == o.place && instruction == o.instruction;
        }
    };
    core::core& cpu_;
    std::vector<call> calls_;
    std::set<std::uint64_t> asked_;
    std::uint64_t in_v_ = 0;
};

class debugged : public testing::TestWithParam<std::string> {};

TEST_P(debugged, kernels_take_the_same_clocks_and_each_attempt_is_asked_for_once) {
    std::vector<std::pair<const kernel*, std::unique_ptr<machine>>> runs;
    for (const kernel* k : kernel::all())
        if (k->suite() == GetParam()) runs.emplace_back(k, k->make_machine());
    for (const auto& [k, m] : runs) m->elaborate();
    for (const auto& [k, m] : runs) {
        recorder r{*m};
        k->compare(k->measure(*m));
        r.check(k->name(), m->events(0)[base::instructions_executed_v_pipe]);
    }
}

std::vector<std::string> suites() {
    std::set<std::string> names;
    for (const kernel* k : kernel::all()) names.insert(k->suite());
    return {names.begin(), names.end()};
}

INSTANTIATE_TEST_SUITE_P(suite, debugged, testing::ValuesIn(suites()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace knc::kernels
