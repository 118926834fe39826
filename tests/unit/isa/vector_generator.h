// Operands for tests of the vector unit: numbers that matter and random ones.
//
// Every case has a seed of its own: KNC_SEED is that of the first, KNC_CASES their number.
#ifndef KNC_TESTS_ISA_VECTOR_GENERATOR_H
#define KNC_TESTS_ISA_VECTOR_GENERATOR_H

#include <cstdint>
#include <vector>

#include <knc/isa/vector_environment.h>
#include <support/environment_number.h>

#include "vector_reference.h"

namespace knc::isa::test {

inline std::uint64_t vector_first_seed() {
    return knc::test::environment_number("KNC_SEED", 1);
}
inline std::uint64_t vector_cases(std::uint64_t usual) {
#ifdef KNC_SANITIZED
    usual /= 10;
#endif
    return knc::test::environment_number("KNC_CASES", usual);
}

// Zeros, extremes, powers of two and their neighbours, infinities, NaNs, with both signs.
std::vector<std::uint64_t> vector_special_values(const reference_format&);

class vector_generator {
  public:
    vector_generator(const reference_format& f, std::uint64_t seed) : f_(f), state_(seed) {}

    std::uint64_t any();
    unsigned below(unsigned n) { return static_cast<unsigned>(any() >> 33) % n; }
    // Mostly a number that is close to, far from or exactly like the last ones.
    std::uint64_t operand();
    reference_mode mode();

  private:
    std::uint64_t fraction();

    reference_format f_;
    std::uint64_t state_, last_ = 0;
};

inline vector_environment vector_environment_of(const reference_mode& m) {
    return {static_cast<vector_rounding>(m.rounding), m.daz, m.fz, 0};
}

}  // namespace knc::isa::test

#endif
