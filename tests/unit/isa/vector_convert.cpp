// Conversions of vector elements against exact arithmetic and, for float16, against the host; the
// SSS tables against the decoder's.
#include <knc/isa/vector_convert.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

#include <Zydis/Zydis.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <knc/isa/vector_integer.h>
#include <knc/isa/zydis_decoder.h>

#include "vector_generator.h"

namespace knc::isa::test {
namespace {

constexpr unsigned modes = 16;  // rounding, DAZ, FZ

reference_mode mode_of(unsigned n) {
    return {n & 3, (n & 4) != 0, (n & 8) != 0};
}

using model_function = std::function<std::uint64_t(std::uint64_t, vector_environment&)>;
using reference_function = std::function<reference_result(std::uint64_t, const reference_mode&)>;

// How many of the operands differ.
unsigned differences(const char* name, std::uint64_t v, const reference_mode& m,
                     const model_function& model, const reference_function& reference,
                     std::uint64_t seed = 0) {
    vector_environment e = vector_environment_of(m);
    reference_result got;
    got.bits = model(v, e);
    got.flags = e.flags;
    const reference_result expected = reference(v, m);
    if (got == expected) return 0;
    ADD_FAILURE() << fmt::format(
        "{} of {:#x} rounding {} daz {} fz {}: {:#x} flags {:#x}, expected {:#x} flags {:#x}; "
        "KNC_SEED={} KNC_CASES=1",
        name, v, m.rounding, m.daz, m.fz, got.bits, got.flags, expected.bits, expected.flags, seed);
    return 1;
}

constexpr unsigned failures_shown = 5;

void every(const char* name, unsigned values, const model_function& model,
           const reference_function& reference) {
    unsigned failures = 0;
    for (unsigned v = 0; v < values; ++v)
        for (unsigned n = 0; n < modes; ++n) {
            failures += differences(name, v, mode_of(n), model, reference);
            if (failures == failures_shown) return;
        }
}

void random(const char* name, const reference_format& f, std::uint64_t cases,
            const model_function& model, const reference_function& reference) {
    unsigned failures = 0;
    for (std::uint64_t special : vector_special_values(f))
        for (unsigned n = 0; n < modes && failures < failures_shown; ++n)
            failures += differences(name, special, mode_of(n), model, reference);
    const std::uint64_t first = vector_first_seed();
    for (std::uint64_t n = 0; n < vector_cases(cases) && failures < failures_shown; ++n) {
        vector_generator g(f, first + n);
        const reference_mode m = g.mode();
        failures += differences(name, g.operand(), m, model, reference, first + n);
    }
}

model_function form_of(const vector_form& form) {
    return [&form](std::uint64_t v, vector_environment& e) {
        return form.convert(static_cast<std::uint32_t>(v), e);
    };
}

const char* zydis_name(ZydisConversionMode m) {
    constexpr const char* names[] = {"", "float16", "sint8", "uint8", "sint16", "uint16"};
    return names[m];
}
const char* zydis_name(ZydisBroadcastMode m) {
    switch (m) {
        case ZYDIS_BROADCAST_MODE_INVALID:
            return "";
        case ZYDIS_BROADCAST_MODE_1_TO_8:
            return "1to8";
        case ZYDIS_BROADCAST_MODE_4_TO_8:
            return "4to8";
        case ZYDIS_BROADCAST_MODE_1_TO_16:
            return "1to16";
        case ZYDIS_BROADCAST_MODE_4_TO_16:
            return "4to16";
        default:
            return "?";
    }
}

// P1, opcode of an instruction of map 0F.
struct encoding {
    const char* what;
    std::uint8_t p1, opcode;
    const vector_form* forms;
};
const encoding encodings[] = {
    {"vaddps", 0x78, 0x58, vector_operand_f32},    {"vpaddd", 0x79, 0xfe, vector_operand_i32},
    {"vaddpd", 0xf9, 0x58, vector_operand_64},     {"vpandq", 0xf9, 0xdb, vector_operand_64},
    {"vmovaps", 0x78, 0x28, vector_load_f32},      {"vmovdqa32", 0x79, 0x6f, vector_load_i32},
    {"vmovapd", 0xf9, 0x28, vector_load_64},       {"vmovdqa64", 0xf9, 0x6f, vector_load_64},
    {"vmovaps mem", 0x78, 0x29, vector_store_f32}, {"vmovdqa32 mem", 0x79, 0x7f, vector_store_i32},
    {"vmovapd mem", 0xf9, 0x29, vector_store_64},
};

TEST(vector_convert, sss_of_memory_as_the_decoder_has_it) {
    for (const encoding& c : encodings)
        for (unsigned sss = 0; sss < 8; ++sss) {
            const std::uint8_t bytes[] = {
                0x62, 0xf1, c.p1, static_cast<std::uint8_t>(8 | sss << 4), c.opcode, 0x00};
            ZydisDecodedInstruction i;
            ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
            const bool valid = ZYAN_SUCCESS(ZydisDecoderDecodeFull(
                &zydis_decoder(code_mode::bits64), bytes, sizeof bytes, &i, operands));
            const vector_form& form = c.forms[sss];
            const std::string what = fmt::format("{} SSS {}", c.what, sss);
            EXPECT_EQ(form.valid(), valid) << what;
            if (!valid || !form.valid()) continue;
            const std::string zydis = fmt::format("{}{}", zydis_name(i.avx.conversion.mode),
                                                  zydis_name(i.avx.broadcast.mode));
            EXPECT_EQ(form.name, zydis) << what;
            unsigned size = 0;
            for (unsigned n = 0; n < i.operand_count; ++n)
                if (operands[n].type == ZYDIS_OPERAND_TYPE_MEMORY) size = operands[n].size / 8;
            EXPECT_EQ(form.elements * form.bytes, size) << what;
        }
}

TEST(vector_convert, sss_of_registers_as_the_decoder_has_it) {
    const std::pair<ZydisSwizzleMode, const char*> names[] = {
        {ZYDIS_SWIZZLE_MODE_DCBA, "dcba"}, {ZYDIS_SWIZZLE_MODE_CDAB, "cdab"},
        {ZYDIS_SWIZZLE_MODE_BADC, "badc"}, {ZYDIS_SWIZZLE_MODE_DACB, "dacb"},
        {ZYDIS_SWIZZLE_MODE_AAAA, "aaaa"}, {ZYDIS_SWIZZLE_MODE_BBBB, "bbbb"},
        {ZYDIS_SWIZZLE_MODE_CCCC, "cccc"}, {ZYDIS_SWIZZLE_MODE_DDDD, "dddd"}};
    for (const encoding& c : {encodings[0], encodings[1], encodings[2]})
        for (unsigned sss = 0; sss < 8; ++sss) {
            const std::uint8_t bytes[] = {
                0x62, 0xf1, c.p1, static_cast<std::uint8_t>(8 | sss << 4), c.opcode, 0xc0};
            ZydisDecodedInstruction i;
            ASSERT_TRUE(ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
                &zydis_decoder(code_mode::bits64), nullptr, bytes, sizeof bytes, &i)));
            const vector_swizzle& s = vector_swizzles[sss];
            const auto* row = std::find_if(std::begin(names), std::end(names), [&](const auto& r) {
                return r.first == i.avx.swizzle.mode;
            });
            ASSERT_NE(row, std::end(names));
            EXPECT_STREQ(s.name, row->second);
            for (unsigned n = 0; n < 16; ++n) {
                // Names list d, c, b, a.
                const auto from = static_cast<unsigned>(s.name[3 - n % 4] - 'a');
                EXPECT_EQ(s.lane(n), n / 4 * 4 + from) << s.name << ' ' << n;
            }
        }
}

