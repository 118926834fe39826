// Swizzles, broadcasts and conversions by MVEX.SSS.
#include "vector_machine.h"

namespace knc::isa::test {
namespace {

// Conversions by SSS. Operands of operations differ from loads and stores in SSS 1, 2 and, of
// float32, 5.
vm_type type_of(vm_element e, unsigned sss) {
    constexpr vm_type floats[] = {vm_type::none, vm_type::none, vm_type::none, vm_type::f16,
                                  vm_type::u8,   vm_type::s8,   vm_type::u16,  vm_type::s16};
    if (e == vm_element::i32 && sss == 3) return vm_type::none;
    return floats[sss];
}
unsigned bytes_of(vm_element e, vm_type t) {
    return t == vm_type::none ? vm_bytes(e) : t == vm_type::u8 || t == vm_type::s8 ? 1 : 2;
}
struct range {
    std::int64_t lowest, highest;
};
range range_of(vm_type t) {
    switch (t) {
        case vm_type::u8:
            return {0, 255};
        case vm_type::s8:
            return {-128, 127};
        case vm_type::u16:
            return {0, 65535};
        default:
            return {-32768, 32767};
    }
}
std::int64_t integer_of(vm_type t, std::uint64_t v) {
    switch (t) {
        case vm_type::u8:
            return static_cast<std::uint8_t>(v);
        case vm_type::s8:
            return static_cast<std::int8_t>(v);
        case vm_type::u16:
            return static_cast<std::uint16_t>(v);
        default:
            return static_cast<std::int16_t>(v);
    }
}
// A small integer as a float32 number; all are exact.
std::uint64_t float_of(std::int64_t v) {
    const auto f = static_cast<float>(v);
    std::uint32_t bits;
    std::memcpy(&bits, &f, sizeof bits);
    return bits;
}

}  // namespace

vm_form vm_form_of(vm_forms s, vm_element e, unsigned sss) {
    const unsigned bytes = vm_bytes(e), all = s == vm_forms::half ? 8 : 64 / bytes;
    const bool load = s == vm_forms::whole || s == vm_forms::four || s == vm_forms::one;
    const unsigned elements = s == vm_forms::four ? 4 : s == vm_forms::one ? 1 : all;
    if (sss == 0) return {elements, bytes, vm_type::none};
    if (sss <= 2) {
        const bool exists =
            s == vm_forms::operand || s == vm_forms::half || (s == vm_forms::group && sss == 2);
        if (!exists) return {};
        return {sss == 1 ? 1u : 4u, bytes, vm_type::none};
    }
    const bool converts = (load || s == vm_forms::operand) && bytes == 4;
    const bool missing = e == vm_element::i32 ? sss == 3 : sss == 5 && !load;
    if (!converts || missing) return {};
    const vm_type t = type_of(e, sss);
    return {elements, bytes_of(e, t), t};
}

reference_result vm_up(vm_element e, vm_type t, std::uint64_t v, const reference_mode& m) {
    if (t == vm_type::none) return {v, 0};
    if (t == vm_type::f16) return reference_convert(float16, float32, v, false, false, m);
    const std::int64_t integer = integer_of(t, v);
    if (e == vm_element::f32) return {float_of(integer), 0};
    return {static_cast<std::uint32_t>(integer), 0};
}

reference_result vm_down(vm_element e, vm_type t, std::uint64_t v, const reference_mode& m) {
    if (t == vm_type::none) return {v, 0};
    if (t == vm_type::f16) return reference_convert(float32, float16, v, true, false, m);
    const auto [lowest, highest] = range_of(t);
    const std::uint64_t mask = bytes_of(e, t) == 1 ? 0xff : 0xffff;
    if (e == vm_element::f32) {
        reference_result r = reference_to_integer(float32, v, 0, lowest, highest, m);
        r.bits &= mask;
        return r;
    }
    const std::int64_t integer =
        lowest < 0 ? static_cast<std::int32_t>(v) : static_cast<std::int64_t>(v & 0xffff'ffff);
    const std::int64_t saturated = integer < lowest    ? lowest
                                   : integer > highest ? highest
                                                       : integer;
    return {static_cast<std::uint64_t>(saturated) & mask, 0};
}

unsigned vm_swizzle(unsigned sss, unsigned n) {
    // Named from the highest element of a group to the lowest, as in the manual.
    constexpr const char* names[] = {"dcba", "cdab", "badc", "dacb",
                                     "aaaa", "bbbb", "cccc", "dddd"};
    return n / 4 * 4 + static_cast<unsigned>(names[sss][3 - n % 4] - 'a');
}

}  // namespace knc::isa::test
