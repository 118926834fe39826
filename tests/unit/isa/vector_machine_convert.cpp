// Lanes of conversions between formats, and rounding to fixed point.
#include "vector_machine_lanes.h"

namespace knc::isa::test::lanes {
namespace {

// Bits 7:4 of the immediate: the power of two that scales the number; 8 and above are reserved.
int adjustment(const vm_lane& x) {
    constexpr int all[] = {0, 4, 5, 8, 16, 24, 31, 32};
    return all[x.imm >> 4 & 7];
}
// Rounded as bits 1:0 of the immediate say.
reference_mode mode(const vm_lane& x) {
    reference_mode m = x.mode;
    m.rounding = x.imm & 3;
    return m;
}
vm_result integer(const vm_lane& x, unsigned size, std::int64_t lowest, std::int64_t highest) {
    reference_result r = reference_to_integer(vm_format(size), x.third.get(x.n, size),
                                              adjustment(x), lowest, highest, mode(x));
    r.bits &= 0xffff'ffff;
    return r;
}
std::uint64_t exact_double(double v) {
    std::uint64_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
}

}  // namespace

vm_result rndfxpnt(const vm_lane& x) {
    return reference_round_to_fixed(vm_format(x.size), x.b(), adjustment(x), mode(x));
}
vm_result cvtps2pd(const vm_lane& x) {
    return reference_convert(float32, float64, x.third.get(x.n, 4), true, true, x.mode);
}
vm_result cvtpd2ps(const vm_lane& x) {
    return reference_convert(float64, float32, x.third.get(x.n, 8), true, true, x.mode);
}
vm_result cvtdq2pd(const vm_lane& x) {
    return exact_double(static_cast<std::int32_t>(x.third.get(x.n, 4)));
}
vm_result cvtudq2pd(const vm_lane& x) {
    return exact_double(static_cast<std::uint32_t>(x.third.get(x.n, 4)));
}
vm_result cvtfxpntdq2ps(const vm_lane& x) {
    const auto v = static_cast<std::int32_t>(x.b());
    return reference_from_integer(float32, v, adjustment(x), mode(x));
}
vm_result cvtfxpntudq2ps(const vm_lane& x) {
    const auto v = static_cast<std::int64_t>(x.b());
    return reference_from_integer(float32, v, adjustment(x), mode(x));
}
vm_result cvtfxpntps2dq(const vm_lane& x) {
    return integer(x, 4, INT32_MIN, INT32_MAX);
}
vm_result cvtfxpntps2udq(const vm_lane& x) {
    return integer(x, 4, 0, UINT32_MAX);
}
vm_result cvtfxpntpd2dq(const vm_lane& x) {
    return integer(x, 8, INT32_MIN, INT32_MAX);
}
vm_result cvtfxpntpd2udq(const vm_lane& x) {
    return integer(x, 8, 0, UINT32_MAX);
}

}  // namespace knc::isa::test::lanes
