// Random numbers and random code of one case, all from its seed.
#ifndef KNC_TESTS_FUZZ_SOURCE_H
#define KNC_TESTS_FUZZ_SOURCE_H

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include <knc/isa/state.h>

namespace knc::isa::test {

class source {
  public:
    // `p`: whose instructions are to be frequent; knc and compat have the same ones.
    explicit source(std::uint64_t seed, profile p = profile::compat) : random_(seed), profile_(p) {}

    std::uint64_t any() { return random_(); }
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool chance(unsigned percent) { return below(100) < percent; }
    // Addresses around and in a megabyte of memory, small numbers, borders of sizes, any number.
    std::uint64_t value();
    // Contents of vector and mask registers: numbers of all kinds, small offsets of elements.
    void vectors(vector_state&);

    // An instruction: one of the table of instructions with other operands, one damaged, or any
    // bytes. At most 15. In 64-bit code often one of the vector unit.
    std::vector<std::uint8_t> instruction(code_mode);
    // At least `size` bytes of them.
    std::vector<std::uint8_t> code(code_mode, std::size_t size);

  private:
    // An MVEX encoding of the table, with registers, mask, conversion and address of its own.
    std::vector<std::uint8_t> vector_instruction();
    std::uint8_t byte() { return static_cast<std::uint8_t>(random_()); }
    std::mt19937_64 random_;
    const profile profile_;
};

// The seeds of a test's cases. KNC_CASES sets their number (default `cases`, a tenth of it in a
// sanitized build), KNC_SEED the first. Prints both.
struct seed_range {
    std::uint64_t first, count;
};
seed_range seeds_of(std::uint64_t cases);

// Runs `one` with a source of its own for each case. Stops at the first case with a failure and
// names its seed.
void each_case(std::uint64_t cases, const std::function<void(source&)>& one,
               profile p = profile::compat);

}  // namespace knc::isa::test

#endif
