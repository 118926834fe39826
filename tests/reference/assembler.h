// Machine code for random programs, 32-bit and 64-bit.
#ifndef KNC_TESTS_REFERENCE_ASSEMBLER_H
#define KNC_TESTS_REFERENCE_ASSEMBLER_H

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace knc::reference {

// A ModRM operand: a register, or memory at base + index * 2^scale + disp. Numbers of isa::gpr.
struct operand {
    static constexpr int none = -1, next_ip = -2;  // next_ip: 64-bit code only
    bool memory = false;
    unsigned reg = 0;
    int base = none, index = none;
    unsigned scale = 0;
    std::int32_t disp = 0;

    static operand in(unsigned reg) { return {false, reg}; }
    static operand at(std::uint32_t address) {
        return {true, 0, none, none, 0, static_cast<std::int32_t>(address)};
    }
    static operand at(int base, std::int32_t disp) { return {true, 0, base, none, 0, disp}; }
};

class assembler {
  public:
    // `is_wide`: 64-bit code. `origin`: what RIP is at the first byte.
    assembler(bool is_wide, std::uint64_t origin) : wide(is_wide), origin_(origin) {}

    const bool wide;
    std::vector<std::uint8_t> code;

    std::uint64_t here() const { return origin_ + code.size(); }

    void bytes(std::initializer_list<unsigned> all) {
        for (const unsigned b : all) code.push_back(static_cast<std::uint8_t>(b));
    }
    // The low `size` bytes of `v`.
    void number(std::uint64_t v, unsigned size) {
        for (unsigned n = 0; n < size; ++n) code.push_back(static_cast<std::uint8_t>(v >> 8 * n));
    }
    // An opcode with ModRM for operands of `size` bytes (1, 2, 4, 8; 0: neither prefix). For a size
    // of 1 `opcode` is that of the byte form.
    void op(unsigned size, std::initializer_list<unsigned> opcode, unsigned reg, const operand&);
    // An opcode whose low three bits are the register.
    void op_plus(unsigned size, std::initializer_list<unsigned> opcode, unsigned reg);
    // VEX.128 with two operands; `pp`: 0 none, 2 F3, 3 F2.
    void vex(unsigned pp, bool w, unsigned opcode, unsigned reg, const operand&);
    // MVEX: the opcode map, `pp` (1: 66, 2: F3, 3: F2), three registers, mask, EH and SSS. The
    // index of a gather is `second` and the operand's.
    struct mvex_prefix {
        unsigned map, pp, opcode;
        bool w = false;
    };
    void mvex(const mvex_prefix&, unsigned reg, unsigned second, unsigned mask, unsigned eh_sss,
              const operand&);
    // MOV of a constant below 4 GB.
    void load(unsigned reg, std::uint32_t value) {
        op_plus(4, {0xb8}, reg);
        number(value, 4);
    }

    // A relative branch with `size` 1 or 4 bytes of displacement; where it goes is said later.
    struct branch {
        std::size_t at;
        unsigned size;
    };
    branch jump(std::initializer_list<unsigned> opcode, unsigned size);
    // ... here, or to `target`. False: out of reach.
    bool bind(const branch&);
    bool bind(const branch&, std::uint64_t target);

  private:
    void modrm(unsigned reg, const operand&);

    std::uint64_t origin_;
};

}  // namespace knc::reference

#endif
