// Random code on a thread in random state, in every mode.
#include <gtest/gtest.h>

#include "stepper.h"

namespace knc::isa::test {
namespace {

class executor : public testing::TestWithParam<world> {};

void fuzz(profile p, world w) {
    stepper thread(p);
    each_case(
        15'000,
        [&](source& s) {
            thread.prepare(w, s);
            thread.run(s, 60);
        },
        p);
}

TEST_P(executor, profile_knc) {
    fuzz(profile::knc, GetParam());
}
TEST_P(executor, profile_compat) {
    fuzz(profile::compat, GetParam());
}

INSTANTIATE_TEST_SUITE_P(mode, executor, testing::ValuesIn(all_worlds), name_of);

// A Pentium has neither PAE nor long mode.
class pentium : public testing::TestWithParam<world> {};

TEST_P(pentium, profile_p55c) {
    fuzz(profile::p55c, GetParam());
}

INSTANTIATE_TEST_SUITE_P(mode, pentium,
                         testing::Values(world::real, world::protected16, world::protected32,
                                         world::paged32),
                         name_of);

}  // namespace
}  // namespace knc::isa::test
