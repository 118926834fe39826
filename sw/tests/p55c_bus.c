// The caches, write buffers and bus of a Pentium with MMX: events 03 to 06, 18, 19, 1A, 1B, 3B, and
// relations between events that hold of any program. For the preset p55c.
//
// Command line: bus1 when a clock of the bus is one of the core (p55c.bus_ratio=1), so that no
// transfer has to wait for the bus's next clock.
#include "tests/p55c_rows.h"

extern kernel kernel_idle, kernel_fill, kernel_present, kernel_split, kernel_castout,
    kernel_write_absent, kernel_write_present, kernel_write_split, kernel_eight_absent,
    kernel_eight_present, kernel_eight_absent_mmx, kernel_eight_present_mmx, kernel_order,
    kernel_no_order, kernel_order_mmx, kernel_read_after_writes, kernel_pusha, kernel_uncached_read,
    kernel_uncached_write, kernel_uncached_update, kernel_uncached_split, kernel_port, kernel_empty,
    kernel_new_code;
void mixture(void);

#define CLOCKS (P55C_ALL | P55C_CLOCKS)

// Clocks of the bus: a read to its first 8 bytes, 8 bytes more of a burst, a write.
enum { READ = 6, MORE = 2, WRITE = 3 };
#define FILL (READ + 3 * MORE)
#define WRITE_BACK (WRITE + 3 * MORE)
// Core clocks of one of them.
static u32 ratio;
// Core clocks that a transfer may wait for the bus's next clock.
static u32 late(void) {
    return ratio - 1;
}

static u64 clocks(kernel* k, u32 event) {
    return count(k, event, 0, CLOCKS);
}
static u64 number(kernel* k, u32 event) {
    return count(k, event, 0, P55C_ALL);
}
// `from` or up to `more` above.
static int about(u64 n, u64 from, u64 more) {
    return n >= from && n <= from + more;
}

static void check_caches(void) {
    CHECK(number(kernel_idle, 0x03) == 0);
    CHECK(number(kernel_idle, 0x05) == 0);
    CHECK(number(kernel_idle, 0x06) == 0);
    CHECK(number(kernel_fill, 0x00) == 4);
    CHECK(number(kernel_fill, 0x03) == 1);
    CHECK(number(kernel_present, 0x03) == 0);
    // The access is one to each of two lines, of which one is absent.
    CHECK(number(kernel_split, 0x00) == 2);
    CHECK(number(kernel_split, 0x03) == 1);
    CHECK(number(kernel_castout, 0x06) == 1);
    CHECK(number(kernel_fill, 0x06) == 0);
    CHECK(number(kernel_write_absent, 0x04) == 1);
    CHECK(number(kernel_write_absent, 0x05) == 0);
    CHECK(number(kernel_write_absent, 0x03) == 1);
    CHECK(number(kernel_write_absent, 0x29) == 2);
    CHECK(number(kernel_write_present, 0x04) == 0);
    CHECK(number(kernel_write_present, 0x05) == 2);
    CHECK(number(kernel_empty, 0x06) == 2);
    CHECK(number(kernel_new_code, 0x06) == 1);
    CHECK(number(kernel_new_code, 0x0E) == 1);
}

