// Random x87 instructions with an environment, registers and an operand in memory for them.
#ifndef KNC_TESTS_ISA_X87_GENERATOR_H
#define KNC_TESTS_ISA_X87_GENERATOR_H

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <Zydis/Zydis.h>

#include <knc/isa/state.h>
#include <knc/isa/x87_image.h>

namespace knc::isa::test {

struct x87_case {
    code_mode mode = code_mode::bits64;
    std::vector<std::uint8_t> bytes;  // of the instruction; its memory operand is at [RDX]
    ZydisMnemonic mnemonic = ZYDIS_MNEMONIC_INVALID;
    std::array<std::uint8_t, x87_largest_image> image{};  // for FRSTOR, before
    std::array<std::uint8_t, fxsave_size> operand{};
    std::uint64_t flags = 0;  // RFLAGS before
    std::string text;
};

class x87_generator {
  public:
    x87_generator(code_mode m, std::uint64_t seed) : mode_(m), random_(seed) {}
    x87_case next();

    // A number, NaN or unsupported encoding, mostly one that matters.
    x87_register value();

  private:
    std::uint64_t any() { return random_(); }
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool chance(unsigned percent) { return below(100) < percent; }

    std::uint64_t significand();
    std::uint16_t exponent();
    x87_register close_to(x87_register);
    std::uint64_t ieee(unsigned fraction, unsigned width);
    x87_state state(bool pending);
    bool make_bytes(x87_case&, ZydisDecodedInstruction&, ZydisDecodedOperand&);
    void make_operand(x87_case&, unsigned bytes);

    code_mode mode_;
    std::mt19937_64 random_;
};

}  // namespace knc::isa::test

#endif
