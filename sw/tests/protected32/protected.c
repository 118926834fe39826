// A 32-bit image: protected mode without and with paging, the exceptions and instructions that
// 64-bit mode does not have, rings. It uses no library, because the library is 64-bit.
#include "support.h"

static u32 window[8] = {10, 11, 12, 13, 14, 15, 16, 17};
enum { WINDOW = FREE_SELECTOR, ABSENT = FREE_SELECTOR + 8 };

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
    __asm__ volatile("movl $0x48, %%eax\n\tmovl %%eax, %%es" : : : "eax");
}
static void load_absent_stack(void) {
    __asm__ volatile("movl $0x48, %%eax\n\tmovl %%eax, %%ss" : : : "eax");
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

static void check_exceptions(void) {
    EXPECT(divide_by_zero, DE, 0);
    EXPECT(undefined, UD, 0);
    EXPECT(overflow, OF, 0);
    CHECK(run_guarded(no_overflow) == 0);
    EXPECT(out_of_bounds, BR, 0);
    CHECK(run_guarded(in_bounds) == 0);
    EXPECT(load_absent, NP, ABSENT);
    EXPECT(load_absent_stack, SS, ABSENT);
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
        : "r"(WINDOW));
    CHECK(first == 10);
    CHECK(last == 13);
    EXPECT(beyond_limit, GP, 0);
    u32 limit;
    __asm__ volatile("lsl %1, %0" : "=r"(limit) : "r"(WINDOW) : "cc");
    CHECK(limit == 15);
    u32 rights;
    __asm__ volatile("lar %1, %0" : "=r"(rights) : "r"(CODE_SELECTOR) : "cc");
    CHECK((rights & 0xFE00) == (CODE0 << 8 & 0xFE00));
}

// Instructions that 64-bit mode does not have.
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
    set_segment(WINDOW, (u32)window, 15, DATA0, 0x40);  // four words of the window
    set_segment(ABSENT, 0, 0xFFFFF, DATA0 & 0x7F, 0xC0);
    check_exceptions();
    check_segments();
    check_old_instructions();
    check_rings();
    check_paging();
    finish();
}
