// Arithmetic of MMX on 64 bits: lanes of 8, 16 or 32 bits, or all of them.
//
// Models: the results of the instructions, `a` being the destination's old value and `b` the
// source. A type T is that of a lane; where lanes saturate, it says to which range. Leaves out:
// registers and memory (ops_mmx.cpp). Source: Intel SDM vol. 2.
#ifndef KNC_ISA_MMX_ARITHMETIC_H
#define KNC_ISA_MMX_ARITHMETIC_H

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace knc::isa {

// Lane 0 is the least significant.
template <class T>
using mmx_lanes = std::array<T, sizeof(std::uint64_t) / sizeof(T)>;

template <class T>
mmx_lanes<T> mmx_split(std::uint64_t v) {
    mmx_lanes<T> lanes;
    std::memcpy(lanes.data(), &v, sizeof v);
    return lanes;
}
template <class T>
std::uint64_t mmx_join(const mmx_lanes<T>& lanes) {
    std::uint64_t v;
    std::memcpy(&v, lanes.data(), sizeof v);
    return v;
}

// The nearest number that T has.
template <class T>
T mmx_saturated(int v) {
    using limits = std::numeric_limits<T>;
    return static_cast<T>(std::clamp(v, int{limits::min()}, int{limits::max()}));
}

// Each lane is `of` the two lanes at its place, cut to T.
template <class T, class Of>
std::uint64_t mmx_each(std::uint64_t a, std::uint64_t b, Of of) {
    mmx_lanes<T> x = mmx_split<T>(a);
    const mmx_lanes<T> y = mmx_split<T>(b);
    for (unsigned n = 0; n < x.size(); ++n) x[n] = static_cast<T>(of(x[n], y[n]));
    return mmx_join<T>(x);
}

template <class T>
std::uint64_t mmx_add(std::uint64_t a, std::uint64_t b) {
    static_assert(std::is_unsigned_v<T>, "the sum wraps");
    return mmx_each<T>(a, b, [](T x, T y) { return x + y; });
}
template <class T>
std::uint64_t mmx_subtract(std::uint64_t a, std::uint64_t b) {
    static_assert(std::is_unsigned_v<T>, "the difference wraps");
    return mmx_each<T>(a, b, [](T x, T y) { return x - y; });
}
template <class T>
std::uint64_t mmx_add_saturated(std::uint64_t a, std::uint64_t b) {
    return mmx_each<T>(a, b, [](T x, T y) { return mmx_saturated<T>(x + y); });
}
template <class T>
std::uint64_t mmx_subtract_saturated(std::uint64_t a, std::uint64_t b) {
    return mmx_each<T>(a, b, [](T x, T y) { return mmx_saturated<T>(x - y); });
}

// 1 if a lane of the sum, or difference, is saturated; else 0.
template <class T, class Of>
std::uint64_t mmx_any_saturated(std::uint64_t a, std::uint64_t b, Of of) {
    const mmx_lanes<T> x = mmx_split<T>(a), y = mmx_split<T>(b);
    bool any = false;
    for (unsigned n = 0; n < x.size(); ++n) {
        const int exact = of(int{x[n]}, int{y[n]});
        any = any || mmx_saturated<T>(exact) != exact;
    }
    return any ? 1 : 0;
}
template <class T>
std::uint64_t mmx_add_saturates(std::uint64_t a, std::uint64_t b) {
    return mmx_any_saturated<T>(a, b, [](int x, int y) { return x + y; });
}
template <class T>
std::uint64_t mmx_subtract_saturates(std::uint64_t a, std::uint64_t b) {
    return mmx_any_saturated<T>(a, b, [](int x, int y) { return x - y; });
}

// Bits 15:0 and 31:16 of the products.
inline std::uint64_t mmx_multiply_low(std::uint64_t a, std::uint64_t b) {
    return mmx_each<std::int16_t>(a, b, [](int x, int y) { return x * y; });
}
inline std::uint64_t mmx_multiply_high(std::uint64_t a, std::uint64_t b) {
    return mmx_each<std::int16_t>(a, b, [](int x, int y) { return x * y >> 16; });
}
// Sums of the products of neighbours. Only that of four times -2^15 does not fit: it wraps.
inline std::uint64_t mmx_multiply_add(std::uint64_t a, std::uint64_t b) {
    const auto x = mmx_split<std::int16_t>(a), y = mmx_split<std::int16_t>(b);
    const auto product = [&](unsigned n) { return static_cast<std::uint32_t>(x[n] * y[n]); };
    return mmx_join<std::uint32_t>({product(0) + product(1), product(2) + product(3)});
}

// All ones where the lanes are equal, or that of `a` is greater.
template <class T>
std::uint64_t mmx_equal(std::uint64_t a, std::uint64_t b) {
    return mmx_each<T>(a, b, [](T x, T y) { return x == y ? -1 : 0; });
}
template <class T>
std::uint64_t mmx_greater(std::uint64_t a, std::uint64_t b) {
    static_assert(std::is_signed_v<T>, "MMX compares signed numbers");
    return mmx_each<T>(a, b, [](T x, T y) { return x > y ? -1 : 0; });
}

inline std::uint64_t mmx_and(std::uint64_t a, std::uint64_t b) {
    return a & b;
}
inline std::uint64_t mmx_and_not(std::uint64_t a, std::uint64_t b) {
    return ~a & b;
}
inline std::uint64_t mmx_or(std::uint64_t a, std::uint64_t b) {
    return a | b;
}
inline std::uint64_t mmx_exclusive_or(std::uint64_t a, std::uint64_t b) {
    return a ^ b;
}

// Shifts of all lanes by one count, whose 64 bits all matter.
template <class T>
constexpr unsigned mmx_lane_bits = sizeof(T) * CHAR_BIT;

template <class T>
std::uint64_t mmx_shift_left(std::uint64_t a, std::uint64_t count) {
    if (count >= mmx_lane_bits<T>) return 0;
    return mmx_each<T>(a, 0, [count](T x, T) { return std::uint64_t{x} << count; });
}
template <class T>
std::uint64_t mmx_shift_right(std::uint64_t a, std::uint64_t count) {
    if (count >= mmx_lane_bits<T>) return 0;
    return mmx_each<T>(a, 0, [count](T x, T) { return x >> count; });
}
// Fills with the sign.
template <class T>
std::uint64_t mmx_shift_right_signed(std::uint64_t a, std::uint64_t count) {
    static_assert(std::is_signed_v<T>);
    const auto by = std::min<std::uint64_t>(count, mmx_lane_bits<T> - 1);
    return mmx_each<T>(a, 0, [by](T x, T) { return x >> by; });
}

// The lanes of `a`, then those of `b`, each saturated to half its size.
template <class From, class To>
std::uint64_t mmx_pack(std::uint64_t a, std::uint64_t b) {
    const auto x = mmx_split<From>(a), y = mmx_split<From>(b);
    mmx_lanes<To> packed;
    for (unsigned n = 0; n < x.size(); ++n) {
        packed[n] = mmx_saturated<To>(x[n]);
        packed[x.size() + n] = mmx_saturated<To>(y[n]);
    }
    return mmx_join<To>(packed);
}

// 1 if a lane of it is saturated; else 0.
template <class From, class To>
std::uint64_t mmx_pack_saturates(std::uint64_t a, std::uint64_t b) {
    const auto fits = [](From v) { return mmx_saturated<To>(v) == v; };
    const auto x = mmx_split<From>(a), y = mmx_split<From>(b);
    return std::all_of(x.begin(), x.end(), fits) && std::all_of(y.begin(), y.end(), fits) ? 0 : 1;
}

// Lanes of the low or high halves, in turn: first one of `a`.
template <class T, bool High>
std::uint64_t mmx_unpack(std::uint64_t a, std::uint64_t b) {
    const auto x = mmx_split<T>(a), y = mmx_split<T>(b);
    constexpr unsigned half = mmx_lanes<T>{}.size() / 2, first = High ? half : 0;
    mmx_lanes<T> unpacked;
    for (unsigned n = 0; n < half; ++n) {
        unpacked[2 * n] = x[first + n];
        unpacked[2 * n + 1] = y[first + n];
    }
    return mmx_join<T>(unpacked);
}

}  // namespace knc::isa

#endif
