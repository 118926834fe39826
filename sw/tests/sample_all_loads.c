#include "tests/sample_all.h"

#define KEEP __attribute__((noinline, noclone))
#define CELLS 2048

static USER_BSS u32 cells[CELLS];

// Deep call chains.
KEEP static u64 fibonacci(u64 n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// The compiler puts these into their callers.
#define INLINED static inline __attribute__((always_inline))
INLINED u64 fold(u64 x, u32 bits) {
    return x ^ x >> bits;
}
INLINED u64 scramble(u64 x) {
    x = fold(x, 29);
    x *= 0xBF58476D1CE4E5B9ul;
    return fold(x, 32);
}

KEEP static u64 mix(u64 n) {
    u64 x = n;
    for (u64 i = 0; i < n; ++i) x = scramble(x + i);
    return x;
}

// Loads that miss the L1 cache now and then.
KEEP static u64 walk(u64 n) {
    u64 sum = 0;
    u32 at = 0;
    for (u64 i = 0; i < n; ++i) {
        sum += cells[at];
        at = (at + 1031) % CELLS;
    }
    return sum;
}

// Few instructions, many clocks.
KEEP static u64 divide(u64 n) {
    volatile u64 divisor = 3;
    u64 x = ~0ul;
    for (u64 i = 0; i < n; ++i) x = x / divisor + (i << 40);
    return x;
}

KEEP u64 load(u64 what) {
    const u64 n = what >> 8;
    u64 result = 0;
    // The results are not used, but the calls must remain.
    switch (what & 0xFF) {
        case 0:
            for (u64 i = 0; i < n / 4096; ++i) result += fibonacci(12);
            break;
        case 1:
            result = mix(n / 8);
            break;
        case 2:
            result = walk(n / 6);
            break;
        default:
            result = divide(n / 8);
            break;
    }
    __asm__ volatile("" : "+r"(result));
    return result;
}
