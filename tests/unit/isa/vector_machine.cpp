// Every instruction of the vector unit in every form, on the model and on the reference
// (vector_machine.h): all registers, the memory around the operand and the fault must be the same.
//
// KNC_CASES sets the number of cases of each form of each instruction, KNC_SEED the seed of the
// first; a failure prints the two that repeat it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vector_generator.h"
#include "vector_machine_cases.h"

namespace knc::isa::test {
namespace {

// 5.4 million in all.
constexpr std::uint64_t cases_of_a_form = 1700;
constexpr unsigned failures_shown = 3;

bool same(vm_model& model, vm_trial& t, std::uint64_t seed) {
    model.set(t.before);
    const status end = model.step(t.code);
    vm_state& expected = t.before;
    const vm_state saved = t.before;
    const vm_end expected_end = vm_execute(t.c, t.code.size, expected);
    const vm_end got = end == status::ok                   ? vm_end::done
                       : model.fault().vector == vector_ud ? vm_end::undefined
                                                           : vm_end::protection;
    const bool fault_right =
        got != vm_end::protection ||
        (end == status::fault && model.fault().vector == vector_gp && model.fault().error == 0);
    const std::string differences = model.differences(expected);
    if (got == expected_end && fault_right && differences.empty()) return true;
    t.before = saved;
    ADD_FAILURE() << vm_describe(t)
                  << fmt::format("ended {} (vector {} {}), expected {}\n", static_cast<int>(got),
                                 model.fault().vector, model.hardware().message,
                                 static_cast<int>(expected_end))
                  << differences << "KNC_SEED=" << seed << " KNC_CASES=1";
    return false;
}

void compare(vm_group group, std::uint64_t usual) {
    const std::uint64_t first = vector_first_seed(), cases = vector_cases(usual);
    vm_model model;
    vm_trial t;
    std::uint64_t done = 0;
    for (const vm_row& r : vm_rows()) {
        if (r.group != group) continue;
        unsigned failures = 0;
        for (const vm_variant& v : vm_variants(r))
            for (std::uint64_t n = 0; n < cases && failures < failures_shown; ++n, ++done) {
                vm_prepare(r, v, first + n, t);
                if (!same(model, t, first + n)) ++failures;
            }
    }
    testing::Test::RecordProperty("cases", static_cast<int>(done));
}

TEST(vector_machine, addition_and_multiplication) {
    compare(vm_group::add, cases_of_a_form);
}
TEST(vector_machine, multiply_add) {
    compare(vm_group::multiply_add, cases_of_a_form);
}
TEST(vector_machine, comparison_and_parts) {
    compare(vm_group::float_other, cases_of_a_form);
}
TEST(vector_machine, conversion) {
    compare(vm_group::convert, cases_of_a_form);
}
TEST(vector_machine, extended_mathematics) {
    compare(vm_group::extended, cases_of_a_form);
}
TEST(vector_machine, integers) {
    compare(vm_group::integer, cases_of_a_form);
}
TEST(vector_machine, logic_and_permutation) {
    compare(vm_group::logic, cases_of_a_form);
}
TEST(vector_machine, moves) {
    compare(vm_group::move, cases_of_a_form);
}
TEST(vector_machine, pack_and_unpack) {
    compare(vm_group::stream, cases_of_a_form);
}
TEST(vector_machine, gather_and_scatter) {
    compare(vm_group::indexed, cases_of_a_form);
}

}  // namespace
}  // namespace knc::isa::test
