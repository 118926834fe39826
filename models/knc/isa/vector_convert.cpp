#include <knc/isa/vector_convert.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include <knc/isa/vector_integer.h>
#include <knc/isa/vector_round.h>

namespace knc::isa {
namespace {

// A NaN keeps its sign and the upper bits of its payload and becomes quiet.
template <class To, class From>
To converted_nan(From v, vector_environment& e) {
    constexpr int shift = vector_format<To>::fraction - vector_format<From>::fraction;
    const From quiet = vector_pass_nan(v, e);
    const From payload = From(quiet & vector_format<From>::fraction_mask);
    const To moved = shift >= 0 ? To(To(payload) << (shift > 0 ? shift : 0))
                                : To(payload >> (shift < 0 ? -shift : 0));
    return vector_signed<To>(vector_negative(v), To(vector_format<To>::infinity | moved));
}

// `v` is no NaN.
template <class To, class From>
To converted(From v, vector_environment& e) {
    using wide = typename vector_format<To>::wide;
    constexpr int shift = vector_format<To>::wide_bits - vector_format<From>::wide_bits;
    if (vector_infinite(v))
        return vector_signed<To>(vector_negative(v), vector_format<To>::infinity);
    if (vector_zero(v)) return vector_signed<To>(vector_negative(v), 0);
    const vector_exact<From> x = vector_decode(v);
    vector_exact<To> y = {x.negative, x.exponent, 0};
    if constexpr (shift >= 0) {
        y.significand = wide{x.significand} << shift;
    } else {
        y.significand = static_cast<wide>(x.significand >> -shift);  // zeros drop out
    }
    return vector_rounded(y, e);
}

// DAZ does not concern float16 numbers, which are exact as float32; nor do they raise DE.
std::uint32_t from_float16(std::uint32_t element, vector_environment& e) {
    const auto v = static_cast<std::uint16_t>(element);
    return vector_nan(v) ? converted_nan<std::uint32_t>(v, e) : converted<std::uint32_t>(v, e);
}
// FZ does not concern float16 results.
std::uint32_t to_float16(std::uint32_t lane, vector_environment& e) {
    if (vector_nan(lane)) return converted_nan<std::uint16_t>(lane, e);
    vector_environment gradual = e;
    gradual.fz = false;
    const std::uint16_t r = converted<std::uint16_t>(vector_operand(lane, gradual), gradual);
    e.raise(gradual.flags);
    return r;
}

template <class Integer>
std::uint32_t float_from(std::uint32_t element, vector_environment& e) {
    return vector_from_integer<std::uint32_t>(static_cast<Integer>(element), 0, e);
}
template <class Integer>
std::uint32_t float_to(std::uint32_t lane, vector_environment& e) {
    constexpr std::int64_t lowest = std::numeric_limits<Integer>::min(),
                           highest = std::numeric_limits<Integer>::max();
    const std::int64_t v = vector_to_integer(lane, 0, lowest, highest, e);
    return static_cast<std::make_unsigned_t<Integer>>(v);
}
template <class Integer>
std::uint32_t int_from(std::uint32_t element, vector_environment&) {
    return static_cast<std::uint32_t>(std::int32_t{static_cast<Integer>(element)});
}
// Saturates. Lanes that become unsigned are unsigned.
template <class Integer>
std::uint32_t int_to(std::uint32_t lane, vector_environment&) {
    using lane_type = std::conditional_t<std::is_signed_v<Integer>, std::int32_t, std::uint32_t>;
    constexpr lane_type lowest = std::numeric_limits<Integer>::min(),
                        highest = std::numeric_limits<Integer>::max();
    const auto v = std::clamp(static_cast<lane_type>(lane), lowest, highest);
    return static_cast<std::make_unsigned_t<Integer>>(v);
}

constexpr vector_form reserved = {}, none = {"", 16, 4}, none_64 = {"", 8, 8};
using s8 = std::int8_t;
using u8 = std::uint8_t;
using s16 = std::int16_t;
using u16 = std::uint16_t;

}  // namespace

const vector_swizzle vector_swizzles[8] = {
    {"dcba", {0, 1, 2, 3}}, {"cdab", {1, 0, 3, 2}}, {"badc", {2, 3, 0, 1}}, {"dacb", {1, 2, 0, 3}},
    {"aaaa", {0, 0, 0, 0}}, {"bbbb", {1, 1, 1, 1}}, {"cccc", {2, 2, 2, 2}}, {"dddd", {3, 3, 3, 3}},
};

const vector_form vector_operand_f32[8] = {
    none,
    {"1to16", 1, 4},
    {"4to16", 4, 4},
    {"float16", 16, 2, from_float16},
    {"uint8", 16, 1, float_from<u8>},
    reserved,
    {"uint16", 16, 2, float_from<u16>},
    {"sint16", 16, 2, float_from<s16>},
};
const vector_form vector_operand_i32[8] = {
    none,
    {"1to16", 1, 4},
    {"4to16", 4, 4},
    reserved,
    {"uint8", 16, 1, int_from<u8>},
    {"sint8", 16, 1, int_from<s8>},
    {"uint16", 16, 2, int_from<u16>},
    {"sint16", 16, 2, int_from<s16>},
};
const vector_form vector_operand_64[8] = {
    none_64, {"1to8", 1, 8}, {"4to8", 4, 8}, reserved, reserved, reserved, reserved, reserved,
};

const vector_form vector_operand_half[8] = {
    {"", 8, 4}, {"1to8", 1, 4}, {"4to8", 4, 4}, reserved, reserved, reserved, reserved, reserved,
};
const vector_form vector_operand_plain[8] = {
    none, reserved, reserved, reserved, reserved, reserved, reserved, reserved,
};

const vector_form vector_load_f32[8] = {
    none,
    reserved,
    reserved,
    {"float16", 16, 2, from_float16},
    {"uint8", 16, 1, float_from<u8>},
    {"sint8", 16, 1, float_from<s8>},
    {"uint16", 16, 2, float_from<u16>},
    {"sint16", 16, 2, float_from<s16>},
};
const vector_form vector_load_i32[8] = {
    none,
    reserved,
    reserved,
    reserved,
    {"uint8", 16, 1, int_from<u8>},
    {"sint8", 16, 1, int_from<s8>},
    {"uint16", 16, 2, int_from<u16>},
    {"sint16", 16, 2, int_from<s16>},
};
const vector_form vector_load_64[8] = {
    none_64, reserved, reserved, reserved, reserved, reserved, reserved, reserved,
};

const vector_form vector_store_f32[8] = {
    none,
    reserved,
    reserved,
    {"float16", 16, 2, to_float16},
    {"uint8", 16, 1, float_to<u8>},
    {"sint8", 16, 1, float_to<s8>},
    {"uint16", 16, 2, float_to<u16>},
    {"sint16", 16, 2, float_to<s16>},
};
const vector_form vector_store_i32[8] = {
    none,
    reserved,
    reserved,
    reserved,
    {"uint8", 16, 1, int_to<u8>},
    {"sint8", 16, 1, int_to<s8>},
    {"uint16", 16, 2, int_to<u16>},
    {"sint16", 16, 2, int_to<s16>},
};
const vector_form vector_store_64[8] = {
    none_64, reserved, reserved, reserved, reserved, reserved, reserved, reserved,
};

std::uint64_t vector_to_float64(std::uint32_t v, vector_environment& e) {
    if (vector_nan(v)) return converted_nan<std::uint64_t>(v, e);
    return converted<std::uint64_t>(vector_operand(v, e), e);
}

std::uint32_t vector_to_float32(std::uint64_t v, vector_environment& e) {
    if (vector_nan(v)) return converted_nan<std::uint32_t>(v, e);
    return converted<std::uint32_t>(vector_operand(v, e), e);
}

}  // namespace knc::isa