// How long the bus is in use.
static void check_bus(void) {
    CHECK(clocks(kernel_idle, 0x18) == 0);
    CHECK(clocks(kernel_present, 0x18) == 0);
    CHECK(clocks(kernel_write_present, 0x18) == 0);
    CHECK(clocks(kernel_fill, 0x18) == FILL * ratio);
    CHECK(number(kernel_fill, 0x18) == 1);
    CHECK(clocks(kernel_split, 0x18) == FILL * ratio);
    CHECK(clocks(kernel_castout, 0x18) >= (4 * FILL + WRITE_BACK) * ratio);
    CHECK(((u32)clocks(kernel_castout, 0x18) - WRITE_BACK * ratio) % (FILL * ratio) == 0);
    CHECK(clocks(kernel_write_absent, 0x18) == (WRITE + FILL) * ratio);
    CHECK(clocks(kernel_write_split, 0x18) == 2 * WRITE * ratio);
    CHECK(clocks(kernel_eight_absent, 0x18) == 8 * WRITE * ratio);
    CHECK(clocks(kernel_pusha, 0x18) == 8 * WRITE * ratio);
    CHECK(clocks(kernel_uncached_read, 0x18) == READ * ratio);
    CHECK(clocks(kernel_uncached_write, 0x18) == WRITE * ratio);
    CHECK(clocks(kernel_uncached_update, 0x18) == (READ + WRITE) * ratio);
    CHECK(clocks(kernel_uncached_split, 0x18) == 2 * READ * ratio);
    // Two lines are written back, and the code that ends the kernel is fetched again.
    CHECK(((u32)clocks(kernel_empty, 0x18) - 2 * WRITE_BACK * ratio) % (FILL * ratio) == 0);
    CHECK(clocks(kernel_port, 0x18) != 0);
    CHECK(clocks(kernel_port, 0x1A) == 0);
}

// A condition of `slow` that `fast` does not have: the kernels differ by its clocks.
static u64 check_difference(u32 line, kernel* slow, kernel* fast, u32 event) {
    u64 s[2], f[2];
    measure_clocks(slow, 0x30, event, s);
    measure_clocks(fast, 0x30, event, f);
    check(line, "none without cause", f[1] == 0);
    check(line, "all of the difference", s[1] == s[0] - f[0]);
    return s[1];
}

static void check_waits(void) {
    // From the miss to the first 8 bytes; the others are there before they are asked for, or not.
    const u64 first = check_difference(__LINE__, kernel_fill, kernel_present, 0x1A);
    CHECK(about(first, 1 + READ * ratio, late() + FILL * ratio));
    CHECK(about(clocks(kernel_uncached_read, 0x1A), 1 + READ * ratio, late()));
    CHECK(about(clocks(kernel_uncached_split, 0x1A), 1 + 2 * READ * ratio, late() + 1));
    CHECK(clocks(kernel_uncached_write, 0x1A) == 0);
    // Both writes are made first.
    CHECK(about(clocks(kernel_read_after_writes, 0x1A), (2 * WRITE + READ) * ratio - 1, late()));

    // One write a clock, until the four buffers are full; then each waits for the end of one.
    const u64 full = check_difference(__LINE__, kernel_eight_absent, kernel_eight_present, 0x19);
    // The last one enters when the fourth has been made, seven clocks after the first without a
    // wait.
    CHECK(about(full, 4 * WRITE * ratio + 1 - 7, late()));
    CHECK(clocks(kernel_eight_absent, 0x1B) == 0);
    CHECK(clocks(kernel_eight_absent, 0x3B) == 0);
    CHECK(check_difference(__LINE__, kernel_eight_absent_mmx, kernel_eight_present_mmx, 0x19) ==
          full);
    CHECK(clocks(kernel_eight_absent_mmx, 0x3B) == full);
    CHECK(count(kernel_eight_absent_mmx, 0x3B, 1, CLOCKS) == 0);

    const u64 order = check_difference(__LINE__, kernel_order, kernel_no_order, 0x1B);
    CHECK(about(order, WRITE * ratio, late()));
    CHECK(number(kernel_order, 0x1B) == 1);
    CHECK(clocks(kernel_order, 0x19) == 0);
    CHECK(count(kernel_order, 0x3B, 1, CLOCKS) == 0);
    CHECK(about(count(kernel_order_mmx, 0x3B, 1, CLOCKS), WRITE * ratio, late()));
    CHECK(count(kernel_order_mmx, 0x3B, 0, CLOCKS) == 0);
    CHECK(clocks(kernel_pusha, 0x1B) == 0);
}

// Relations of events, of which the counters count one each.
struct relation {
    int line;
    u32 event0, cc0, event1, cc1;
};
#define AT_MOST(event0, event1) \
    { __LINE__, event0, P55C_ALL, event1, P55C_ALL }
#define AT_MOST_CLOCKS(event0, event1) \
    { __LINE__, event0, CLOCKS, event1, CLOCKS }
