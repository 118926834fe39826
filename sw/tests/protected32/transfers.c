// Transfers of control between segments in 32-bit protected mode: 16-bit code, limits, call gates
// of both sizes, from ring 3 inwards and back, conforming code, tasks.
#include "support.h"

extern u8 code16[], call_gate16[], add16[], add3[], tell_segments[], tell_level[], other_task[];
extern u16 gate16_pointer[2];
extern volatile u32 task_runs, task_flags;

// Selectors of this image.
enum {
    AREA = FREE_SELECTOR + 0,
    SMALL_CODE = FREE_SELECTOR + 8,  // 16 bytes
    SMALL_STACK = FREE_SELECTOR + 16,
    CODE16 = FREE_SELECTOR + 24,
    CALLER16 = FREE_SELECTOR + 32,
    GATE = FREE_SELECTOR + 40,
    TELL_GATE = FREE_SELECTOR + 48,
    GATE0 = FREE_SELECTOR + 56,  // for ring 0 only
    GATE16 = FREE_SELECTOR + 64,
    BAD_GATE = FREE_SELECTOR + 72,
    CONFORMING = FREE_SELECTOR + 80,
    OTHER_TASK = FREE_SELECTOR + 88,
    TASK_GATE = FREE_SELECTOR + 96,
    ABSENT = FREE_SELECTOR + 104
};

static u32 area[16];
static u32 second_task[26];
static u32 stack_of_task[256];

static u32 in_selector;

// Of the parameters given to add3.
#define SUM 0x22334455u

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
static void expect_call(int line, u32 selector, u32 vector, u32 error) {
    in_selector = selector;
    expect(line, call_selected, vector, error);
}
#define CALL_FAULTS(to, vector, error) expect_call(__LINE__, to, vector, error)

static void check_code16(void) {
    set_segment(CODE16, (u32)code16, 0xFF, CODE0, 0);
    area[1] = 0x5678;
    __asm__ volatile("movl %0, %%gs" : : "r"(AREA));
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
    CALL_FAULTS(ABSENT, NP, ABSENT);
    CALL_FAULTS(USER_CODE & ~3u, GP, USER_CODE & ~3u);
    CALL_FAULTS(0, GP, 0);
}

static void check_call_gates(void) {
    u32 sum, moved;
    __asm__ volatile(
        "movl %%esp, %%esi\n\t"
        "pushl $0x10203040\n\t"
        "pushl $0x01020304\n\t"
        "pushl $0x11111111\n\t"
        "lcall %2, $0\n\t"
        "subl %%esp, %%esi"
        : "=a"(sum), "=&S"(moved)
        : "i"(GATE)
        : "ecx", "edx", "memory", "cc");
    CHECK(sum == SUM);
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
        "pushl $0x10203040\n\t"
        "pushl $0x01020304\n\t"
        "pushl $0x11111111\n\t"
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
    // The handler of a stack fault at ring 3 uses the stack of ring 0.
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
    CHECK(run_user(user_call_gate) == SUM);
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
    // The return to ring 3 clears data segments that ring 3 may not use.
    __asm__ volatile("movl %0, %%fs\n\tmovl %1, %%gs" : : "r"(AREA), "r"(USER_DATA));
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
    set_segment(AREA, (u32)area, sizeof area - 1, DATA0, 0x40);
    set_segment(ABSENT, 0, 0xFFFFF, CODE0 & 0x7F, 0xC0);
    set_call_gate(GATE, CODE_SELECTOR, add3, 0xEC, 3);
    check_code16();
    check_code_limit();
    check_call_gates();
    check_from_ring3();
    check_tasks();
    finish();
}
