#include <knc/isa/vector_integer.h>

#include <knc/isa/vector_round.h>

namespace knc::isa {
namespace {

constexpr std::uint64_t half = std::uint64_t{1} << 63;

struct rounded_integer {
    std::uint64_t magnitude = 0;
    bool inexact = false;
};

// A number below 2^63, of which the highest bit weighs 2^exponent.
template <class Bits>
rounded_integer to_magnitude(const vector_exact<Bits>& x, int exponent, vector_rounding r) {
    // A significand fits in the upper 64 bits.
    const auto s =
        static_cast<std::uint64_t>(x.significand >> (vector_format<Bits>::wide_bits - 64));
    rounded_integer i;
    std::uint64_t rest = 0;
    if (exponent >= 0) {
        i.magnitude = s >> (63 - exponent);
        rest = s << (exponent + 1);
    } else {
        rest = shift_right_jam(s, static_cast<unsigned>(-1 - exponent));
    }
    i.inexact = rest != 0;
    i.magnitude += vector_rounds_away(r, x.negative, (i.magnitude & 1) != 0, rest, half);
    return i;
}

}  // namespace

template <class Bits>
std::int64_t vector_to_integer(Bits v, unsigned adjust, std::int64_t lowest, std::int64_t highest,
                               vector_environment& e) {
    if (vector_nan(v)) {
        e.raise(mxcsr_ie);
        return 0;
    }
    v = vector_daz(v, e);
    if (vector_zero(v)) return 0;
    std::int64_t result = vector_negative(v) ? INT64_MIN : INT64_MAX;
    bool inexact = false;
    if (!vector_infinite(v)) {
        const vector_exact<Bits> x = vector_decode(v);
        const int exponent = x.exponent + static_cast<int>(adjust);
        if (exponent < 62) {
            const rounded_integer i = to_magnitude(x, exponent, e.rounding);
            const auto magnitude = static_cast<std::int64_t>(i.magnitude);
            result = x.negative ? -magnitude : magnitude;
            inexact = i.inexact;
        }
    }
    if (result < lowest || result > highest) {
        e.raise(mxcsr_ie);
        return result < lowest ? lowest : highest;
    }
    if (inexact) e.raise(mxcsr_pe);
    return result;
}

template <class Bits>
Bits vector_from_integer(std::int64_t v, unsigned adjust, vector_environment& e) {
    using f = vector_format<Bits>;
    if (v == 0) return 0;
    const auto magnitude = static_cast<std::uint64_t>(v);
    const vector_exact<Bits> x = {
        v < 0, f::wide_bits - 1 - static_cast<int>(adjust),
        typename f::wide{v < 0 ? std::uint64_t{0} - magnitude : magnitude}};
    return vector_rounded(vector_normalized(x), e);
}

template <class Bits>
Bits vector_round_to_fixed(Bits v, unsigned adjust, vector_environment& e) {
    using f = vector_format<Bits>;
    if (vector_nan(v)) return vector_pass_nan(v, e);
    v = vector_daz(v, e);
    if (vector_zero(v) || vector_infinite(v)) return v;
    const vector_exact<Bits> x = vector_decode(v);
    const int exponent = x.exponent + static_cast<int>(adjust);
    if (exponent >= f::fraction) return v;
    const rounded_integer i = to_magnitude(x, exponent, e.rounding);
    if (i.inexact) e.raise(mxcsr_pe);
    const auto magnitude = static_cast<std::int64_t>(i.magnitude);
    const Bits rounded = vector_from_integer<Bits>(magnitude, adjust, e);
    return vector_signed(x.negative, rounded);
}

#define KNC_VECTOR_INTEGER(Bits)                                                        \
    template std::int64_t vector_to_integer(Bits, unsigned, std::int64_t, std::int64_t, \
                                            vector_environment&);                       \
    template Bits vector_from_integer(std::int64_t, unsigned, vector_environment&);     \
    template Bits vector_round_to_fixed(Bits, unsigned, vector_environment&);
KNC_VECTOR_INTEGER(std::uint32_t)
KNC_VECTOR_INTEGER(std::uint64_t)
#undef KNC_VECTOR_INTEGER

}  // namespace knc::isa