static const struct relation relations[] = {
    // What counter 0 counts is at most what counter 1 counts.
    AT_MOST(0x31, 0x00), AT_MOST(0x34, 0x01),        AT_MOST(0x36, 0x0B), AT_MOST(0x13, 0x14),
    AT_MOST(0x14, 0x12), AT_MOST_CLOCKS(0x3B, 0x19), AT_MOST(0x03, 0x00), AT_MOST(0x04, 0x01),
    AT_MOST(0x17, 0x16), AT_MOST(0x2D, 0x2D),
};
// The other way round.
static const struct relation reversed[] = {
    AT_MOST(0x03, 0x31),        AT_MOST(0x04, 0x34), AT_MOST_CLOCKS(0x1A, 0x36),
    AT_MOST_CLOCKS(0x1B, 0x3B), AT_MOST(0x12, 0x32), AT_MOST(0x35, 0x35),
    AT_MOST(0x2F, 0x2F),        AT_MOST(0x17, 0x2B),
};

static void measure_mixture(u32 field0, u32 field1, u64 v[2]) {
    mixture();
    p55c_start(p55c_control(field0, field1), 0, 0);
    mixture();
    p55c_stop(v);
}
static void check_relation(const struct relation* r, int other_way) {
    u64 v[2];
    measure_mixture(p55c_field(r->event0, r->cc0, 0), p55c_field(r->event1, r->cc1, 0), v);
    const int holds = other_way ? v[1] <= v[0] : v[0] <= v[1];
    check(r->line, "a relation of two events", holds && v[0] != 0 && v[1] != 0);
    if (holds && v[0] != 0 && v[1] != 0) return;
    print("  events ");
    print_hex(r->event0);
    print(" ");
    print_hex(r->event1);
    print(" count ");
    print_hex((u32)v[0]);
    print(" ");
    print_hex((u32)v[1]);
    print("\n");
}
static u64 of_mixture(u32 event, u32 n) {
    u64 v[2];
    const u32 field = p55c_field(event, P55C_ALL, 0);
    measure_mixture(n == 0 ? field : 0, n == 1 ? field : 0, v);
    return v[n];
}

static void check_relations(void) {
    for (u32 i = 0; i < sizeof relations / sizeof relations[0]; ++i)
        check_relation(&relations[i], 0);
    for (u32 i = 0; i < sizeof reversed / sizeof reversed[0]; ++i) check_relation(&reversed[i], 1);
    CHECK(of_mixture(0x28, 0) == of_mixture(0x00, 0) + of_mixture(0x01, 1));
    CHECK(of_mixture(0x29, 0) == of_mixture(0x03, 0) + of_mixture(0x04, 1));
    CHECK(of_mixture(0x01, 0) == of_mixture(0x04, 0) + of_mixture(0x05, 1));
    CHECK(of_mixture(0x37, 0) + of_mixture(0x37, 1) >= of_mixture(0x39, 0));
}

static u32 directory[1024] __attribute__((aligned(4096)));
// Large pages, one to one; the first 4 MB again, uncached.
static void set_up_pages(void) {
    enum { PRESENT = 1, WRITABLE = 2, UNCACHED = 0x18, LARGE = 0x80 };
    for (u32 i = 0; i < 1024; ++i)
        directory[i] =
            i << 22 | LARGE | WRITABLE | PRESENT | (i >= 0xFEC00000u >> 22 ? UNCACHED : 0);
    directory[1] = LARGE | WRITABLE | PRESENT | UNCACHED;
    u32 cr0, cr4;
    __asm__ volatile("movl %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movl %0, %%cr4" : : "r"(cr4 | 0x10));
    __asm__ volatile("movl %0, %%cr3" : : "r"(directory) : "memory");
    __asm__ volatile("movl %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("movl %0, %%cr0" : : "r"(cr0 | 0x80000000) : "memory");
}

void test(void);
void test(void) {
    set_up();
    __asm__ volatile("fninit\n\temms");
    ratio = asked_for("bus1") ? 1 : 2;
    set_up_pages();
    check_caches();
    check_bus();
    check_waits();
    check_relations();
    finish();
}
