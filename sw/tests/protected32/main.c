// A 32-bit image: protected mode without and with paging, segments, rings, the exceptions and
// instructions that 64-bit mode does not have. Stands alone: the library is 64-bit.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;

#define UART 0xFEF00000u
#define EXIT 0xFEF00100u

enum { DE = 0, BP = 3, OF = 4, BR = 5, UD = 6, NP = 11, SS = 12, GP = 13, PF = 14, CALL = 0x80 };

extern volatile u32 fault_vector, fault_error, fault_cs;
extern int run_guarded(void (*fn)(void));
extern u32 run_user(u32 (*fn)(void));
extern void load_tables(const void* gdt, const void* idt);
extern u8 stub_0[], stub_3[], stub_4[], stub_5[], stub_6[], stub_11[], stub_12[], stub_13[],
    stub_14[], stub_128[];

static u32 checks, failures;

static void put(char c) {
    while ((*(volatile u8*)(UART + 5) & 0x20) == 0) {
    }
    *(volatile u8*)UART = (u8)c;
}
static void print(const char* s) {
    for (; *s != '\0'; ++s) put(*s);
}
static void print_number(u32 n) {
    if (n >= 10) print_number(n / 10);
    put((char)('0' + n % 10));
}
static void check(int line, const char* what, int holds) {
    ++checks;
    if (holds) return;
    ++failures;
    print("FAIL sw/tests/protected32/main.c:");
    print_number((u32)line);
    print(": ");
    print(what);
    print("\n");
}
#define CHECK(condition) check(__LINE__, #condition, (condition))

struct pointer {
    u16 limit;
    u32 base;
} __attribute__((packed));

// A task state segment; only the ring 0 stack of it is used.
extern u32 task[26];

static u32 window[8] = {10, 11, 12, 13, 14, 15, 16, 17};
static u8 gdt[8][8] __attribute__((aligned(8)));
static u8 idt[256][8] __attribute__((aligned(8)));

enum { CODE0 = 0x9A, DATA0 = 0x92, CODE3 = 0xFA, DATA3 = 0xF2, TASK = 0x89 };

static void segment(u32 index, u32 base, u32 limit, u8 type, u8 flags) {
    const u8 bytes[8] = {
        (u8)limit, (u8)(limit >> 8),          (u8)base,        (u8)(base >> 8), (u8)(base >> 16),
        type,      (u8)(flags | limit >> 16), (u8)(base >> 24)};
    for (u32 i = 0; i < 8; ++i) gdt[index][i] = bytes[i];
}
static void gate(u32 vector, const u8* to, u8 type) {
    const u32 a = (u32)to;
    const u8 bytes[8] = {(u8)a, (u8)(a >> 8), 0x08, 0, 0, type, (u8)(a >> 16), (u8)(a >> 24)};
    for (u32 i = 0; i < 8; ++i) idt[vector][i] = bytes[i];
}

static void set_up(void) {
    segment(1, 0, 0xFFFFF, CODE0, 0xC0);
    segment(2, 0, 0xFFFFF, DATA0, 0xC0);
    segment(3, 0, 0xFFFFF, CODE3, 0xC0);
    segment(4, 0, 0xFFFFF, DATA3, 0xC0);
    segment(5, (u32)window, 15, DATA0, 0x40);  // four words of the window
    task[2] = 0x10;
    segment(6, (u32)task, sizeof task - 1, TASK, 0);
    segment(7, 0, 0xFFFFF, DATA0 & 0x7F, 0xC0);  // not present
    static const struct {
        u32 vector;
        const u8* stub;
    } stubs[] = {{DE, stub_0},  {BP, stub_3},  {OF, stub_4},  {BR, stub_5}, {UD, stub_6},
                 {NP, stub_11}, {SS, stub_12}, {GP, stub_13}, {PF, stub_14}};
    for (u32 i = 0; i < sizeof stubs / sizeof stubs[0]; ++i)
        gate(stubs[i].vector, stubs[i].stub, 0x8E);
    gate(CALL, stub_128, 0xEE);
    const struct pointer g = {sizeof gdt - 1, (u32)gdt};
    const struct pointer i = {sizeof idt - 1, (u32)idt};
    load_tables(&g, &i);
}

