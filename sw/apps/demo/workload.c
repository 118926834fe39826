#include "apps/demo/workload.h"

#include "lib/string.h"

// The compiler must keep each function whole and separate: its name is what the profile shows.
#define WORKLOAD static __attribute__((noinline, noclone, section(".text.workload")))

#define SMALL 285
#define LARGE 2500
#define ORDER 42
#define BYTES 7000
#define KEYS 2000
#define SLOTS 4096
#define TEXT 20000
#define SIEVE 40000
#define QUEENS 7

static USER_BSS u32 small[SMALL], large[LARGE];
static USER_BSS u32 left[ORDER][ORDER], right[ORDER][ORDER], product[ORDER][ORDER];
static USER_BSS u8 bytes[BYTES];
static USER_BSS u32 keys[KEYS], slots[SLOTS];
static USER_BSS char text[TEXT + 1];
static USER_BSS u8 composite[SIEVE];
static USER_BSS u32 checksum, found, matches, primes, solutions;

static u32 sum_small, sum_large;

// The generator of Numerical Recipes; the choice does not matter.
static u32 next_random(u32* state) {
    return *state = *state * 1664525u + 1013904223u;
}

void workload_prepare(void) {
    u32 state = 1;
    sum_small = sum_large = 0;
    for (u32 i = 0; i < SMALL; ++i) sum_small += small[i] = next_random(&state) >> 8;
    for (u32 i = 0; i < LARGE; ++i) sum_large += large[i] = next_random(&state) >> 8;
    for (u32 i = 0; i < ORDER; ++i) {
        for (u32 j = 0; j < ORDER; ++j) {
            left[i][j] = i + j;
            right[i][j] = i == j ? 3 : 1;
        }
    }
    for (u32 i = 0; i < BYTES; ++i) bytes[i] = (u8)(i * 7);
    // Odd multiples of an odd number modulo 2^32: all different.
    for (u32 i = 0; i < KEYS; ++i) keys[i] = (2 * i + 1) * 2654435761u;
    for (u32 i = 0; i < TEXT; ++i) text[i] = "abaababc"[i % 8];
}

WORKLOAD void insertion_sort(void) {
    for (u32 i = 1; i < SMALL; ++i) {
        const u32 v = small[i];
        u32 j = i;
        for (; j > 0 && small[j - 1] > v; --j) small[j] = small[j - 1];
        small[j] = v;
    }
}

WORKLOAD void quick_sort_range(u32* first, u32* last) {
    while (first < last) {
        const u32 pivot = first[(last - first) / 2];
        u32* i = first;
        u32* j = last;
        while (i <= j) {
            while (*i < pivot) ++i;
            while (*j > pivot) --j;
            if (i <= j) {
                const u32 t = *i;
                *i++ = *j;
                *j-- = t;
            }
        }
        quick_sort_range(first, j);
        first = i;
    }
}
static void quick_sort(void) {
    quick_sort_range(large, large + LARGE - 1);
}

WORKLOAD void matrix_product(void) {
    for (u32 i = 0; i < ORDER; ++i) {
        for (u32 j = 0; j < ORDER; ++j) {
            u32 sum = 0;
            for (u32 k = 0; k < ORDER; ++k) sum += left[i][k] * right[k][j];
            product[i][j] = sum;
        }
    }
}

WORKLOAD void crc32(void) {
    u32 crc = ~0u;
    for (u32 i = 0; i < BYTES; ++i) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; ++k) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    checksum = ~crc;
}

// Open addressing; 0 marks a free slot and is no key.
WORKLOAD void hash_table(void) {
    for (u32 i = 0; i < KEYS; ++i) {
        u32 at = (keys[i] ^ keys[i] >> 15) % SLOTS;
        while (slots[at] != 0) at = (at + 1) % SLOTS;
        slots[at] = keys[i];
    }
    for (u32 i = 0; i < KEYS; ++i) {
        u32 at = (keys[i] ^ keys[i] >> 15) % SLOTS;
        while (slots[at] != 0 && slots[at] != keys[i]) at = (at + 1) % SLOTS;
        found += slots[at] == keys[i];
    }
}

WORKLOAD void string_search(void) {
    static const char pattern[] = "abaababcab";
    for (const char* p = text; *p != '\0'; ++p) {
        u32 i = 0;
        while (pattern[i] != '\0' && p[i] == pattern[i]) ++i;
        matches += pattern[i] == '\0';
    }
}

WORKLOAD void prime_sieve(void) {
    for (u32 n = 2; n < SIEVE; ++n) {
        if (composite[n] != 0) continue;
        ++primes;
        for (u32 m = n * 2; m < SIEVE; m += n) composite[m] = 1;
    }
}

WORKLOAD u32 place_queens(u32 all, u32 columns, u32 down, u32 up) {
    if (columns == all) return 1;
    u32 count = 0;
    for (u32 free = all & ~(columns | down | up); free != 0; free &= free - 1) {
        const u32 at = free & -free;
        count += place_queens(all, columns | at, (down | at) << 1, (up | at) >> 1);
    }
    return count;
}
static void queens(void) {
    solutions = place_queens((1u << QUEENS) - 1, 0, 0, 0);
}

static bool sorted(const u32* a, u32 n, u32 sum) {
    for (u32 i = 0; i < n; ++i) {
        if (i > 0 && a[i - 1] > a[i]) return false;
        sum -= a[i];
    }
    return sum == 0;
}
static bool small_sorted(void) {
    return sorted(small, SMALL, sum_small);
}
static bool large_sorted(void) {
    return sorted(large, LARGE, sum_large);
}

// Row i of left sums to ORDER*i + ORDER*(ORDER-1)/2; right is all ones plus 2 on the diagonal.
static bool product_right(void) {
    for (u32 i = 0; i < ORDER; ++i) {
        for (u32 j = 0; j < ORDER; ++j) {
            if (product[i][j] != ORDER * i + ORDER * (ORDER - 1) / 2 + 2 * (i + j)) return false;
        }
    }
    return true;
}

// Values from independent programs: zlib's crc32 of the same bytes, pi(40000 - 1), the known number
// of solutions on a 7 x 7 board. The pattern occurs once in each period of 8 characters that has 10
// left.
static bool crc_right(void) {
    return checksum == 0x029A6DD0u;
}
static bool all_found(void) {
    return found == KEYS;
}
static bool matches_right(void) {
    return matches == TEXT / 8 - 1;
}
static bool primes_right(void) {
    return primes == 4203;
}
static bool solutions_right(void) {
    return solutions == 40;
}

// In order of weight. All weights differ, so a profile that confuses two functions is visible.
const struct workload workloads[WORKLOADS] = {
    {"matrix_product", matrix_product, (u64)matrix_product, product_right},
    {"crc32", crc32, (u64)crc32, crc_right},
    {"prime_sieve", prime_sieve, (u64)prime_sieve, primes_right},
    {"quick_sort_range", quick_sort, (u64)quick_sort_range, large_sorted},
    {"insertion_sort", insertion_sort, (u64)insertion_sort, small_sorted},
    {"string_search", string_search, (u64)string_search, matches_right},
    {"hash_table", hash_table, (u64)hash_table, all_found},
    {"place_queens", queens, (u64)place_queens, solutions_right},
};

u64 workload_run_all(u64 unused) {
    for (u32 i = 0; i < WORKLOADS; ++i) workloads[i].run();
    return unused;
}