TEST(vector_convert, every_element_of_a_load) {
    const auto to_float = [](auto integer) {
        return [integer](std::uint64_t v, const reference_mode& m) {
            const decltype(integer) element = static_cast<decltype(integer)>(v);
            return reference_from_integer(float32, element, 0, m);
        };
    };
    const auto to_int = [](auto integer) {
        return [integer](std::uint64_t v, const reference_mode&) {
            const decltype(integer) element = static_cast<decltype(integer)>(v);
            return reference_result{static_cast<std::uint32_t>(element), 0};
        };
    };
    const auto half = [](std::uint64_t v, const reference_mode& m) {
        return reference_convert(float16, float32, v, false, false, m);
    };
    const auto find = [](const vector_form* forms, unsigned sss, unsigned bytes) {
        EXPECT_EQ(forms[sss].bytes, bytes);
        return form_of(forms[sss]);
    };
    every("float16", 65536, find(vector_operand_f32, 3, 2), half);
    every("float16", 65536, find(vector_load_f32, 3, 2), half);
    for (const vector_form* forms : {vector_operand_f32, vector_load_f32}) {
        every("uint8", 256, find(forms, 4, 1), to_float(std::uint8_t{}));
        every("uint16", 65536, find(forms, 6, 2), to_float(std::uint16_t{}));
        every("sint16", 65536, find(forms, 7, 2), to_float(std::int16_t{}));
    }
    every("sint8", 256, find(vector_load_f32, 5, 1), to_float(std::int8_t{}));
    for (const vector_form* forms : {vector_operand_i32, vector_load_i32}) {
        every("uint8", 256, find(forms, 4, 1), to_int(std::uint8_t{}));
        every("sint8", 256, find(forms, 5, 1), to_int(std::int8_t{}));
        every("uint16", 65536, find(forms, 6, 2), to_int(std::uint16_t{}));
        every("sint16", 65536, find(forms, 7, 2), to_int(std::int16_t{}));
    }
}

