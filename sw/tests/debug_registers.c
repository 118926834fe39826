// Debug registers in long mode: instruction and data breakpoints at both rings and inside repeated
// instructions, RF, general detect, single step, conditions that MOV SS holds back.
#include "drivers/pmu/pmu.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/string.h"
#include "lib/trap.h"
#include "lib/user.h"

#define DR6_CLEAR 0xFFFF0FF0ul
#define DR6_BD (1ul << 13)
#define DR6_BS (1ul << 14)
#define DR7_GD (1ul << 13)

enum { EXECUTE = 0, WRITE = 1, ACCESS = 3 };
enum { BYTES1 = 0, BYTES2 = 1, BYTES8 = 2, BYTES4 = 3 };

struct event {
    u64 rip, rflags, dr6;
    unsigned cpl;
};
static struct event events[64];
static u32 count;
static u64 flags_to_set, flags_to_clear;

static USER_BSS volatile u64 watched[8] __attribute__((aligned(64)));

static void note(struct trap_frame* f) {
    if (count < 64) events[count] = (struct event){f->rip, f->rflags, read_dr6(), frame_cpl(f)};
    ++count;
    write_dr6(0);
    f->rflags = (f->rflags & ~flags_to_clear) | flags_to_set;
}

static void begin(u64 set, u64 clear) {
    count = 0;
    flags_to_set = set;
    flags_to_clear = clear;
    write_dr6(0);
}
static void watch(unsigned n, const volatile void* address, unsigned kind, unsigned bytes) {
    const u64 a = (u64)address;
    if (n == 0) write_dr0(a);
    if (n == 1) write_dr1(a);
    if (n == 2) write_dr2(a);
    if (n == 3) write_dr3(a);
    const u64 field = 0xFul << (16 + 4 * n);
    write_dr7((read_dr7() & ~field) | (u64)kind << (16 + 4 * n) | (u64)bytes << (18 + 4 * n) |
              2ul << (2 * n));
}
static void watch_nothing(void) {
    write_dr7(0);
}
static void expect(u32 n, u64 rip, u64 dr6, unsigned cpl) {
    CHECK_EQ(events[n].rip, rip);
    CHECK_EQ(events[n].dr6, DR6_CLEAR | dr6);
    CHECK_EQ(events[n].cpl, cpl);
}

__attribute__((noinline, noclone)) static u64 add_three(u64 value) {
    __asm__ volatile("addq $3, %0" : "+r"(value));
    return value;
}
static u64 call_five_times(u64 value) {
    for (int i = 0; i < 5; ++i) value = add_three(value);
    return value;
}

// An instruction with a breakpoint executes once, and meets its breakpoint each time.
static void check_instruction(void) {
    begin(RFLAGS_RF, 0);
    watch(1, (const void*)(u64)add_three, EXECUTE, BYTES1);
    CHECK_EQ(call_five_times(100), 115);
    CHECK_EQ(count, 5);
    expect(0, (u64)add_three, 2, 0);
    CHECK_EQ(events[4].rflags & RFLAGS_RF, 0);
    CHECK_EQ(user_call(call_five_times, 200), 215);
    CHECK_EQ(count, 10);
    expect(5, (u64)add_three, 2, 3);
    watch_nothing();
    CHECK_EQ(call_five_times(100), 115);
    CHECK_EQ(count, 10);
}

static u64 write_watched(u64 value) {
    watched[0] = value;
    *(volatile u8*)&watched[1] = (u8)value;
    return watched[0] + watched[2];
}

static void check_data(void) {
    begin(0, 0);
    watched[2] = 5;
    watch(0, &watched[0], WRITE, BYTES8);
    watch(2, (volatile u8*)&watched[2] + 2, ACCESS, BYTES2);
    watch(3, (volatile u8*)&watched[1] + 1, WRITE, BYTES1);  // beside what is written
    CHECK_EQ(write_watched(0x1234), 0x1239);
    CHECK_EQ(count, 2);
    CHECK_EQ(events[0].dr6, DR6_CLEAR | 1);
    CHECK_EQ(events[1].dr6, DR6_CLEAR | 4);
    CHECK_EQ(user_call(write_watched, 1), 6);
    CHECK_EQ(count, 4);
    CHECK_EQ(events[2].cpl, 3);
    watch_nothing();
    write_watched(1);
    CHECK_EQ(count, 4);
}

extern char repeated[], repeated_end[];

__attribute__((noinline, noclone)) static void move_watched(const u64* from, u64 n) {
    volatile u64* to = watched;
    __asm__ volatile(
        "cld\n"
        "repeated:\n\t"
        "rep movsq\n"
        "repeated_end:"
        : "+D"(to), "+S"(from), "+c"(n)
        :
        : "memory", "cc");
}

