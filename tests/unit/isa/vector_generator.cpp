#include "vector_generator.h"

namespace knc::isa::test {

std::vector<std::uint64_t> vector_special_values(const reference_format& f) {
    const std::uint64_t ulp = 1, normal = f.one_bit(f.precision - 1),
                        one = static_cast<std::uint64_t>(f.exponent_max) << (f.precision - 1);
    std::vector<std::uint64_t> v = {0,
                                    ulp,
                                    2 * ulp,
                                    3 * ulp,
                                    normal / 2,
                                    normal - 1,
                                    normal,
                                    normal + 1,
                                    2 * normal - 1,
                                    2 * normal,
                                    one - normal,  // 1/2
                                    one - 1,
                                    one,
                                    one + 1,
                                    one + normal / 2,  // 3/2
                                    one + normal - 1,
                                    one + normal,                                       // 2
                                    one - static_cast<unsigned>(f.precision) * normal,  // 2^-p
                                    f.infinity() - normal,
                                    f.infinity() - 1,
                                    f.infinity(),
                                    f.infinity() + 1,              // signaling
                                    f.infinity() + f.quiet() - 1,  // signaling
                                    f.infinity() + f.quiet(),
                                    f.infinity() + f.quiet() + 5};
    const std::size_t positive = v.size();
    for (std::size_t n = 0; n < positive; ++n) v.push_back(v[n] | f.sign());
    return v;
}

// SplitMix64: a state of one word, so that every case can have a seed.
std::uint64_t vector_generator::any() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

std::uint64_t vector_generator::fraction() {
    const std::uint64_t mask = f_.one_bit(f_.precision - 1) - 1;
    switch (below(5)) {
        case 0:
            return (std::uint64_t{1} << below(static_cast<unsigned>(f_.precision - 1))) & mask;
        case 1:  // ones at the top, zeros below
            return mask &
                   ~(f_.one_bit(static_cast<int>(below(static_cast<unsigned>(f_.precision)))) - 1);
        case 2:  // few ones
            return any() & any() & any() & mask;
        default:
            return any() & mask;
    }
}

std::uint64_t vector_generator::operand() {
    const auto field = static_cast<unsigned>(2 * f_.exponent_max + 2);
    const std::uint64_t sign = (any() & 1) != 0 ? f_.sign() : 0;
    std::uint64_t exponent = 0;
    switch (below(16)) {
        case 0:
            return last_ = any() & (f_.sign() | (f_.sign() - 1));
        case 1: {
            static const std::vector<std::uint64_t> all[] = {vector_special_values(float16),
                                                             vector_special_values(float32),
                                                             vector_special_values(float64)};
            const auto& v = all[f_.width == 16 ? 0 : f_.width == 32 ? 1 : 2];
            return last_ = v[below(static_cast<unsigned>(v.size()))];
        }
        case 2:
            return sign | (last_ & (f_.sign() - 1));
        case 3:  // denormals and the smallest normal numbers
        case 4:
            exponent = below(3);
            break;
        case 5:
            exponent = field - 2 - below(3);
            break;
        case 6:
        case 7:
        case 8: {  // as far from the last one as rounding notices
            const auto distance = below(static_cast<unsigned>(2 * f_.precision + 6));
            exponent = (last_ & (f_.sign() - 1)) >> (f_.precision - 1);
            exponent = (any() & 1) != 0 ? exponent + distance : exponent - distance;
            exponent %= field;
            break;
        }
        case 9:  // products of two of these are at the lower end
        case 10:
            exponent = field / 4 + below(static_cast<unsigned>(f_.precision)) -
                       static_cast<unsigned>(
                           f_.precision / 2 < static_cast<int>(field / 4) ? f_.precision / 2 : 0);
            break;
        default:
            exponent = field / 2 + below(16) - 8;
            break;
    }
    return last_ = sign | (exponent % field) << (f_.precision - 1) | fraction();
}

reference_mode vector_generator::mode() {
    reference_mode m;
    m.rounding = below(4);
    m.daz = (any() & 1) != 0;
    m.fz = (any() & 1) != 0;
    return m;
}

}  // namespace knc::isa::test