static void divide_by_zero(void) {
    __asm__ volatile("xorl %%ecx, %%ecx\n\tdivl %%ecx" : : : "eax", "ecx", "edx");
}
static void undefined(void) {
    __asm__ volatile("ud2");
}
static void overflow(void) {
    __asm__ volatile("movl $0x7FFFFFFF, %%eax\n\tincl %%eax\n\tinto" : : : "eax");
}
static void no_overflow(void) {
    __asm__ volatile("xorl %%eax, %%eax\n\tinto" : : : "eax");
}
static void out_of_bounds(void) {
    static const int bounds[2] = {5, 9};
    __asm__ volatile("movl $10, %%eax\n\tboundl %%eax, %0" : : "m"(bounds) : "eax");
}
static void in_bounds(void) {
    static const int bounds[2] = {5, 9};
    __asm__ volatile("movl $9, %%eax\n\tboundl %%eax, %0" : : "m"(bounds) : "eax");
}
static void load_absent(void) {
    __asm__ volatile("movl $0x38, %%eax\n\tmovl %%eax, %%es" : : : "eax");
}
static void load_absent_stack(void) {
    __asm__ volatile("movl $0x38, %%eax\n\tmovl %%eax, %%ss" : : : "eax");
}
static void load_beyond(void) {
    __asm__ volatile("movl $0x1000, %%eax\n\tmovl %%eax, %%es" : : : "eax");
}
static void through_null(void) {
    __asm__ volatile("xorl %%eax, %%eax\n\tmovl %%eax, %%gs\n\tmovl %%gs:(%%eax), %%eax"
                     :
                     :
                     : "eax");
}
static void beyond_limit(void) {
    __asm__ volatile("movl %%fs:13, %%eax" : : : "eax");
}

static void expect(int line, void (*fn)(void), u32 vector, u32 error) {
    check(line, "an exception", run_guarded(fn) == 1);
    check(line, "its vector", fault_vector == vector);
    check(line, "its error code", fault_error == error);
}
#define EXPECT(fn, vector, error) expect(__LINE__, fn, vector, error)

static void check_exceptions(void) {
    EXPECT(divide_by_zero, DE, 0);
    EXPECT(undefined, UD, 0);
    EXPECT(overflow, OF, 0);
    CHECK(run_guarded(no_overflow) == 0);
    EXPECT(out_of_bounds, BR, 0);
    CHECK(run_guarded(in_bounds) == 0);
    EXPECT(load_absent, NP, 0x38);
    EXPECT(load_absent_stack, SS, 0x38);
    EXPECT(load_beyond, GP, 0x1000);
    EXPECT(through_null, GP, 0);
}

static void check_segments(void) {
    u32 first, last;
    __asm__ volatile(
        "movl %2, %%fs\n\t"
        "movl %%fs:0, %0\n\t"
        "movl %%fs:12, %1"
        : "=&r"(first), "=&r"(last)
        : "r"(0x28));
    CHECK(first == 10);
    CHECK(last == 13);
    EXPECT(beyond_limit, GP, 0);
    u32 limit;
    __asm__ volatile("lsl %1, %0" : "=r"(limit) : "r"(0x28) : "cc");
    CHECK(limit == 15);
    u32 rights;
    __asm__ volatile("lar %1, %0" : "=r"(rights) : "r"(0x08) : "cc");
    CHECK((rights & 0xFE00) == (CODE0 << 8 & 0xFE00));
}

