#include <knc/isa/vector_approximate.h>

#include <array>
#include <cmath>

#include <knc/isa/vector_round.h>

namespace knc::isa {
namespace {

using format = vector_format<std::uint32_t>;
using exact = vector_exact<std::uint32_t>;

// To nearest, tiny results to zero; the flags go nowhere.
std::uint32_t deliver(const exact& x) {
    vector_environment e;
    e.fz = true;
    return vector_rounded(vector_normalized(x), e);
}

// Infinity, as the quotient by zero is.
std::uint32_t pole(bool negative, vector_environment& e) {
    e.raise(mxcsr_ze);
    return vector_signed(negative, format::infinity);
}
bool no_operand(std::uint32_t v) {
    return vector_zero(v) || vector_denormal(v);
}

constexpr int fraction = format::fraction;

// The significand as an integer of 24 bits.
std::uint64_t integer_significand(const exact& x) {
    return x.significand >> (63 - fraction);
}

constexpr std::uint64_t square_root(uint128 v) {
    std::uint64_t root = 0;
    for (int n = 63; n >= 0; --n) {
        const std::uint64_t more = root | std::uint64_t{1} << n;
        if (uint128{more} * more <= v) root = more;
    }
    return root;
}
std::uint64_t square_root(std::uint64_t v) {
    // The host's estimate is at most one off.
    auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(v)));
    if (root * root > v) --root;
    if ((root + 1) * (root + 1) <= v) ++root;
    return root;
}

constexpr std::uint64_t one = std::uint64_t{1} << 63;  // 63 bits of fraction

// Table t has 2^(k / 256^(t + 1)); 63 bits of fraction.
using power_table = std::array<std::uint64_t, 256>;
constexpr std::array<power_table, 3> power_tables() {
    std::array<power_table, 3> tables{};
    uint128 root = uint128{one} << 1;
    for (power_table& table : tables) {
        std::uint64_t roots[8] = {};
        for (int bit = 7; bit >= 0; --bit) {
            roots[bit] = square_root(uint128{root << 63});
            root = roots[bit];
        }
        for (unsigned k = 0; k < table.size(); ++k) {
            table[k] = one;
            for (unsigned bit = 0; bit < 8; ++bit)
                if ((k >> bit & 1) != 0)
                    table[k] = static_cast<std::uint64_t>(uint128{table[k]} * roots[bit] >> 63);
        }
    }
    return tables;
}
constexpr std::array<power_table, 3> powers = power_tables();

// The logarithm of `m` from 1 to 2; 63 bits of fraction both. A square has twice the logarithm: one
// bit of it each time. Errors of the squares are halved as often as they were doubled.
constexpr std::uint64_t logarithm_by_squares(std::uint64_t m) {
    std::uint64_t logarithm = 0;
    for (int n = 0; n < 63; ++n) {
        const uint128 square = uint128{m} * m;
        const bool above_two = square >> 127 != 0;
        m = static_cast<std::uint64_t>(square >> (above_two ? 64 : 63));
        logarithm = logarithm << 1 | (above_two ? 1 : 0);
    }
    return logarithm;
}

// A 128th of the numbers from 1 to 2: the inverse of its middle, 64 bits of fraction; the logarithm
// of the number this is exactly the inverse of, 63 bits of fraction.
struct segment {
    std::uint64_t inverse, logarithm;
};
using segment_table = std::array<segment, 128>;
constexpr segment_table segments_of_two() {
    segment_table r{};
    for (unsigned n = 0; n < r.size(); ++n) {
        r[n].inverse = static_cast<std::uint64_t>((uint128{1} << 72) / (257 + 2 * n));
        r[n].logarithm = one - logarithm_by_squares(r[n].inverse);
    }
    return r;
}
constexpr segment_table segments = segments_of_two();

constexpr std::int64_t log2_of_e = 0x5c551d94ae0bf85e;  // 62 bits of fraction