reference_result float_to_half(std::uint64_t v, const reference_mode& m) {
    return reference_convert(float32, float16, v, true, false, m);
}

// All float16 numbers, the middle to the next one, and the neighbours of both as float32 numbers.
TEST(vector_convert, float16_stores_around_every_number_and_middle) {
    const model_function store = form_of(vector_store_f32[3]);
    unsigned failures = 0;
    for (unsigned h = 0; h < 65536; ++h) {
        exact_number v(53);
        if (reference_nan(float16, h)) continue;
        reference_decode(float16, h, v);
        const std::uint64_t number = reference_round(float32, v, {}).bits;
        // The distance of float16 numbers is 2^13 units of a float32 number, for denormals 2^-24.
        mpfr_add_d(v, v, h < 0x8000 ? 0x1p-25 : -0x1p-25, MPFR_RNDN);
        const std::uint64_t middle =
            (h & 0x7fff) >= 0x400 ? number + 0x1000 : reference_round(float32, v, {}).bits;
        for (std::uint64_t near : {number, middle})
            for (int distance = -1; distance <= 1; ++distance)
                for (unsigned n = 0; n < modes; ++n) {
                    const auto bits = static_cast<std::uint32_t>(near + distance);
                    failures += differences("store", bits, mode_of(n), store, float_to_half);
                    ASSERT_LT(failures, failures_shown);
                }
    }
}

TEST(vector_convert, random_float16_stores) {
    random("store float16", float32, 500000, form_of(vector_store_f32[3]), float_to_half);
}

template <class Integer>
void integer_stores(unsigned sss) {
    constexpr std::int64_t lowest = std::numeric_limits<Integer>::min(),
                           highest = std::numeric_limits<Integer>::max();
    const std::uint64_t mask = static_cast<std::make_unsigned_t<Integer>>(-1);
    const auto reference = [=](std::uint64_t v, const reference_mode& m) {
        reference_result r = reference_to_integer(float32, v, 0, lowest, highest, m);
        r.bits &= mask;
        return r;
    };
    ASSERT_EQ(vector_store_f32[sss].bytes, sizeof(Integer));
    const model_function store = form_of(vector_store_f32[sss]);
    random("store of a float", float32, 200000, store, reference);
    // Quarters around both limits.
    for (std::int64_t limit : {lowest, highest, std::int64_t{0}})
        for (int quarter = -9; quarter <= 9; ++quarter)
            for (unsigned n = 0; n < modes; ++n) {
                const auto v = static_cast<float>(static_cast<double>(limit) + 0.25 * quarter);
                std::uint32_t bits;
                std::memcpy(&bits, &v, sizeof bits);
                differences("store of a float", bits, mode_of(n), store, reference);
            }
    ASSERT_EQ(vector_store_i32[sss].bytes, sizeof(Integer));
    const model_function store_int = form_of(vector_store_i32[sss]);
    const auto saturated = [=](std::uint64_t v, const reference_mode&) {
        const std::int64_t lane =
            lowest < 0 ? static_cast<std::int32_t>(v) : static_cast<std::int64_t>(v & 0xffffffff);
        const std::int64_t r = lane < lowest ? lowest : lane > highest ? highest : lane;
        return reference_result{static_cast<std::uint64_t>(r) & mask, 0};
    };
    random("store of an int", float32, 50000, store_int, saturated);
    for (std::int64_t limit : {lowest, highest, std::int64_t{0}})
        for (int distance = -3; distance <= 3; ++distance)
            differences("store of an int", static_cast<std::uint32_t>(limit + distance), {},
                        store_int, saturated);
}