// Instructions that 64-bit mode gave up.
static void check_old_instructions(void) {
    u32 a = 0x19;
    __asm__ volatile("addb $0x28, %%al\n\tdaa" : "+a"(a) : : "cc");
    CHECK(a == 0x47);
    a = 0x47;
    __asm__ volatile("subb $0x28, %%al\n\tdas" : "+a"(a) : : "cc");
    CHECK(a == 0x19);
    a = 123;
    __asm__ volatile("aam" : "+a"(a) : : "cc");
    CHECK(a == (12 << 8 | 3));
    __asm__ volatile("aad" : "+a"(a) : : "cc");
    CHECK(a == 123);
    u32 before, after;
    __asm__ volatile(
        "movl %%esp, %0\n\t"
        "pusha\n\t"
        "xorl %%ecx, %%ecx\n\t"
        "popa\n\t"
        "movl %%esp, %1"
        : "=&r"(before), "=&r"(after)
        :
        : "memory", "cc");
    CHECK(before == after);
    u32 es;
    __asm__ volatile("pushl %%es\n\tpopl %0" : "=r"(es));
    CHECK(es == 0x10);
    u32 low = 0xFFFFFFFF, high = 1;
    __asm__ volatile("addl $1, %0\n\tadcl $0, %1" : "+r"(low), "+r"(high) : : "cc");
    CHECK(low == 0 && high == 2);
}

static u32 user_result(void) {
    return 0x1234;
}
static u32 user_clears_interrupts(void) {
    __asm__ volatile("cli");
    return 0;
}
static u32 user_reads_supervisor(void) {
    return *(volatile u32*)0x00800000;
}
static void run_user_cli(void) {
    run_user(user_clears_interrupts);
}

static void check_rings(void) {
    CHECK(run_user(user_result) == 0x1234);
    CHECK(fault_cs == 0x1B);
    fault_vector = 0;
    run_user_cli();
    CHECK(fault_vector == GP && fault_error == 0 && fault_cs == 0x1B);
}

static u32 directory[1024] __attribute__((aligned(4096)));
static volatile u32 table[1024] __attribute__((aligned(4096)));
static volatile u32 page[2][1024] __attribute__((aligned(4096)));
// 4 MB up, mapped by `table`; beyond the image.
static volatile u32* const mapped = (volatile u32*)0x00400000;

enum { PRESENT = 1, WRITABLE = 2, USER = 4, UNCACHED = 0x18, LARGE = 0x80 };

static void invalidate(const volatile void* at) {
    __asm__ volatile("invlpg (%0)" : : "r"(at) : "memory");
}
static void touch(void) {
    (void)*mapped;
}
static void write(void) {
    *mapped = 1;
}

static void check_paging(void) {
    for (u32 i = 0; i < 1024; ++i) {
        directory[i] =
            i << 22 | LARGE | WRITABLE | PRESENT | (i >= 0xFEC00000u >> 22 ? UNCACHED : 0);
    }
    directory[0] |= USER;
    directory[1] = (u32)table | USER | WRITABLE | PRESENT;
    u32 cr0, cr4;
    __asm__ volatile("movl %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movl %0, %%cr4" : : "r"(cr4 | 0x10));  // PSE
    __asm__ volatile("movl %0, %%cr3" : : "r"(directory) : "memory");
    __asm__ volatile("movl %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("movl %0, %%cr0" : : "r"(cr0 | 0x80010000) : "memory");  // PG, WP

    u32 cr2;
    EXPECT(touch, PF, 0);
    __asm__ volatile("movl %%cr2, %0" : "=r"(cr2));
    CHECK(cr2 == (u32)mapped);
    EXPECT(write, PF, 2);
    page[0][0] = 100;
    page[1][0] = 200;
    table[0] = (u32)page[0] | PRESENT;
    invalidate(mapped);
    CHECK(*mapped == 100);
    CHECK((table[0] & 0x60) == 0x20);  // accessed, not dirty
    EXPECT(write, PF, 3);
    table[0] = (u32)page[1] | WRITABLE | PRESENT;
    invalidate(mapped);
    CHECK(*mapped == 200);
    *mapped = 201;
    CHECK(page[1][0] == 201);
    CHECK((table[0] & 0x60) == 0x60);
    fault_vector = 0;
    run_user(user_reads_supervisor);
    CHECK(fault_vector == PF && fault_error == 5 && fault_cs == 0x1B);
    CHECK(run_user(user_result) == 0x1234);
}

void main(void) {
    set_up();
    check_exceptions();
    check_segments();
    check_old_instructions();
    check_rings();
    check_paging();
    print_number(checks);
    print(" checks, ");
    print_number(failures);
    print(" failed\n");
    *(volatile u32*)EXIT = failures != 0 || checks == 0;
    for (;;) __asm__ volatile("hlt");
}
