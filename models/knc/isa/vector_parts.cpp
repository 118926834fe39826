#include <knc/isa/vector_parts.h>

#include <algorithm>

#include <knc/isa/vector_integer.h>
#include <knc/isa/vector_round.h>

namespace knc::isa {

template <class Bits>
Bits vector_exponent(Bits v, vector_environment& e) {
    using f = vector_format<Bits>;
    if (vector_nan(v)) return vector_pass_nan(v, e);
    if (vector_infinite(v)) return f::infinity;
    v = vector_operand(v, e);
    if (vector_zero(v)) return vector_negated(f::infinity);
    return vector_from_integer<Bits>(vector_decode(v).exponent, 0, e);
}

template <class Bits>
Bits vector_significand(Bits v, unsigned immediate, vector_environment& e) {
    using f = vector_format<Bits>;
    const unsigned interval = immediate & 3;
    const bool absolute = (immediate & 4) != 0, positive = (immediate & 8) != 0;
    if (vector_nan(v)) return vector_pass_nan(v, e);
    if (positive && vector_negative(v)) return vector_invalid<Bits>(e);  // -0 too
    v = vector_operand(v, e);
    const bool negative = vector_negative(v) && !absolute;
    if (vector_zero(v) || vector_infinite(v)) return vector_signed(negative, vector_magnitude(v));
    const vector_exact<Bits> x = vector_decode(v);
    const Bits fraction =
        Bits(x.significand >> (f::wide_bits - 1 - f::fraction)) & f::fraction_mask;
    const bool halved = interval == 2 || (interval == 1 && (x.exponent & 1) != 0) ||
                        (interval == 3 && (fraction & f::quiet_bit) != 0);
    const auto biased = static_cast<Bits>(halved ? f::bias - 1 : f::bias);
    return vector_signed(negative, Bits(biased << f::fraction | fraction));
}

std::uint32_t vector_scale(std::uint32_t v, std::int32_t power, vector_environment& e) {
    if (vector_nan(v)) return vector_pass_nan(v, e);
    v = vector_operand(v, e);
    if (vector_zero(v) || vector_infinite(v)) return v;
    vector_exact<std::uint32_t> x = vector_decode(v);
    constexpr std::int32_t beyond = 1000;  // of any difference of float32 exponents
    x.exponent += std::clamp(power, -beyond, beyond);
    return vector_rounded(x, e);
}

template <class Bits>
Bits vector_fix_up(Bits destination, Bits value, std::uint32_t table, vector_environment& e) {
    using f = vector_format<Bits>;
    if (vector_nan(value)) return vector_pass_nan(value, e);
    value = vector_daz(value, e);
    const bool negative = vector_negative(value);
    // Three bits each for -infinity, negative, -0, +0, positive, +infinity.
    const unsigned distance = vector_zero(value) ? 0 : vector_infinite(value) ? 2 : 1;
    const unsigned field = negative ? 2 - distance : 3 + distance;
    switch (table >> 3 * field & 7) {
        case 0:
            return destination;
        case 1:
            return vector_signed(true, f::infinity);
        case 2:
            return f::sign_bit;
        case 3:
            return 0;
        case 4:
            return f::infinity;
        case 5:
            return f::default_nan;
        case 6:
            return f::largest;
        default:
            return vector_signed(true, f::largest);
    }
}

#define KNC_VECTOR_PARTS(Bits)                                             \
    template Bits vector_exponent(Bits, vector_environment&);              \
    template Bits vector_significand(Bits, unsigned, vector_environment&); \
    template Bits vector_fix_up(Bits, Bits, std::uint32_t, vector_environment&);
KNC_VECTOR_PARTS(std::uint32_t)
KNC_VECTOR_PARTS(std::uint64_t)
#undef KNC_VECTOR_PARTS

}  // namespace knc::isa