TEST(vector_convert, integer_stores) {
    integer_stores<std::uint8_t>(4);
    integer_stores<std::int8_t>(5);
    integer_stores<std::uint16_t>(6);
    integer_stores<std::int16_t>(7);
}

TEST(vector_convert, between_float32_and_float64) {
    random(
        "float32 to float64", float32, 300000,
        [](std::uint64_t v, vector_environment& e) {
            return vector_to_float64(static_cast<std::uint32_t>(v), e);
        },
        [](std::uint64_t v, const reference_mode& m) {
            return reference_convert(float32, float64, v, true, true, m);
        });
    const auto narrow = [](std::uint64_t v, vector_environment& e) -> std::uint64_t {
        return vector_to_float32(v, e);
    };
    const auto reference = [](std::uint64_t v, const reference_mode& m) {
        return reference_convert(float64, float32, v, true, true, m);
    };
    random("float64 to float32", float64, 300000, narrow, reference);
    // Most random float64 numbers are far outside of float32: numbers inside, with more bits.
    const auto widened = [](std::uint64_t v) {
        const std::uint64_t more = v * 0x9e3779b97f4a7c15 >> (v & 1 ? 35 : 63) << (v & 2 ? 28 : 0);
        return reference_convert(float32, float64, v, false, false, {}).bits ^ (more & 0x1fffffff);
    };
    random(
        "float64 to float32", float32, 300000,
        [&](std::uint64_t v, vector_environment& e) { return narrow(widened(v), e); },
        [&](std::uint64_t v, const reference_mode& m) { return reference(widened(v), m); });
}

template <class Bits>
void fixed_point(const reference_format& f) {
    for (unsigned adjust : vector_adjustments) {
        const int n = static_cast<int>(adjust);
        random(
            "to int32", f, 60000,
            [=](std::uint64_t v, vector_environment& e) {
                return std::uint64_t{vector_to_int32(static_cast<Bits>(v), adjust, e)};
            },
            [&](std::uint64_t v, const reference_mode& m) {
                reference_result r = reference_to_integer(f, v, n, -2147483648LL, 2147483647, m);
                r.bits &= 0xffffffff;
                return r;
            });
        random(
            "to uint32", f, 60000,
            [=](std::uint64_t v, vector_environment& e) {
                return std::uint64_t{vector_to_uint32(static_cast<Bits>(v), adjust, e)};
            },
            [&](std::uint64_t v, const reference_mode& m) {
                return reference_to_integer(f, v, n, 0, 4294967295, m);
            });
        random(
            "round to fixed", f, 60000,
            [=](std::uint64_t v, vector_environment& e) {
                return std::uint64_t{vector_round_to_fixed(static_cast<Bits>(v), adjust, e)};
            },
            [&](std::uint64_t v, const reference_mode& m) {
                return reference_round_to_fixed(f, v, n, m);
            });
        random(
            "from int32", float32, 60000,
            [=](std::uint64_t v, vector_environment& e) {
                return std::uint64_t{
                    vector_from_integer<Bits>(static_cast<std::int32_t>(v), adjust, e)};
            },
            [&](std::uint64_t v, const reference_mode& m) {
                return reference_from_integer(f, static_cast<std::int32_t>(v), n, m);
            });
        random(
            "from uint32", float32, 60000,
            [=](std::uint64_t v, vector_environment& e) {
                return std::uint64_t{
                    vector_from_integer<Bits>(static_cast<std::uint32_t>(v), adjust, e)};
            },
            [&](std::uint64_t v, const reference_mode& m) {
                return reference_from_integer(f, static_cast<std::uint32_t>(v), n, m);
            });
    }
}

TEST(vector_convert, fixed_point_float32) {
    fixed_point<std::uint32_t>(float32);
}
TEST(vector_convert, fixed_point_float64) {
    fixed_point<std::uint64_t>(float64);
}

}  // namespace
}  // namespace knc::isa::test
