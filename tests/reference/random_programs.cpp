// Random programs on the model's core and on the reference.
//
// KNC_SEED: first seed; KNC_CASES: how many. One case runs clock by clock first, and then says at
// which clock the two part.
#include <cstdlib>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <knc/pmu/event_table.h>

#include "comparison.h"

namespace knc::reference {
namespace {

std::uint64_t environment_number(const char* name, std::uint64_t fallback) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 0) : fallback;
}

// How far the model is let go at a time; fixed for a seed.
std::function<base::cycle_t()> windows_of(std::uint64_t seed) {
    const auto d = std::make_shared<dice>(seed ^ 0x3117'd035);
    switch (d->below(4)) {
        case 0:
            return [] { return base::cycle_t{1}; };
        case 1:
            return [] { return base::cycle_t{1} << 20; };
        case 2:
            return [d] { return base::cycle_t{d->between(1, 20)}; };
        default:
            return [d] { return base::cycle_t{d->between(1, 400)}; };
    }
}

struct totals {
    std::uint64_t programs = 0, instructions = 0;
    base::event_row events{};
};

void run(std::uint64_t seed, model& m, const std::function<base::cycle_t()>& window, totals& sum) {
    const program p = make_program(seed);
    const outcome o = compare(p, m, window);
    ++sum.programs;
    sum.instructions += o.instructions;
    for (unsigned e = 0; e < base::event_count; ++e) sum.events[e] += o.events[e];
    if (!o.difference.empty()) ADD_FAILURE() << describe(p) << o.difference;
}

// `part` of `parts`: each is a process of its own.
void compare_seeds(std::uint64_t part, std::uint64_t count) {
#ifdef KNC_SANITIZED
    count = (count + 9) / 10;
#endif
    const std::uint64_t first = environment_number("KNC_SEED", 1 + part * 1'000'000);
    count = environment_number("KNC_CASES", count);
    std::cout << "KNC_SEED=" << first << " KNC_CASES=" << count << '\n';
    const bool both = count == 1;
    // A SystemC kernel takes modules only before it starts.
    std::vector<std::unique_ptr<model>> models;
    for (std::uint64_t n = 0; n < count; ++n)
        for (unsigned k = 0; k < (both ? 2 : 1); ++k)
            models.push_back(std::make_unique<model>(fmt::format("m{}_{}", n, k).c_str(),
                                                     setting_of(first + n)));
    for (auto& m : models) m->elaborate();
    totals sum;
    for (std::uint64_t n = 0; n < count && !testing::Test::HasFailure(); ++n) {
        const std::uint64_t seed = first + n;
        SCOPED_TRACE(fmt::format("KNC_SEED={} KNC_CASES=1", seed));
        if (both) {
            run(
                seed, *models[1], [] { return base::cycle_t{1}; }, sum);
        }
        run(seed, *models[n], windows_of(seed), sum);
        models[n].reset();
    }
    std::cout << sum.programs << " programs, " << sum.instructions << " instructions\n";
    for (unsigned e = 0; e < base::event_count; ++e)
        if (sum.events[e] != 0)
            std::cout << "  " << pmu::info(static_cast<base::event>(e)).name << ' ' << sum.events[e]
                      << '\n';
}

class random_programs : public testing::TestWithParam<unsigned> {};

TEST_P(random_programs, model_and_reference_agree) {
    compare_seeds(GetParam(), 300);
}
INSTANTIATE_TEST_SUITE_P(part, random_programs, testing::Range(0u, 10u));

}  // namespace
}  // namespace knc::reference
