// Segmentation in 32-bit protected mode: limits, granularity, types, expand-down and 16-bit
// segments, loading of segment registers, local table, call gates, conforming code, tasks.
#include "support.h"

extern u8 code16[], call_gate16[], add16[], add3[], tell_segments[], tell_level[], other_task[];
extern u16 gate16_pointer[2];
extern u32 push16(u32 selector, u32* esp);
extern volatile u32 task_runs, task_flags;

// Selectors of this image.
enum {
    BYTES = FREE_SELECTOR + 0,  // 16 bytes of `area`
    PAGED = FREE_SELECTOR + 8,  // one unit of 4 KB
    READ_ONLY = FREE_SELECTOR + 16,
    CODE_ONLY = FREE_SELECTOR + 24,  // not readable
    CODE_READ = FREE_SELECTOR + 32,
    DOWN = FREE_SELECTOR + 40,        // expand-down, big: above 0xFFF
    DOWN16 = FREE_SELECTOR + 48,      // expand-down, to 64 KB at most
    SMALL_CODE = FREE_SELECTOR + 56,  // 16 bytes
    SMALL_STACK = FREE_SELECTOR + 64,
    CODE16 = FREE_SELECTOR + 72,
    CALLER16 = FREE_SELECTOR + 80,
    STACK16 = FREE_SELECTOR + 88,  // 16-bit stack pointer
    LOCAL = FREE_SELECTOR + 96,
    GATE = FREE_SELECTOR + 104,
    TELL_GATE = FREE_SELECTOR + 112,
    GATE0 = FREE_SELECTOR + 120,  // for ring 0 only
    GATE16 = FREE_SELECTOR + 128,
    BAD_GATE = FREE_SELECTOR + 136,
    CONFORMING = FREE_SELECTOR + 144,
    OTHER_TASK = FREE_SELECTOR + 152,
    TASK_GATE = FREE_SELECTOR + 160,
    ABSENT = FREE_SELECTOR + 168,
    RING0_DATA = FREE_SELECTOR + 176
};

#define FREE_MEMORY 0x00800000  // behind the image

static u32 area[0x2000 / 4] __attribute__((aligned(4096)));
static u32 local_table[4][2] __attribute__((aligned(8)));
static u32 second_task[26];
static u32 stack_of_task[256];

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

static void call_far(u32 selector) {
    const struct {
        u32 offset;
        u16 selector;
    } __attribute__((packed)) to = {0, (u16)selector};
    __asm__ volatile("lcall *%0" : : "m"(to) : "eax", "ecx", "edx", "esi", "edi", "memory", "cc");
}
static void call_selected(void) {
    call_far(in_selector);
}
#define CALL_FAULTS(to, vector, error) \
    expect_access(__LINE__, call_selected, to, 0, 0, vector, error)

static void check_code16(void) {
    set_segment(CODE16, (u32)code16, 0xFF, CODE0, 0);
    area[1] = 0x5678;
    __asm__ volatile("movl %0, %%gs" : : "r"(PAGED));
    u32 sum = 0x1111, other = 0x2345, difference, found;
    __asm__ volatile("lcall %4, $0"
                     : "+a"(sum), "+b"(other), "=&d"(difference), "=&S"(found)
                     : "i"(CODE16)
                     : "ecx", "edi", "memory", "cc");
    CHECK(sum == (0x12340000 | 0x3456));
    CHECK(difference == 2);
    CHECK((found & 0xFFFF) == 0x5678);
}

static void jump_beyond(void) {
    __asm__ volatile("ljmp %0, $16" : : "i"(SMALL_CODE));
}
static void run_to_the_end(void) {
    __asm__ volatile("ljmp %0, $14" : : "i"(SMALL_CODE));
}

