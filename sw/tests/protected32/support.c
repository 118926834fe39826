#include "support.h"

#define UART 0xFEF00000u
#define EXIT 0xFEF00100u
#define DESCRIPTORS 64

extern void load_tables(const void* gdt, const void* idt);
extern u8 stub_0[], stub_3[], stub_4[], stub_5[], stub_6[], stub_8[], stub_10[], stub_11[],
    stub_12[], stub_13[], stub_14[];

static u32 checks, failures;
static u32 gdt[DESCRIPTORS][2] __attribute__((aligned(8)));
static u32 idt[256][2] __attribute__((aligned(8)));

struct pointer {
    u16 limit;
    u32 base;
} __attribute__((packed));

static void put(char c) {
    while ((*(volatile u8*)(UART + 5) & 0x20) == 0) {
    }
    *(volatile u8*)UART = (u8)c;
}
void print(const char* s) {
    for (; *s != '\0'; ++s) put(*s);
}
static void print_number(u32 n) {
    if (n >= 10) print_number(n / 10);
    put((char)('0' + n % 10));
}
void print_hex(u32 n) {
    print("0x");
    for (int shift = 28; shift >= 0; shift -= 4) put("0123456789ABCDEF"[n >> shift & 15]);
}

void check(int line, const char* what, int holds) {
    ++checks;
    if (holds) return;
    ++failures;
    print("FAIL line ");
    print_number((u32)line);
    print(": ");
    print(what);
    print("\n");
}

static void check_fault(int line, u32 vector, u32 error) {
    check(line, "its vector", fault_vector == vector);
    check(line, "its error code", fault_error == error);
    if (fault_vector == vector && fault_error == error) return;
    print("  vector ");
    print_number(fault_vector);
    print(" error ");
    print_hex(fault_error);
    print("\n");
}

void expect(int line, void (*fn)(void), u32 vector, u32 error) {
    check(line, "an exception", run_guarded(fn) == 1);
    check_fault(line, vector, error);
}

void expect_user(int line, u32 (*fn)(void), u32 vector, u32 error) {
    fault_vector = ~0u;
    run_user(fn);
    check_fault(line, vector, error);
    check(line, "at ring 3", (fault_cs & 3) == 3);
}

u32* descriptor(u32 selector) {
    return gdt[selector / 8];
}

void set_segment(u32 selector, u32 base, u32 limit, u8 type, u8 flags) {
    u32* const d = descriptor(selector);
    d[0] = (limit & 0xFFFF) | base << 16;
    d[1] = (base >> 16 & 0xFF) | (u32)type << 8 | (limit & 0xF0000) | (u32)flags << 16 |
           (base & 0xFF000000);
}

static void make_gate(u32* d, u32 code, const void* to, u8 type, u8 parameters) {
    d[0] = ((u32)to & 0xFFFF) | code << 16;
    d[1] = ((u32)to & 0xFFFF0000) | (u32)type << 8 | parameters;
}
void set_call_gate(u32 selector, u32 code, const void* to, u8 type, u8 parameters) {
    make_gate(descriptor(selector), code, to, type, parameters);
}
void set_gate(u32 vector, const void* to, u8 type) {
    make_gate(idt[vector], CODE_SELECTOR, to, type, 0);
}

void set_up(void) {
    set_segment(CODE_SELECTOR, 0, 0xFFFFF, CODE0, 0xC0);
    set_segment(DATA_SELECTOR, 0, 0xFFFFF, DATA0, 0xC0);
    set_segment(USER_CODE, 0, 0xFFFFF, CODE3, 0xC0);
    set_segment(USER_DATA, 0, 0xFFFFF, DATA3, 0xC0);
    task[2] = DATA_SELECTOR;
    set_segment(TASK_SELECTOR, (u32)task, sizeof task - 1, TASK, 0);
    static const struct {
        u32 vector;
        const u8* stub;
    } stubs[] = {{DE, stub_0},  {BP, stub_3},  {OF, stub_4},  {BR, stub_5},
                 {UD, stub_6},  {DF, stub_8},  {TS, stub_10}, {NP, stub_11},
                 {SS, stub_12}, {GP, stub_13}, {PF, stub_14}};
    for (u32 i = 0; i < sizeof stubs / sizeof stubs[0]; ++i)
        set_gate(stubs[i].vector, stubs[i].stub, 0x8E);
    set_gate(CALL, stub_128, 0xEE);
    const struct pointer g = {sizeof gdt - 1, (u32)gdt};
    const struct pointer i = {sizeof idt - 1, (u32)idt};
    load_tables(&g, &i);
}

void finish(void) {
    print_number(checks);
    print(" checks, ");
    print_number(failures);
    print(" failed\n");
    *(volatile u32*)EXIT = failures != 0 || checks == 0;
    for (;;) __asm__ volatile("hlt");
}
