// Random instructions of 64-bit and 32-bit code, with register and memory contents they can run on.
// What the manual leaves undefined is compared with Intel's processors only.
#ifndef KNC_TESTS_ISA_DIFFERENTIAL_GENERATOR_H
#define KNC_TESTS_ISA_DIFFERENTIAL_GENERATOR_H

#include <array>
#include <cstdint>
#include <random>
#include <string>

#include <Zydis/Zydis.h>

#include "differential_native.h"

namespace knc::isa::test {

struct test_case {
    std::array<std::uint8_t, 24> bytes{};
    unsigned size = 0;
    ZydisMnemonic mnemonic = ZYDIS_MNEMONIC_INVALID;
    native_state state;
    // Memory contents the case needs: all bytes `fill` (if not negative), then `patch` at
    // `patch_at` (if not 0).
    int fill = -1;
    std::uint64_t patch_at = 0;
    std::array<std::uint64_t, 2> patch{};
    std::uint64_t undefined_flags = 0;  // not to be compared
    std::string text;
};

class generator {
  public:
    generator(code_mode m, host h, std::uint64_t seed) : mode_(m), host_(h), random_(seed) {}
    test_case next();

  private:
    struct target;

    std::uint64_t any() { return random_(); }
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool chance(unsigned percent) { return below(100) < percent; }
    std::uint64_t value();
    std::uint64_t data_address(std::uint64_t alignment);

    void make_bytes(test_case&);
    void fill_registers(test_case&);
    bool aim(test_case&, const target&);
    bool aim_memory(test_case&, const target&, std::uint64_t& at);
    bool aim_bit_number(test_case&, const target&);
    bool aim_branch(test_case&, const target&, std::uint64_t memory_at);
    void aim_compare(test_case&, const target&, std::uint64_t memory_at);
    void aim_divide(test_case&, const target&);
    bool leave_open(test_case&, const target&) const;

    code_mode mode_;
    host host_;
    std::mt19937_64 random_;
};

}  // namespace knc::isa::test

#endif
