// Counts a small program of MMX, x87 and recursion on a Pentium with MMX, two events at a time, and
// prints the metrics of chapter 6 of Intel's MMX developer's guide. For the preset p55c.
#include "drivers/p55c/p55c.h"
#include "tests/protected32/support.h"

#define NUMBERS 256u

u32 dot(const short* a, const short* b, u32 n);
void mix(short* to, const short* a, const short* b, u32 n);
void scale(u32 n);

static short left[NUMBERS] __attribute__((aligned(64))),
    right[NUMBERS] __attribute__((aligned(64)));
static short sum[NUMBERS] __attribute__((aligned(64)));

static u32 fibonacci(u32 n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void work(void) {
    for (u32 i = 0; i < 4; ++i) {
        dot(left, right, NUMBERS / 4);
        mix(sum, left, right, NUMBERS / 4);
        scale(20);
        fibonacci(8);
    }
}

// One run for each pair of events, after a first one that fills caches and predictions.
static u32 count0, count1;
static void count(u32 event0, u32 cc0, u32 event1, u32 cc1) {
    u64 v[P55C_COUNTERS];
    p55c_start(p55c_control(p55c_field(event0, cc0, 0), p55c_field(event1, cc1, 0)), 0, 0);
    work();
    p55c_stop(v);
    count0 = (u32)v[0];
    count1 = (u32)v[1];
}

static void print_number(u32 n) {
    char digits[11];
    u32 at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n != 0);
    print(digits + at);
}
static void line(const char* name, u32 value) {
    print(name);
    print(" ");
    print_number(value);
    print("\n");
}
// In thousandths.
static void ratio(const char* name, u32 a, u32 b) {
    const u32 t = b == 0 ? 0 : (a * 1000u + b / 2) / b;
    print(name);
    print(" ");
    print_number(t / 1000);
    print(".");
    print_number(t / 100 % 10);
    print_number(t / 10 % 10);
    print_number(t % 10);
    print("\n");
}

void demo(void);
void demo(void) {
    set_up();
    __asm__ volatile("fninit");
    for (u32 i = 0; i < NUMBERS; ++i) {
        left[i] = (short)(i * 250);
        right[i] = (short)(i * 3);
    }
    work();
    enum { ALL = P55C_ALL, CLOCKS = P55C_ALL | P55C_CLOCKS };
    count(0x30, CLOCKS, 0x16, ALL);
    const u32 clocks = count0, instructions = count1;
    count(0x17, ALL, 0x12, ALL);
    const u32 in_v = count0;
    const u32 branches = count1;
    count(0x2B, ALL, 0x2B, ALL);
    const u32 mmx = count0 + count1, mmx_in_v = count1;
    count(0x2F, ALL, 0x2F, ALL);
    const u32 saturating = count0, saturated = count1;
    count(0x35, ALL, 0x35, ALL);
    const u32 wrong = count0, in_wb = count1;
    count(0x39, ALL, 0x37, ALL);
    const u32 returns = count0, predicted = count1;
    count(0x37, ALL, 0x39, ALL);
    const u32 missed = count0, empty = count1;
    count(0x2D, ALL, 0x2D, ALL);
    const u32 transitions = count1;
    count(0x32, CLOCKS, 0x03, ALL);
    const u32 frozen = count0;

    line("instructions", instructions);
    ratio("net CPI", clocks, instructions);
    ratio("of the instructions in V", in_v, instructions);
    ratio("MMX", mmx, instructions);
    ratio("of MMX in V", mmx_in_v, mmx);
    ratio("saturated of those that saturate", saturated, saturating);
    ratio("branches followed wrongly", wrong, branches);
    line("resolved in E", wrong - in_wb);
    line("resolved in WB", in_wb);
    line("returns", returns);
    line("with a prediction", predicted);
    line("predicted rightly", returns - missed);
    line("return stack empty", empty);
    line("transitions between MMX and x87", transitions);
    ratio("clocks in which x87 holds the pipes", frozen, clocks);
    // What must hold of any program.
    CHECK(saturated <= saturating);
    CHECK(in_wb <= wrong);
    CHECK(missed + predicted >= returns);
    CHECK(mmx_in_v <= in_v);
    CHECK(in_v * 2 <= instructions);
    finish();
}