static void check_code_limit(void) {
    set_segment(SMALL_CODE, (u32)area, 15, CODE0, 0x40);
    area[3] = 0x90909090;  // up to the limit
    EXPECT(jump_beyond, GP, 0);
    EXPECT(run_to_the_end, GP, 0);
    CALL_FAULTS(DATA_SELECTOR, GP, DATA_SELECTOR);
    CALL_FAULTS(ABSENT, GP, ABSENT);  // data, before it is found absent
    CALL_FAULTS(USER_CODE & ~3u, GP, USER_CODE & ~3u);
    CALL_FAULTS(0, GP, 0);
}

static void check_call_gates(void) {
    u32 sum, moved;
    __asm__ volatile(
        "movl %%esp, %%esi\n\t"
        "pushl $100\n\t"
        "pushl $20\n\t"
        "pushl $3\n\t"
        "lcall %2, $0\n\t"
        "subl %%esp, %%esi"
        : "=a"(sum), "=&S"(moved)
        : "i"(GATE)
        : "ecx", "edx", "memory", "cc");
    CHECK(sum == 123);
    CHECK(moved == 0);
    set_call_gate(BAD_GATE, CODE_SELECTOR, add3, 0x6C, 0);
    CALL_FAULTS(BAD_GATE, NP, BAD_GATE);
    set_call_gate(BAD_GATE, DATA_SELECTOR, add3, 0xEC, 0);
    CALL_FAULTS(BAD_GATE, GP, DATA_SELECTOR);
    set_call_gate(BAD_GATE, 0, add3, 0xEC, 0);
    CALL_FAULTS(BAD_GATE, GP, 0);
    // A 16-bit gate pushes a return address of 16 bits, so its caller is 16-bit code.
    set_segment(CALLER16, (u32)call_gate16, 0xFF, CODE0, 0);
    set_segment(CODE16, (u32)add16, 0xFF, CODE0, 0);
    set_call_gate(GATE16, CODE16, 0, 0xE4, 2);
    gate16_pointer[1] = GATE16;
    u32 result;
    __asm__ volatile("lcall %1, $0" : "=a"(result) : "i"(CALLER16) : "memory", "cc");
    CHECK(result == 0x1234);
}

// ---- from ring 3

static u32 user_call_gate(void) {
    u32 sum;
    __asm__ volatile(
        "pushl $100\n\t"
        "pushl $20\n\t"
        "pushl $3\n\t"
        "lcall %1, $0"
        : "=a"(sum)
        : "i"(GATE | 3)
        : "ecx", "edx", "memory", "cc");
    return sum;
}
static volatile u32 inner_cs, inner_ss, inner_esp, outer_esp_kept;
static u32 user_tells_segments(void) {
    u32 cs, ss, esp, kept;
    __asm__ volatile(
        "movl %%esp, %%esi\n\t"
        "lcall %4, $0\n\t"
        "subl %%esp, %%esi"
        : "=a"(cs), "=d"(ss), "=c"(esp), "=&S"(kept)
        : "i"(TELL_GATE | 3)
        : "memory", "cc");
    inner_cs = cs;
    inner_ss = ss;
    inner_esp = esp;
    outer_esp_kept = kept;
    return 0;
}
static u32 user_calls_private_gate(void) {
    call_far(GATE0 | 3);
    return 0;
}
static u32 user_calls_code0(void) {
    call_far(CODE_SELECTOR | 3);
    return 0;
}
static u32 user_loads_data0(void) {
    __asm__ volatile("movl %0, %%es" : : "r"(DATA_SELECTOR));
    return 0;
}
static u32 user_loads_stack0(void) {
    __asm__ volatile("movl %0, %%ss" : : "r"(DATA_SELECTOR));
    return 0;
}
static u32 user_calls_conforming(void) {
    u32 cs;
    __asm__ volatile("lcall %1, $0" : "=a"(cs) : "i"(CONFORMING | 3) : "memory", "cc");
    return cs;
}
static u32 user_reads_fs_gs(void) {
    u32 fs, gs;
    __asm__ volatile("movl %%fs, %0\n\tmovl %%gs, %1" : "=r"(fs), "=r"(gs));
    return fs << 16 | gs;
}
static u32 user_pushes_beyond(void) {
    // A stack fault of ring 3 is taken on ring 0's stack.
    __asm__ volatile(
        "movl %0, %%eax\n\t"
        "movl %%eax, %%ss\n\t"
        "movl $8, %%esp\n\t"
        "pushl %%eax\n\t"
        "pushl %%eax\n\t"
        "pushl %%eax"
        :
        : "i"(SMALL_STACK | 3)
        : "eax", "memory");
    return 0;
}

