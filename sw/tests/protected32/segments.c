// Segmentation in 32-bit protected mode: limits, granularity, types, expand-down and 16-bit data
// segments, loading of segment registers, the local table.
#include "support.h"

extern u32 push16(u32 selector, u32* esp);

// Selectors of this image.
enum {
    BYTES = FREE_SELECTOR + 0,  // 16 bytes of `area`
    PAGED = FREE_SELECTOR + 8,  // one unit of 4 KB
    READ_ONLY = FREE_SELECTOR + 16,
    CODE_ONLY = FREE_SELECTOR + 24,  // not readable
    CODE_READ = FREE_SELECTOR + 32,
    DOWN = FREE_SELECTOR + 40,     // expand-down, big: above 0xFFF
    DOWN16 = FREE_SELECTOR + 48,   // expand-down, to 64 KB at most
    STACK16 = FREE_SELECTOR + 56,  // 16-bit stack pointer
    LOCAL = FREE_SELECTOR + 64,
    GATE = FREE_SELECTOR + 72,
    ABSENT = FREE_SELECTOR + 80,
    RING0_DATA = FREE_SELECTOR + 88
};

#define FREE_MEMORY 0x00800000  // behind the image

static u32 area[0x2000 / 4] __attribute__((aligned(4096)));
static u32 local_table[4][2] __attribute__((aligned(8)));

static u32 in_selector, in_offset, in_size;

// One access through FS.
static void load_fs(u32 selector) {
    __asm__ volatile("movl %0, %%fs" : : "r"(selector));
}
static void read_fs(void) {
    load_fs(in_selector);
    switch (in_size) {
        case 1:
            __asm__ volatile("movb %%fs:(%0), %%al" : : "r"(in_offset) : "eax");
            return;
        case 2:
            __asm__ volatile("movw %%fs:(%0), %%ax" : : "r"(in_offset) : "eax");
            return;
        default:
            __asm__ volatile("movl %%fs:(%0), %%eax" : : "r"(in_offset) : "eax");
    }
}
static void write_fs(void) {
    load_fs(in_selector);
    __asm__ volatile("movl %%fs:(%0), %%eax\n\tmovl %%eax, %%fs:(%0)" : : "r"(in_offset) : "eax");
}
static void only_load(void) {
    load_fs(in_selector);
}

#define NONE ~0u
static void expect_access(int line, void (*fn)(void), u32 selector, u32 offset, u32 size,
                          u32 vector, u32 error) {
    in_selector = selector;
    in_offset = offset;
    in_size = size;
    if (vector == NONE) {
        check(line, "no exception", run_guarded(fn) == 0);
    } else {
        expect(line, fn, vector, error);
    }
}
#define READ(selector, offset, size) \
    expect_access(__LINE__, read_fs, selector, offset, size, NONE, 0)
#define READ_FAULTS(selector, offset, size) \
    expect_access(__LINE__, read_fs, selector, offset, size, GP, 0)
#define WRITE(selector, offset) expect_access(__LINE__, write_fs, selector, offset, 4, NONE, 0)
#define WRITE_FAULTS(selector, offset) expect_access(__LINE__, write_fs, selector, offset, 4, GP, 0)
#define LOAD(selector) expect_access(__LINE__, only_load, selector, 0, 0, NONE, 0)
#define LOAD_FAULTS(selector, vector) \
    expect_access(__LINE__, only_load, selector, 0, 0, vector, (selector) & ~3u)

static void check_limits(void) {
    READ(BYTES, 15, 1);
    READ(BYTES, 14, 2);
    READ(BYTES, 12, 4);
    READ_FAULTS(BYTES, 16, 1);
    READ_FAULTS(BYTES, 15, 2);
    READ_FAULTS(BYTES, 13, 4);
    READ_FAULTS(BYTES, 0xFFFFFFFF, 1);
    READ_FAULTS(BYTES, 0xFFFFFFFE, 4);  // would wrap into the segment
    WRITE(BYTES, 12);
    WRITE_FAULTS(BYTES, 13);
    // Limit 0 in units of 4 KB: offsets to 0xFFF.
    READ(PAGED, 0xFFC, 4);
    READ_FAULTS(PAGED, 0xFFD, 4);
    READ_FAULTS(PAGED, 0x1000, 1);
}

static void check_expand_down(void) {
    READ_FAULTS(DOWN, 0, 4);
    READ_FAULTS(DOWN, 0xFFF, 1);
    READ_FAULTS(DOWN, 0xFFE, 4);
    READ(DOWN, 0x1000, 4);
    READ(DOWN, 0x10000, 4);
    WRITE(DOWN, 0x1004);
    READ_FAULTS(DOWN16, 0xFFF, 1);
    READ(DOWN16, 0x1000, 4);
    READ(DOWN16, 0xFFFC, 4);
    READ_FAULTS(DOWN16, 0xFFFD, 4);
    READ_FAULTS(DOWN16, 0x10000, 1);
}

static void check_types(void) {
    READ(READ_ONLY, 0, 4);
    WRITE_FAULTS(READ_ONLY, 0);
    LOAD_FAULTS(CODE_ONLY, GP);
    READ(CODE_READ, 0, 4);
    WRITE_FAULTS(CODE_READ, 0);
    LOAD_FAULTS(TASK_SELECTOR, GP);
    LOAD_FAULTS(GATE, GP);
    LOAD_FAULTS(ABSENT, NP);
    LOAD_FAULTS(0x1000, GP);
    // RPL and CPL must not be above the segment's level.
    LOAD_FAULTS(DATA_SELECTOR | 3, GP);
    LOAD(USER_DATA);
    // The null selector can be loaded, not used.
    LOAD(0);
    LOAD(3);
    READ_FAULTS(0, 0, 1);
    // A load marks the segment as accessed.
    descriptor(RING0_DATA)[1] &= ~0x100u;
    LOAD(RING0_DATA);
    CHECK((descriptor(RING0_DATA)[1] & 0x100) != 0);
}

