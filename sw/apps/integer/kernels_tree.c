// The kernels that chase pointers, divide, jump through tables and shift.
#include "apps/integer/kernels.h"

#include "lib/printf.h"
#include "lib/string.h"

static u32 next(u32* state) {
    return *state = *state * 22695477u + 1u;
}

// ---- a binary search tree, filled, searched and walked by recursion

#ifndef KNC_KERNEL_WORKSPACE
#define NODES 180
struct node {
    struct node *left, *right;
    u32 key, count;
};
static USER_BSS struct node nodes[NODES];
static USER_BSS u32 used;
#endif

static __attribute__((noinline)) struct node* insert(struct node* at, u32 key) {
    if (at == NULL) {
        at = &nodes[used++];
        *at = (struct node){NULL, NULL, key, 1};
    } else if (key < at->key) {
        at->left = insert(at->left, key);
    } else if (key > at->key) {
        at->right = insert(at->right, key);
    } else {
        ++at->count;
    }
    return at;
}

// Keys in order; the number of insertions below `at`.
static __attribute__((noinline)) u32 walk(const struct node* at, u32* last, bool* ordered) {
    if (at == NULL) return 0;
    u32 sum = walk(at->left, last, ordered);
    if (at->key < *last) *ordered = false;
    *last = at->key;
    sum += at->count;
    return sum + walk(at->right, last, ordered);
}

bool kernel_tree(u32 seed) {
    struct node* root = NULL;
    used = 0;
    for (u32 i = 0; i < NODES; ++i) root = insert(root, next(&seed) >> 20);
    u32 last = 0;
    bool ordered = true;
    return walk(root, &last, &ordered) == NODES && ordered;
}

// ---- numbers to text and back

static __attribute__((noinline)) u64 parse(const char* text) {
    u64 value = 0;
    for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (u64)(*text - '0');
    return value;
}

bool kernel_decimal(u32 seed) {
    char text[32];
    bool right = true;
    for (u32 i = 0; i < 25; ++i) {
        const u64 value = ((u64)next(&seed) << 32 | next(&seed)) >> next(&seed) % 64;
        snprintf(text, sizeof text, "%lu", value);
        right = right && parse(text) == value;
    }
    return right;
}

// ---- a machine with an accumulator and four registers

enum operation { LOAD, STORE, ADD, SUBTRACT, MODULO, JUMP_IF_ZERO, JUMP, STOP };
struct step {
    u8 operation, operand;
};
// Euclid's algorithm: register 0 becomes the greatest common divisor of registers 0 and 1.
static const struct step euclid[] = {
    {LOAD, 1},  {JUMP_IF_ZERO, 10}, {LOAD, 0},  {MODULO, 1}, {STORE, 2}, {LOAD, 1},
    {STORE, 0}, {LOAD, 2},          {STORE, 1}, {JUMP, 0},   {STOP, 0},
};

static __attribute__((noinline)) u32 interpret(const struct step* program, u32* r) {
    u32 accumulator = 0;
    for (u32 at = 0;;) {
        const struct step s = program[at++];
        switch (s.operation) {
            case LOAD:
                accumulator = r[s.operand];
                break;
            case STORE:
                r[s.operand] = accumulator;
                break;
            case ADD:
                accumulator += r[s.operand];
                break;
            case SUBTRACT:
                accumulator -= r[s.operand];
                break;
            case MODULO:
                accumulator %= r[s.operand];
                break;
            case JUMP_IF_ZERO:
                if (accumulator == 0) at = s.operand;
                break;
            case JUMP:
                at = s.operand;
                break;
            default:
                return r[0];
        }
    }
}

// Uses only subtraction and halving.
static u32 divisor(u32 a, u32 b) {
    u32 twos = 0;
    while (((a | b) & 1) == 0) {
        a >>= 1;
        b >>= 1;
        ++twos;
    }
    while (a != b) {
        if ((a & 1) == 0) {
            a >>= 1;
        } else if ((b & 1) == 0) {
            b >>= 1;
        } else if (a > b) {
            a -= b;
        } else {
            b -= a;
        }
    }
    return a << twos;
}

bool kernel_interpret(u32 seed) {
    bool right = true;
    for (u32 i = 0; i < 12; ++i) {
        const u32 common = 1 + (next(&seed) >> 22);
        u32 r[4] = {common * (1 + (next(&seed) >> 16)), common * (1 + (next(&seed) >> 16)), 0, 0};
        const u32 expected = divisor(r[0], r[1]);
        right = right && interpret(euclid, r) == expected && expected % common == 0;
    }
    return right;
}

// ---- bits: counted two ways, reversed twice, rotated all the way round

static u32 count_bits(u64 v) {
    v -= v >> 1 & 0x5555555555555555;
    v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
    v = (v + (v >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return (u32)(v * 0x0101010101010101 >> 56);
}
static u64 reverse(u64 v) {
    u64 result = 0;
    for (u32 i = 0; i < 64; ++i) {
        result = result << 1 | (v & 1);
        v >>= 1;
    }
    return result;
}

bool kernel_bits(u32 seed) {
    bool right = true;
    for (u32 i = 0; i < 12; ++i) {
        const u64 v = (u64)next(&seed) << 32 | next(&seed);
        u32 ones = 0;
        for (u64 rest = v; rest != 0; rest &= rest - 1) ++ones;
        u64 turned = v;
        for (u32 n = 0; n < 64; n += 8) turned = turned << 8 | turned >> 56;
        right = right && count_bits(v) == ones && reverse(reverse(v)) == v && turned == v;
    }
    return right;
}
