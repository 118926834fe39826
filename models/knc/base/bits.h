// Bit fields of registers.
#ifndef KNC_BASE_BITS_H
#define KNC_BASE_BITS_H

#include <cstdint>

namespace knc::base {

// `n` low bits set, n = 0 .. 64.
constexpr std::uint64_t mask(unsigned n) {
    return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}
constexpr std::uint64_t bit(unsigned n) {
    return std::uint64_t{1} << n;
}
constexpr bool test(std::uint64_t value, unsigned n) {
    return (value >> n & 1) != 0;
}
// Bits hi..lo of `value`, right-aligned.
constexpr std::uint64_t bits(std::uint64_t value, unsigned hi, unsigned lo) {
    return value >> lo & mask(hi - lo + 1);
}
// `value` with bits hi..lo replaced by `field`.
constexpr std::uint64_t insert(std::uint64_t value, unsigned hi, unsigned lo, std::uint64_t field) {
    const std::uint64_t m = mask(hi - lo + 1) << lo;
    return (value & ~m) | (field << lo & m);
}
// Sign extension of the low `n` bits, n = 1 .. 64.
constexpr std::int64_t sign_extend(std::uint64_t value, unsigned n) {
    return static_cast<std::int64_t>(value << (64 - n)) >> (64 - n);
}

}  // namespace knc::base

#endif
