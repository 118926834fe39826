// Random instructions on the host processor and on the model: registers, memory, flags and faults
// must be the same. On processors that are not Intel's, what the manual leaves undefined is not
// compared.
//
// Four million cases in eight tests that can run at the same time. KNC_CASES sets the number of
// cases of each, KNC_SEED the seed of the first; a failure prints both for its repetition by part
// 0.
#include <cstring>
#include <iostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <support/environment_number.h>

#include "differential_generator.h"
#include "differential_native.h"
#include "int_machine.h"

namespace knc::isa::test {
namespace {

using knc::test::environment_number;

#ifdef KNC_SANITIZED
constexpr std::uint64_t cases_per_part = 25'000;
#else
constexpr std::uint64_t cases_per_part = 500'000;
#endif

// The model with the native region's data mirrored.
class model {
  public:
    model(code_mode m, const std::vector<std::uint8_t>& data)
        : memory(data), machine_(m, profile::compat) {
        machine_.add_ram(native_processor::data, memory);
        machine_.user(3);
    }
    outcome run(const test_case& t, native_state& state) {
        context& c = machine_.c;
        std::copy(state.r.begin(), state.r.end(), c.s.r.begin());
        c.s.set_rflags(state.flags);
        c.s.r[rip] = native_processor::instruction;
        const status s = machine_.run(t.bytes.data(), t.size);
        std::copy_n(c.s.r.begin(), state.r.size(), state.r.begin());
        state.flags = c.s.rflags();
        if (s != status::ok)
            return c.fault.vector == vector_de   ? outcome::divide_error
                   : c.fault.vector == vector_ud ? outcome::undefined
                                                 : outcome::other_fault;
        const std::uint64_t ip = c.s.r[rip];
        if (ip == native_processor::branch_target) return outcome::target;
        return ip == native_processor::instruction + t.size ? outcome::next : outcome::other_fault;
    }
    std::vector<std::uint8_t> memory;

  private:
    int_machine machine_;
};

void prepare(const test_case& t, std::uint8_t* data) {
    if (t.fill >= 0) std::memset(data, t.fill, native_processor::data_size);
    if (t.patch_at != 0)
        std::memcpy(data + (t.patch_at - native_processor::data), t.patch.data(), sizeof t.patch);
}

std::string describe(const test_case& t, const native_state& native, const native_state& model) {
    std::string text = t.text + " [";
    for (unsigned n = 0; n < t.size; ++n) text += fmt::format("{:02x} ", t.bytes[n]);
    text += fmt::format("]\nflags before {:#x}, native {:#x}, model {:#x}\n", t.state.flags,
                        native.flags, model.flags);
    for (unsigned n = 0; n < native.r.size(); ++n)
        if (native.r[n] != model.r[n] || t.state.r[n] != native.r[n])
            text += fmt::format("r{}: before {:#x}, native {:#x}, model {:#x}\n", n, t.state.r[n],
                                native.r[n], model.r[n]);
    return text;
}

void compare(code_mode m, unsigned part) {
    native_processor native;
    const host compared_with = host_processor();
    if (!native.available()) GTEST_SKIP() << "the address of the region is taken";
    if (!native.runs(m)) GTEST_SKIP() << "this host does not run such code";
    const std::uint64_t cases = environment_number("KNC_CASES", cases_per_part);
    const std::uint64_t first = environment_number("KNC_SEED", 1) + part * cases;
    std::cout << "KNC_SEED=" << first << " KNC_CASES=" << cases << '\n';
    std::vector<std::uint8_t> data(native_processor::data_size);
    std::mt19937_64 random(first);
    for (std::uint8_t& b : data) b = static_cast<std::uint8_t>(random());
    std::memcpy(native.memory(), data.data(), data.size());
    model simulated(m, data);

    unsigned failures = 0;
    for (std::uint64_t seed = first; seed < first + cases && failures < 40; ++seed) {
        const test_case t = generator(m, compared_with, seed).next();
        prepare(t, native.memory());
        prepare(t, simulated.memory.data());
        native_state expected = t.state, actual = t.state;
        const outcome how = native.run(m, t.bytes.data(), t.size, expected);
        const outcome model_how = simulated.run(t, actual);
        const bool same_memory =
            std::memcmp(native.memory(), simulated.memory.data(), simulated.memory.size()) == 0;
        if (how != model_how || expected.r != actual.r || !same_memory ||
            ((expected.flags ^ actual.flags) & ~t.undefined_flags) != 0) {
            ++failures;
            ADD_FAILURE() << "KNC_SEED=" << seed
                          << " KNC_CASES=1: " << describe(t, expected, actual) << "ended native "
                          << int(how) << " model " << int(model_how)
                          << (same_memory ? "" : ", memory differs");
            std::memcpy(simulated.memory.data(), native.memory(), simulated.memory.size());
        }
    }
}

class differential : public testing::TestWithParam<unsigned> {};

TEST_P(differential, code64) {
    compare(code_mode::bits64, GetParam());
}
TEST_P(differential, code32) {
    compare(code_mode::bits32, GetParam());
}
INSTANTIATE_TEST_SUITE_P(part, differential, testing::Range(0u, 4u));

}  // namespace
}  // namespace knc::isa::test
