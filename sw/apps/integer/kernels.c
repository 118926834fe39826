#include "apps/integer/kernels.h"

#include "lib/string.h"

static u32 next(u32* state) {
    return *state = *state * 1664525u + 1013904223u;
}

// ---- compression: literals and (distance, length) pairs found through a hash of three bytes

// An image whose threads have data of their own brings the declarations along (apps/mix).
#ifndef KNC_KERNEL_WORKSPACE
#define PLAIN 700
#define HASHES 256
static USER_BSS u8 plain[PLAIN], packed[2 * PLAIN], unpacked[PLAIN];
static USER_BSS u16 last_place[HASHES];
#endif

static u32 hash3(const u8* at) {
    const u32 v = (u32)at[0] | (u32)at[1] << 8 | (u32)at[2] << 16;
    return v * 2654435761u >> 24;
}

static __attribute__((noinline)) u32 compress(const u8* in, u32 size, u8* out) {
    u32 written = 0;
    memset(last_place, 0, sizeof last_place);
    for (u32 i = 0; i < size;) {
        u32 length = 0, from = 0;
        if (i + 3 <= size) {
            const u32 h = hash3(in + i);
            from = last_place[h];
            last_place[h] = (u16)i;
            if (from < i && i - from < 256)
                while (i + length < size && length < 127 && in[from + length] == in[i + length])
                    ++length;
        }
        if (length >= 3) {
            out[written++] = (u8)(0x80 | length);
            out[written++] = (u8)(i - from);
            i += length;
        } else {
            out[written++] = in[i] & 0x7F;
            ++i;
        }
    }
    return written;
}

static __attribute__((noinline)) u32 decompress(const u8* in, u32 size, u8* out) {
    u32 written = 0;
    for (u32 i = 0; i < size;) {
        const u8 token = in[i++];
        if ((token & 0x80) == 0) {
            out[written++] = token;
            continue;
        }
        const u8 distance = in[i++];
        for (u32 n = token & 0x7F; n > 0; --n, ++written) out[written] = out[written - distance];
    }
    return written;
}

bool kernel_compress(u32 seed) {
    static const char words[8][6] = {"add",  "load",  "shift", "jump",
                                     "call", "store", "test",  "ret"};
    u32 size = 0;
    while (size < PLAIN) {
        const char* w = words[next(&seed) >> 29];
        while (*w != '\0' && size < PLAIN) plain[size++] = (u8)*w++;
        if (size < PLAIN) plain[size++] = ' ';
    }
    const u32 shorter = compress(plain, PLAIN, packed);
    return shorter < PLAIN && decompress(packed, shorter, unpacked) == PLAIN &&
           memcmp(plain, unpacked, PLAIN) == 0;
}

// ---- heap sort through a comparison function

#ifndef KNC_KERNEL_WORKSPACE
#define ITEMS 220
struct item {
    u32 key, tag;
};
static USER_BSS struct item items[ITEMS];
#endif

static __attribute__((noinline)) int compare(const struct item* a, const struct item* b) {
    return a->key != b->key ? (a->key < b->key ? -1 : 1) : (int)a->tag - (int)b->tag;
}

static void sift(u32 root, u32 size, int (*order)(const struct item*, const struct item*)) {
    for (u32 child; (child = 2 * root + 1) < size; root = child) {
        if (child + 1 < size && order(&items[child], &items[child + 1]) < 0) ++child;
        if (order(&items[root], &items[child]) >= 0) return;
        const struct item t = items[root];
        items[root] = items[child];
        items[child] = t;
    }
}

bool kernel_sort(u32 seed) {
    u64 sum = 0, sorted_sum = 0;
    for (u32 i = 0; i < ITEMS; ++i) {
        items[i] = (struct item){next(&seed) >> 24, i};
        sum += (u64)items[i].key << 32 | items[i].tag;
    }
    for (u32 i = ITEMS / 2; i-- > 0;) sift(i, ITEMS, compare);
    for (u32 end = ITEMS; end-- > 1;) {
        const struct item t = items[0];
        items[0] = items[end];
        items[end] = t;
        sift(0, end, compare);
    }
    bool ordered = true;
    for (u32 i = 0; i < ITEMS; ++i) {
        sorted_sum += (u64)items[i].key << 32 | items[i].tag;
        if (i > 0 && compare(&items[i - 1], &items[i]) >= 0) ordered = false;
    }
    return ordered && sum == sorted_sum;
}

// ---- numbers of many words, checked modulo 2^32 - 5

#define WORDS 12
#define MODULUS 4294967291ul

static u64 residue(const u64* words, u32 count) {
    u64 r = 0;
    for (u32 i = count; i-- > 0;) {
        r = (r << 32 | words[i] >> 32) % MODULUS;
        r = (r << 32 | (u32)words[i]) % MODULUS;
    }
    return r;
}

static __attribute__((noinline)) void multiply(const u64* a, const u64* b, u64* product) {
    memset(product, 0, 2 * WORDS * sizeof *product);
    for (u32 i = 0; i < WORDS; ++i) {
        u64 carry = 0;
        for (u32 j = 0; j < WORDS; ++j) {
            const unsigned __int128 t = (unsigned __int128)a[i] * b[j] + product[i + j] + carry;
            product[i + j] = (u64)t;
            carry = (u64)(t >> 64);
        }
        product[i + WORDS] = carry;
    }
}

bool kernel_multiply(u32 seed) {
    u64 a[WORDS], b[WORDS], product[2 * WORDS];
    bool right = true;
    for (u32 round = 0; round < 5; ++round) {
        for (u32 i = 0; i < WORDS; ++i) {
            a[i] = (u64)next(&seed) << 32 | next(&seed);
            b[i] = (u64)next(&seed) << 32 | next(&seed);
        }
        multiply(a, b, product);
        const u64 expected = residue(a, WORDS) * residue(b, WORDS) % MODULUS;
        right = right && residue(product, 2 * WORDS) == expected;
    }
    return right;
}
