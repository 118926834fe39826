// Operands and results of x87 arithmetic.
//
// Models: the kind of the bits in a register or of a number in memory and, if it is finite, sign,
// exponent and significand; the NaN that an operation results in.
// Source: Intel SDM vol. 1, chapters 4.8 and 8.5, table 4-7.
#ifndef KNC_ISA_X87_OPERAND_H
#define KNC_ISA_X87_OPERAND_H

#include <cstdint>

#include <knc/isa/x87_state.h>

namespace knc::isa {

enum class x87_kind : std::uint8_t {
    zero,
    normal,
    denormal,  // of the format it came from; pseudo-denormals too
    infinity,
    quiet_nan,
    signaling_nan,
    unsupported  // unnormal, pseudo-NaN, pseudo-infinity
};

struct x87_operand {
    x87_kind kind = x87_kind::zero;
    bool negative = false;
    int exponent = 0;               // normal and denormal: of bit 63 of the significand
    std::uint64_t significand = 0;  // normal and denormal: bit 63 is 1; NaN: as in a register

    bool nan() const { return kind == x87_kind::quiet_nan || kind == x87_kind::signaling_nan; }
    // Neither zero nor special.
    bool number() const { return kind == x87_kind::normal || kind == x87_kind::denormal; }
    bool zero() const { return kind == x87_kind::zero; }
    bool infinite() const { return kind == x87_kind::infinity; }
};

x87_operand x87_decode(const x87_register&);
x87_operand x87_from_real(std::uint32_t bits);  // single precision
x87_operand x87_from_real(std::uint64_t bits);  // double precision
x87_operand x87_from_integer(std::int64_t);
x87_operand x87_from_magnitude(bool negative, std::uint64_t);
// The register that holds the operand, a NaN as it is.
x87_register x87_encode(const x87_operand&);

inline constexpr int x87_bias = 16383;
inline constexpr std::uint64_t x87_integer_bit = std::uint64_t{1} << 63,
                               x87_quiet_bit = std::uint64_t{1} << 62;

constexpr x87_register x87_make(bool negative, unsigned biased_exponent,
                                std::uint64_t significand) {
    x87_register r;
    r.significand = significand;
    r.sign_exponent = static_cast<std::uint16_t>((negative ? 0x8000u : 0u) | biased_exponent);
    return r;
}
constexpr x87_register x87_zero(bool negative) {
    return x87_make(negative, 0, 0);
}
constexpr x87_register x87_infinity(bool negative) {
    return x87_make(negative, 0x7fff, x87_integer_bit);
}
inline constexpr x87_register x87_one = x87_make(false, x87_bias, x87_integer_bit);
// The NaN of a masked invalid operation.
inline constexpr x87_register x87_indefinite =
    x87_make(true, 0x7fff, x87_integer_bit | x87_quiet_bit);

// The result of an operation: its value and the bits it sets in the status word (exceptions, C1 and
// other condition codes). The instruction delivers the value unless x87_stops().
struct x87_result {
    x87_register value;
    unsigned flags = 0;
};
inline constexpr x87_result x87_invalid = {x87_indefinite, x87_ie};

// Whether exceptions `flags` under control word `control` end an operation before it has a result.
constexpr bool x87_stops(unsigned flags, unsigned control) {
    return (flags & ~control & (x87_ie | x87_de | x87_ze)) != 0;
}
inline unsigned x87_denormal(const x87_operand& a) {
    return a.kind == x87_kind::denormal ? x87_de : 0;
}

// Whether unsupported operands or NaNs alone decide the result.
bool x87_decided(const x87_operand& a, x87_result&);
bool x87_decided(const x87_operand& a, const x87_operand& b, x87_result&);

}  // namespace knc::isa

#endif