// The logarithm of `m` from 1 to 2; 63 bits of fraction both. m = middle * (1 + z), |z| < 2^-8.
std::uint64_t logarithm(std::uint64_t m) {
    if (m == one) return 0;
    const segment& s = segments[m >> 56 & 127];
    // 70 bits of fraction.
    const auto z = static_cast<std::int64_t>(
        static_cast<int128>(uint128{m} * s.inverse - (uint128{1} << 127)) >> 57);
    // log2(e) (z - z^2 / 2 + z^3 / 3 ...), of which the eighth term is less than 2^-66.
    std::int64_t sum = 0;
    for (int n = 7; n > 0; --n) {
        const std::int64_t coefficient = log2_of_e / n;
        sum = static_cast<std::int64_t>(int128{sum} * z >> 70);
        sum += (n & 1) != 0 ? coefficient : -coefficient;
    }
    return s.logarithm + static_cast<std::uint64_t>(int128{sum} * z >> 69);
}

}  // namespace

std::uint32_t vector_reciprocal(std::uint32_t v, vector_environment& e) {
    if (vector_nan(v)) return vector_pass_nan(v, e);
    if (no_operand(v)) return pole(vector_negative(v), e);
    if (vector_infinite(v)) return vector_signed<std::uint32_t>(vector_negative(v), 0);
    const exact x = vector_decode(v);
    const std::uint64_t m = integer_significand(x);
    const std::uint64_t quotient = one / m << 1 | (one % m != 0);
    return deliver({x.negative, fraction - 1 - x.exponent, quotient});
}

std::uint32_t vector_reciprocal_square_root(std::uint32_t v, vector_environment& e) {
    if (vector_nan(v)) return vector_pass_nan(v, e);
    if (no_operand(v)) return pole(vector_negative(v), e);
    if (vector_negative(v)) return vector_invalid<std::uint32_t>(e);
    if (vector_infinite(v)) return 0;
    const exact x = vector_decode(v);
    // v = m * 4^half.
    const bool odd = ((x.exponent - fraction) & 1) != 0;
    const std::uint64_t m = integer_significand(x) << (odd ? 1 : 0);
    const int half = (x.exponent - fraction - (odd ? 1 : 0)) / 2;
    constexpr uint128 scaled_one = uint128{1} << 86;
    const std::uint64_t root = square_root(static_cast<std::uint64_t>(scaled_one / m));
    const bool inexact = uint128{root} * root * m != scaled_one;
    // root * 2^(-43 - half), one bit further left.
    return deliver({false, 63 - 44 - half, root << 1 | (inexact ? 1u : 0u)});
}

std::uint32_t vector_log2(std::uint32_t v, vector_environment& e) {
    if (vector_nan(v)) return vector_pass_nan(v, e);
    if (no_operand(v)) return pole(true, e);
    if (vector_negative(v)) return vector_invalid<std::uint32_t>(e);
    if (vector_infinite(v)) return v;
    const exact x = vector_decode(v);
    const int128 sum = x.exponent * int128{one} + logarithm(x.significand);
    if (sum == 0) return 0;
    const bool negative = sum < 0;
    const auto size = static_cast<uint128>(negative ? -sum : sum);
    // 8 bits of integer before the point: the upper 64 bits hold all but a few.
    const int zeros = leading_zeros(size);
    const auto high = static_cast<std::uint64_t>(shift_right_jam(size << zeros, 64));
    return deliver({negative, 127 - zeros - 63, high});
}

std::uint32_t vector_exp2(std::int32_t v) {
    if (v == INT32_MAX) return format::infinity;
    std::uint64_t product = powers[0][v >> 16 & 255];
    product = static_cast<std::uint64_t>(uint128{product} * powers[1][v >> 8 & 255] >> 63);
    product = static_cast<std::uint64_t>(uint128{product} * powers[2][v & 255] >> 63);
    return deliver({false, v >> 24, product});
}

}  // namespace knc::isa
