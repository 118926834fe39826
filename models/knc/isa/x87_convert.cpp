#include <knc/isa/x87_convert.h>

#include <cstring>

#include <knc/isa/x87_round.h>

namespace knc::isa {
namespace {

constexpr std::uint64_t largest_decimal = 999'999'999'999'999'999;
constexpr unsigned decimal_bytes = 9;  // of two digits; the next byte has the sign

x87_stored stored(std::uint64_t v, unsigned flags) {
    x87_stored s;
    std::memcpy(s.bytes.data(), &v, sizeof v);
    s.flags = flags;
    return s;
}

// Layout of a format with hidden integer bit.
struct layout {
    x87_format format;
    unsigned fraction, width;  // bits of fraction and exponent

    std::uint64_t pack(bool negative, std::uint64_t exponent, std::uint64_t significand) const {
        const std::uint64_t sign = negative ? 1 : 0;
        const std::uint64_t tail = significand << 1 >> (64 - fraction);
        return sign << (fraction + width) | exponent << fraction | tail;
    }
    std::uint64_t special_exponent() const { return (std::uint64_t{1} << width) - 1; }
};

x87_stored to_real(const layout& to, const x87_operand& a, unsigned control) {
    if (a.zero()) return stored(to.pack(a.negative, 0, 0), 0);
    if (a.number()) {
        const x87_rounded r = x87_round(x87_exact(a), to.format, control, 0);
        if (r.infinite) return stored(to.pack(a.negative, to.special_exponent(), 0), r.flags);
        const bool denormal = (r.significand & x87_integer_bit) == 0;
        const int biased = denormal ? 0 : r.exponent + to.format.max_exponent;
        return stored(to.pack(a.negative, static_cast<std::uint64_t>(biased), r.significand),
                      r.flags);
    }
    if (a.infinite()) return stored(to.pack(a.negative, to.special_exponent(), 0), 0);
    x87_result nan;
    x87_decided(a, nan);
    return stored(to.pack(nan.value.negative(), to.special_exponent(), nan.value.significand),
                  nan.flags);
}

}  // namespace

x87_stored x87_to_single(const x87_operand& a, unsigned control) {
    return to_real({x87_single, 23, 8}, a, control);
}
x87_stored x87_to_double(const x87_operand& a, unsigned control) {
    return to_real({x87_double, 52, 11}, a, control);
}

x87_stored x87_to_integer(const x87_operand& a, unsigned bytes, unsigned control) {
    const std::uint64_t indefinite = std::uint64_t{1} << (8 * bytes - 1);
    const bool finite = a.zero() || a.number();
    const x87_integer i =
        finite ? x87_round_to_integer(a, x87_rounding(control)) : x87_integer{true, 0, 0};
    const std::uint64_t largest = indefinite - (a.negative ? 0 : 1);
    if (i.overflow || i.magnitude > largest) return stored(indefinite, x87_ie);
    return stored(a.negative ? 0 - i.magnitude : i.magnitude, i.flags);
}

x87_stored x87_to_decimal(const x87_operand& a, unsigned control) {
    const bool finite = a.zero() || a.number();
    const x87_integer i =
        finite ? x87_round_to_integer(a, x87_rounding(control)) : x87_integer{true, 0, 0};
    x87_stored s;
    if (i.overflow || i.magnitude > largest_decimal) {
        s.bytes = {0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0xff};
        s.flags = x87_ie;
        return s;
    }
    std::uint64_t rest = i.magnitude;
    for (unsigned n = 0; n < decimal_bytes; ++n) {
        s.bytes[n] = static_cast<std::uint8_t>(rest % 10 | rest / 10 % 10 << 4);
        rest /= 100;
    }
    s.bytes[decimal_bytes] = a.negative ? 0x80 : 0;
    s.flags = i.flags;
    return s;
}

x87_stored x87_to_extended(const x87_register& r) {
    x87_stored s = stored(r.significand, 0);
    std::memcpy(&s.bytes[8], &r.sign_exponent, sizeof r.sign_exponent);
    return s;
}

x87_register x87_from_extended(const std::uint8_t* bytes) {
    x87_register r;
    std::memcpy(&r.significand, bytes, sizeof r.significand);
    std::memcpy(&r.sign_exponent, bytes + 8, sizeof r.sign_exponent);
    return r;
}

x87_operand x87_from_decimal(const std::uint8_t* bytes) {
    std::uint64_t v = 0;
    for (unsigned n = decimal_bytes; n-- > 0;)
        v = (v * 10 + (bytes[n] >> 4)) * 10 + (bytes[n] & 15);
    return x87_from_magnitude((bytes[decimal_bytes] & 0x80) != 0, v);
}

}  // namespace knc::isa
