// Random programs of one thread on the model's core in time and without: after the same number of
// instructions, registers and memory are the same.
//
// KNC_SEED: first seed; KNC_CASES: how many. Themes whose programs read time or counters are left
// out.
#include <cstdlib>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "comparison.h"

namespace knc::reference {
namespace {

bool independent_of_time(theme t) {
    return t == theme::pairs || t == theme::memory || t == theme::branches || t == theme::changes ||
           t == theme::vectors;
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
    constexpr std::uint64_t usual = 15;
#else
    constexpr std::uint64_t usual = 150;
#endif
    const std::uint64_t first = environment_number("KNC_SEED", 1 + GetParam() * 1'000'000);
    const std::uint64_t count = environment_number("KNC_CASES", usual);
    std::cout << "KNC_SEED=" << first << " KNC_CASES=" << count << '\n';
    std::vector<pair_of_models> all;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        program p = make_program(seed);
        if (!independent_of_time(p.about)) continue;
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
        if (const auto c = environment_number("KNC_CLOCKS", 0)) m.about.clocks = c;
        const std::string difference =
            compare_without_time(m.about, *m.timed, *m.functional, instructions);
        ASSERT_EQ(difference, "") << describe(m.about);
        compared += instructions != 0;
        sum += instructions;
        m.timed.reset();
        m.functional.reset();
    }
    std::cout << compared << " programs, " << sum << " instructions\n";
    // Half of the themes, and few programs end.
    EXPECT_GE(compared, count == usual ? count / 4 : 0);
}
INSTANTIATE_TEST_SUITE_P(part, functional, testing::Range(0u, 4u));

}  // namespace
}  // namespace knc::reference