static void load_ss(void) {
    __asm__ volatile("movl %0, %%ss" : : "r"(in_selector));
}
#define STACK_FAULTS(selector, vector) \
    expect_access(__LINE__, load_ss, selector, 0, 0, vector, (selector) & ~3u)

static void check_stack_loads(void) {
    STACK_FAULTS(0, GP);
    STACK_FAULTS(USER_DATA & ~3u, GP);  // DPL is not CPL
    STACK_FAULTS(DATA_SELECTOR | 3, GP);
    STACK_FAULTS(READ_ONLY, GP);
    STACK_FAULTS(CODE_READ, GP);
    STACK_FAULTS(ABSENT, SS);
}

// A 16-bit stack pointer wraps at 64 KB and leaves the upper half of ESP alone.
static void check_stack16(void) {
    u32 esp;
    CHECK(push16(STACK16, &esp) == 0x22221111);
    CHECK(esp == 0xABCDFFFE);
    // They are at the two ends of the segment.
    CHECK(*(volatile u16*)FREE_MEMORY == 0x1111);
    CHECK(*(volatile u16*)(FREE_MEMORY + 0xFFFE) == 0x2222);
}

static void check_instructions(void) {
    u32 value = 0;
    u8 good;
    __asm__ volatile("lsl %2, %0\n\tsetz %1" : "+r"(value), "=qm"(good) : "r"(PAGED) : "cc");
    CHECK(good && value == 0xFFF);
    __asm__ volatile("lar %2, %0\n\tsetz %1" : "+r"(value), "=qm"(good) : "r"(READ_ONLY) : "cc");
    CHECK(good && (value & 0xFE00) == 0x9000);
    value = 77;
    __asm__ volatile("lsl %2, %0\n\tsetz %1" : "+r"(value), "=qm"(good) : "r"(GATE) : "cc");
    CHECK(!good && value == 77);
#define VERIFY(instruction, selector, result)                                             \
    __asm__ volatile(instruction " %w1\n\tsetz %0" : "=qm"(good) : "r"(selector) : "cc"); \
    CHECK(good == (result))
    VERIFY("verr", READ_ONLY, 1);
    VERIFY("verw", READ_ONLY, 0);
    VERIFY("verw", BYTES, 1);
    VERIFY("verr", CODE_ONLY, 0);
    VERIFY("verr", CODE_READ, 1);
    VERIFY("verr", GATE, 0);
    VERIFY("verr", 0x1000, 0);
    VERIFY("verr", 0, 0);
    u16 selector = USER_DATA & ~3u;
    const u16 caller = 2;
    __asm__ volatile("arpl %2, %0\n\tsetz %1" : "+r"(selector), "=qm"(good) : "r"(caller) : "cc");
    CHECK(good && selector == ((USER_DATA & ~3u) | 2));
    __asm__ volatile("arpl %2, %0\n\tsetz %1" : "+r"(selector), "=qm"(good) : "r"((u16)1) : "cc");
    CHECK(!good && selector == ((USER_DATA & ~3u) | 2));
    // Far pointers from memory.
    static const struct {
        u32 offset;
        u16 selector;
    } __attribute__((packed)) pointer = {0x11223344, BYTES};
    u32 offset, loaded;
    __asm__ volatile("lgs %2, %0\n\tmovl %%gs, %1" : "=r"(offset), "=r"(loaded) : "m"(pointer));
    CHECK(offset == 0x11223344 && loaded == BYTES);
}

static void check_local_table(void) {
    local_table[1][0] = descriptor(BYTES)[0];
    local_table[1][1] = descriptor(BYTES)[1];
    set_segment(LOCAL, (u32)local_table, sizeof local_table - 1, 0x82, 0);
    __asm__ volatile("lldt %w0" : : "r"(LOCAL));
    READ(8 | 4, 12, 4);
    READ_FAULTS(8 | 4, 13, 4);
    LOAD_FAULTS(0x20 | 4, GP);  // beyond the local table
    u16 selector;
    __asm__ volatile("sldt %0" : "=r"(selector));
    CHECK(selector == LOCAL);
    __asm__ volatile("lldt %w0" : : "r"(0));
    LOAD_FAULTS(8 | 4, GP);
}

void main(void) {
    set_up();
    set_call_gate(GATE, CODE_SELECTOR, main, 0xEC, 3);
    set_segment(BYTES, (u32)area, 15, DATA0, 0x40);
    set_segment(PAGED, (u32)area, 0, DATA0, 0xC0);
    set_segment(READ_ONLY, (u32)area, 0xFFF, 0x90, 0x40);
    set_segment(CODE_ONLY, (u32)area, 0xFFF, 0x98, 0x40);
    set_segment(CODE_READ, (u32)area, 0xFFF, 0x9A, 0x40);
    set_segment(DOWN, (u32)area, 0, 0x96, 0xC0);
    set_segment(DOWN16, (u32)area - 0x1000, 0xFFF, 0x96, 0);
    set_segment(STACK16, FREE_MEMORY, 0xFFFF, DATA0, 0);
    set_segment(ABSENT, 0, 0xFFFFF, DATA0 & 0x7F, 0xC0);
    set_segment(RING0_DATA, 0, 0xFFFFF, DATA0, 0xC0);
    check_limits();
    check_expand_down();
    check_types();
    check_stack_loads();
    check_stack16();
    check_instructions();
    check_local_table();
    finish();
}
