// 128-bit integers of the compiler, for double-width products, dividends and shifts.
#ifndef KNC_ISA_WIDE_H
#define KNC_ISA_WIDE_H

namespace knc::isa {

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

// `v` shifted right by `n`; bits that drop out are kept as a 1 in bit 0.
template <class Unsigned>
constexpr Unsigned shift_right_jam(Unsigned v, unsigned n) {
    constexpr unsigned bits = 8 * sizeof(Unsigned);
    if (n == 0) return v;
    if (n >= bits) return v != 0;
    return v >> n | ((v << (bits - n)) != 0);
}

}  // namespace knc::isa

#endif
