// Integers as floating point numbers, by integer instructions alone: what checks the vector unit
// must not depend on it.
#ifndef KNC_SW_LIB_FLOAT_BITS_H
#define KNC_SW_LIB_FLOAT_BITS_H

#include "lib/knc_vector.h"
#include "lib/types.h"

// The bits of n * 2^power in a format with `fraction` bits behind the point. Exact if n has no more
// than fraction + 1 significant bits and the result is a normal number.
static inline u64 float_bits(i64 n, int power, int fraction, int bias) {
    if (n == 0) return 0;
    const u64 magnitude = n < 0 ? -(u64)n : (u64)n;
    const int top = 63 - __builtin_clzll(magnitude);
    const u64 aligned =
        top <= fraction ? magnitude << (fraction - top) : magnitude >> (top - fraction);
    const u64 positive = ((u64)(bias + top + power) << fraction) + (aligned - (1ul << fraction));
    const u64 sign = 1ul << (bias == 127 ? 31 : 63);
    return n < 0 ? positive | sign : positive;
}

// n as a float32 (|n| up to 2^24) and as a float64 (|n| up to 2^53).
static inline u32 float32_bits(i64 n) {
    return (u32)float_bits(n, 0, 23, 127);
}
static inline u64 float64_bits(i64 n) {
    return float_bits(n, 0, 52, 1023);
}
// Element `index` of an array of float64, or else of float32: becomes n; is n.
static inline void float_set(bool f64, void* array, u64 index, i64 n) {
    if (f64)
        ((knc_8*)array)[index] = float64_bits(n);
    else
        ((knc_4*)array)[index] = float32_bits(n);
}
static inline bool float_is(bool f64, const void* array, u64 index, i64 n) {
    return f64 ? ((const knc_8*)array)[index] == float64_bits(n)
               : ((const knc_4*)array)[index] == float32_bits(n);
}
// n * 2^power
static inline u32 float32_scaled(i64 n, int power) {
    return (u32)float_bits(n, power, 23, 127);
}

#endif