static void check_from_ring3(void) {
    CHECK(run_user(user_call_gate) == 123);
    set_call_gate(TELL_GATE, CODE_SELECTOR, tell_segments, 0xEC, 0);
    run_user(user_tells_segments);
    CHECK(inner_cs == CODE_SELECTOR);
    CHECK(inner_ss == DATA_SELECTOR);
    // On the stack of the task: SS, ESP, CS, EIP.
    CHECK(inner_esp == task[1] - 16);
    CHECK(outer_esp_kept == 0);
    set_call_gate(GATE0, CODE_SELECTOR, tell_segments, 0x8C, 0);
    EXPECT_USER(user_calls_private_gate, GP, GATE0);
    EXPECT_USER(user_calls_code0, GP, CODE_SELECTOR);
    EXPECT_USER(user_loads_data0, GP, DATA_SELECTOR);
    EXPECT_USER(user_loads_stack0, GP, DATA_SELECTOR);
    // A conforming segment runs at its caller's level.
    set_segment(CONFORMING, (u32)tell_level, 0xFF, 0x9E, 0x40);
    CHECK(run_user(user_calls_conforming) == (CONFORMING | 3));
    // Data segments ring 3 may not have are gone after the way out.
    __asm__ volatile("movl %0, %%fs\n\tmovl %1, %%gs" : : "r"(BYTES), "r"(USER_DATA));
    CHECK(run_user(user_reads_fs_gs) == USER_DATA);
    set_segment(SMALL_STACK, (u32)area, 15, DATA3, 0x40);
    EXPECT_USER(user_pushes_beyond, SS, 0);
}

static void set_other_task(void) {
    second_task[8] = (u32)other_task;
    second_task[9] = 2;
    second_task[14] = (u32)(stack_of_task + 256);
    for (u32 i = 18; i <= 23; ++i) second_task[i] = DATA_SELECTOR;
    second_task[19] = CODE_SELECTOR;
    second_task[25] = sizeof second_task << 16;
    set_segment(OTHER_TASK, (u32)second_task, sizeof second_task - 1, TASK, 0);
    set_call_gate(TASK_GATE, OTHER_TASK, 0, 0xE5, 0);
}

static void check_tasks(void) {
    set_other_task();
    u32 kept = 0x13579BDF;
    __asm__ volatile("lcall %1, $0" : "+b"(kept) : "i"(TASK_GATE) : "memory");
    CHECK(task_runs == 1);
    CHECK(kept == 0x13579BDF);
    CHECK((task_flags & 0x4000) != 0);  // NT: the task has a caller
    CHECK(second_task[0] == TASK_SELECTOR);
    __asm__ volatile("lcall %0, $0" : : "i"(OTHER_TASK) : "memory");
    CHECK(task_runs == 2);
    // A task that is busy cannot be called again.
    u16 current;
    __asm__ volatile("str %0" : "=r"(current));
    CHECK(current == TASK_SELECTOR);
    CALL_FAULTS(TASK_SELECTOR, GP, TASK_SELECTOR);
    // Task switches set CR0.TS.
    u32 cr0;
    __asm__ volatile("movl %%cr0, %0" : "=r"(cr0));
    CHECK((cr0 & 8) != 0);
    __asm__ volatile("clts");
}

void main(void) {
    set_up();
    set_call_gate(GATE, CODE_SELECTOR, add3, 0xEC, 3);
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
    check_code16();
    check_code_limit();
    check_call_gates();
    check_from_ring3();
    check_tasks();
    finish();
}