// Eight elements, breakpoints on the fourth and the last.
static void check_repeated(void) {
    static const u64 source[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    begin(0, 0);
    watch(0, &watched[3], WRITE, BYTES8);
    watch(1, &watched[7], WRITE, BYTES8);
    move_watched(source, 8);
    CHECK_EQ(count, 2);
    expect(0, (u64)repeated, 1, 0);
    CHECK_EQ(events[0].rflags & RFLAGS_RF, RFLAGS_RF);
    expect(1, (u64)repeated_end, 2, 0);
    CHECK_EQ(events[1].rflags & RFLAGS_RF, 0);
    for (u64 i = 0; i < 8; ++i) CHECK_EQ(watched[i], i + 1);
    // The instruction meets its own breakpoint once.
    watch_nothing();
    begin(RFLAGS_RF, 0);
    watch(0, repeated, EXECUTE, BYTES1);
    move_watched(source, 8);
    watch_nothing();
    CHECK_EQ(count, 1);
    expect(0, (u64)repeated, 1, 0);
}

static void check_general_detect(void) {
    extern char detected[];
    begin(0, 0);
    write_dr7(DR7_GD);
    u64 value;
    __asm__ volatile("detected: movq %%dr7, %0" : "=r"(value) : : "memory");
    CHECK_EQ(count, 1);
    expect(0, (u64)detected, DR6_BD, 0);
    CHECK_EQ(events[0].rflags & RFLAGS_RF, RFLAGS_RF);
    CHECK_EQ(value, 0x400);  // the handler's entry has cleared GD
}

#define STEP "pushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\t"
#define UNSTEP "pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\t"

static void check_steps(void) {
    extern char step1[], step2[], step3[];
    begin(0, 0);
    u64 ss;
    __asm__ volatile("movq %%ss, %0\n\t" STEP
                     "nop\n"
                     "step1: movq %0, %%ss\n\t"
                     "nop\n"
                     "step2: nop\n"
                     "step3:\n\t" UNSTEP
                     : "=&r"(ss)
                     :
                     : "memory", "cc");
    // Steps of NOP; not MOV SS, but the NOP after it; NOP; PUSHF, AND, POPF.
    CHECK_EQ(count, 6);
    expect(0, (u64)step1, DR6_BS, 0);
    expect(1, (u64)step2, DR6_BS, 0);
    expect(2, (u64)step3, DR6_BS, 0);
    CHECK_EQ(events[5].rflags & RFLAGS_TF, 0);
}

// SYSCALL clears TF by its mask, INT by itself, so ring 0 is not stepped. Ring 3 is stepped again
// when it continues: after SYSRET at once, after IRET from its first instruction on.
extern char after_syscall[], after_int[];

__attribute__((noinline, noclone)) static u64 step_system_calls(u64 number) {
    __asm__ volatile(STEP
                     "syscall\n"
                     "after_syscall:\n\t"
                     "nop\n\t"
                     "movl $4, %%eax\n\t"
                     "int $0x80\n"
                     "after_int:\n\t"
                     "nop\n\t" UNSTEP
                     : "+a"(number)
                     :
                     : "rcx", "r11", "memory", "cc");
    return number;
}

static void check_system_calls(void) {
    begin(0, 0);
    user_call(step_system_calls, 4);
    // SYSRET, NOP, MOV, NOP, PUSHF, AND, POPF; neither call, and nothing at ring 0.
    CHECK_EQ(count, 7);
    for (u32 i = 0; i < count && i < 64; ++i) {
        CHECK_EQ(events[i].cpl, 3);
        CHECK_EQ(events[i].dr6, DR6_CLEAR | DR6_BS);
    }
    expect(0, (u64)after_syscall, DR6_BS, 3);
    expect(1, (u64)after_syscall + 1, DR6_BS, 3);
    expect(3, (u64)after_int + 1, DR6_BS, 3);
}

static void check_icebp(void) {
    extern char after_icebp[];
    begin(0, 0);
    __asm__ volatile(".byte 0xF1\nafter_icebp:");
    CHECK_EQ(count, 1);
    expect(0, (u64)after_icebp, 0, 0);
}

// An instruction that a breakpoint stops first is counted once.
static void check_counting(void) {
    u64 plain = 0;
    for (int i = 0; i < 2; ++i) {
        begin(RFLAGS_RF, 0);
        if (i == 1) watch(0, (const void*)(u64)add_three, EXECUTE, BYTES1);
        pmu_reset();
        pmu_select(0, PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER, 0);
        pmu_start(1);
        user_call(call_five_times, 0);
        pmu_stop();
        if (i == 0) plain = pmu_read(0);
    }
    watch_nothing();
    CHECK_EQ(count, 5);
    CHECK_EQ(pmu_read(0), plain);
}

int main(void) {
    trap_set_handler(TRAP_DB, note);
    check_instruction();
    check_data();
    check_repeated();
    check_general_detect();
    check_steps();
    check_system_calls();
    check_icebp();
    check_counting();
    return check_summary();
}
