// Random programs of one thread on the model's core in time and without: after the same number of
// instructions, registers and memory are the same.
//
// KNC_SEED: first seed; KNC_CASES: how many. Programs that read time or counters are left out.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "comparison.h"
#include "layout.h"

namespace knc::reference {
namespace {

// RDTSC, RDMSR, RDPMC and RDTSCP, in the programs or in the handlers. What only looks like one of
// them is no loss.
bool reads_time(const std::vector<std::uint8_t>& code) {
    for (std::size_t n = 0; n + 2 < code.size(); ++n) {
        if (code[n] != 0x0f) continue;
        if (code[n + 1] >= 0x31 && code[n + 1] <= 0x33) return true;
        if (code[n + 1] == 0x01 && code[n + 2] == 0xf9) return true;
    }
    return false;
}

bool independent_of_time(const program& p) {
    if (p.about == theme::system || p.about == theme::events) return false;
    return std::none_of(p.memory.begin(), p.memory.end(), [](const auto& m) {
        return m.first >= layout::handlers && m.first < layout::stacks && reads_time(m.second);
    });
}

struct pair_of_models {
    program about;
    std::unique_ptr<model> timed, functional;
};

std::uint64_t environment_number(const char* name, std::uint64_t fallback) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 0) : fallback;
}

class functional : public testing::TestWithParam<unsigned> {};

TEST_P(functional, registers_and_memory_are_those_of_the_timed_run) {
#ifdef KNC_SANITIZED
    constexpr std::uint64_t usual = 60;
#else
    constexpr std::uint64_t usual = 600;
#endif
    const std::uint64_t first = environment_number("KNC_SEED", 1 + GetParam() * 1'000'000);
    const std::uint64_t count = environment_number("KNC_CASES", usual);
    std::cout << "KNC_SEED=" << first << " KNC_CASES=" << count << '\n';
    std::vector<pair_of_models> all;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        program p = make_program(seed);
        if (!independent_of_time(p)) continue;
        const auto make = [&](const char* name) {
            return std::make_unique<model>(fmt::format("{}{}", name, seed).c_str(), p.setting);
        };
        auto timed = make("timed"), without = make("functional");
        all.push_back({std::move(p), std::move(timed), std::move(without)});
    }
    for (auto& m : all) {
        m.timed->elaborate();
        m.functional->elaborate();
    }
    std::uint64_t compared = 0, sum = 0;
    for (auto& m : all) {
        SCOPED_TRACE(fmt::format("KNC_SEED={} KNC_CASES=1", m.about.seed));
        std::uint64_t instructions = 0;
        const std::string difference =
            compare_without_time(m.about, *m.timed, *m.functional, instructions);
        ASSERT_EQ(difference, "") << describe(m.about);
        compared += instructions != 0;
        sum += instructions;
        m.timed.reset();
        m.functional.reset();
    }
    std::cout << compared << " programs, " << sum << " instructions\n";
    // Themes that are left out, and programs that end early or read time.
    EXPECT_GE(compared, count == usual ? count / 8 : 0);
}
INSTANTIATE_TEST_SUITE_P(part, functional, testing::Range(0u, 4u));

}  // namespace
}  // namespace knc::reference
