// The pitch of a matrix: a product of two matrices of 32-bit integers by the plain triple loop,
// which reads a column of the second one for each element. With a pitch of 4096 bytes all lines of
// a column lie in one set of the L1, which holds eight of them.
//
// Command line: size=N (rows and columns, default 32, at most 64). The products are at ring 3.
// Marks 1 and 2: pitch of 4096 bytes; 3 and 4: 4096 + 64 bytes.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/user.h"
#include "lib/vm.h"

#define MOST 64ul
#define ALIGNED 4096ul
#define LINE 64ul

static USER_BSS u64 size, pitch;
static USER_BSS u32* b;
static USER_BSS u32 a[MOST * MOST] __attribute__((aligned(64)));
static USER_BSS u32 c[MOST * MOST] __attribute__((aligned(64)));

static u64 multiply(u64 unused) {
    const u64 step = pitch / sizeof(u32);
    for (u64 i = 0; i < size; ++i)
        for (u64 j = 0; j < size; ++j) {
            u32 sum = 0;
            for (u64 k = 0; k < size; ++k) sum += a[i * size + k] * b[k * step + j];
            c[i * size + j] = sum;
        }
    return unused;
}

// a[i][k] = i + k, b[k][j] = k - j.
static u32 element(u32 i, u32 j) {
    u32 sum = 0;
    for (u32 k = 0; k < size; ++k) sum += (i + k) * (k - j);
    return sum;
}

static u64 measure(u64 bytes, u32 first_mark) {
    pitch = bytes;
    for (u32 i = 0; i < size; ++i)
        for (u32 k = 0; k < size; ++k) {
            a[i * size + k] = i + k;
            b[i * pitch / sizeof(u32) + k] = i - k;
        }
    user_call(multiply, 0);
    platform_marker(first_mark);
    const u64 begin = rdtsc();
    user_call(multiply, 0);
    const u64 clocks = rdtsc() - begin;
    platform_marker(first_mark + 1);
    u64 wrong = 0;
    for (u32 i = 0; i < size; ++i)
        for (u32 j = 0; j < size; ++j) wrong += c[i * size + j] != element(i, j);
    CHECK_EQ(wrong, 0);
    return clocks;
}

int main(void) {
    size = option_number("size", 32);
    if (!CHECK(size >= 1 && size <= MOST)) return check_summary();
    const u64 bytes = size * (ALIGNED + LINE);
    b = heap_allocate(bytes, VM_PAGE);
    if (!CHECK(b != NULL && vm_protect(b, bytes, VM_USER | VM_WRITE))) return check_summary();
    const u64 aligned = measure(ALIGNED, 1), shifted = measure(ALIGNED + LINE, 3);
    printf("%lu clocks with a pitch of %lu bytes, %lu with %lu\n", aligned, ALIGNED, shifted,
           ALIGNED + LINE);
    CHECK(shifted < aligned);
    return check_summary();
}
