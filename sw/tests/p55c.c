// A Pentium with MMX: every register, every event with a kernel of exact counts and one that must
// not count, what CC selects, wrap, RDPMC and RDTSC. For the preset p55c.
//
// Command line: runs when the time-stamp counter counts in HLT (p55c.tsc_in_hlt), plain when
// conditions count clocks under every code (p55c.duration_needs_clock_code), full when the event of
// the return stack counts calls (p55c.rsb_event).
#include "drivers/p55c/p55c.h"
#include "tests/p55c_rows.h"

extern kernel kernel_quiet, kernel_reads, kernel_bank, kernel_writes, kernel_misaligned,
    kernel_misses, kernel_miss, kernel_hit, kernel_uncached, kernel_written_back, kernel_segments,
    kernel_loop, kernel_loop_u, kernel_calls, kernel_mmx, kernel_transitions, kernel_saturation,
    kernel_mmx_memory, kernel_mmx_misses, kernel_product, kernel_product_later, kernel_mmx_store,
    kernel_freeze, kernel_flops, kernel_ports, kernel_agi, kernel_agi_both, kernel_agi_pair,
    kernel_tlb, kernel_interrupt, kernel_halts;
extern u8 nothing_entry[], timer_entry[];
extern u8 area[4096];
extern volatile u32 ticks, wait;
u32 user_work(void);
u32 user_rdpmc(void);
u32 user_rdtsc(void);

#define APIC 0xFEE00000u
enum { APIC_EOI = 0x0B0, APIC_SVR = 0x0F0, APIC_TIMER = 0x320, APIC_PMC = 0x340 };
enum { APIC_INITIAL = 0x380, APIC_DIVIDE = 0x3E0 };
#define TIMER_VECTOR 0x61

static u32 apic_read(u32 at) {
    return *(volatile u32*)(APIC + at);
}
static void apic_write(u32 at, u32 value) {
    *(volatile u32*)(APIC + at) = value;
}

static const struct row rows[] = {
    ROW(0x00, BOTH, P55C_ALL, kernel_reads, 4),
    ROW(0x00, BOTH, P55C_ALL, kernel_quiet, 0),
    ROW(0x00, BOTH, P55C_ALL, kernel_writes, 0),
    ROW(0x01, BOTH, P55C_ALL, kernel_writes, 3),
    ROW(0x01, BOTH, P55C_ALL, kernel_reads, 0),
    ROW(0x28, BOTH, P55C_ALL, kernel_reads, 4),
    ROW(0x28, BOTH, P55C_ALL, kernel_writes, 3),
    ROW(0x28, BOTH, P55C_ALL, kernel_quiet, 0),
    ROW(0x03, BOTH, P55C_ALL, kernel_misses, 2),
    ROW(0x03, BOTH, P55C_ALL, kernel_reads, 0),
    ROW(0x04, BOTH, P55C_ALL, kernel_misses, 1),
    ROW(0x04, BOTH, P55C_ALL, kernel_writes, 0),
    ROW(0x29, BOTH, P55C_ALL, kernel_misses, 3),
    ROW(0x29, BOTH, P55C_ALL, kernel_writes, 0),
    ROW(0x06, BOTH, P55C_ALL, kernel_written_back, 1),
    ROW(0x06, BOTH, P55C_ALL, kernel_reads, 0),
    ROW(0x09, BOTH, P55C_ALL, kernel_reads, 2),
    ROW(0x09, BOTH, P55C_ALL, kernel_writes, 0),
    ROW(0x0A, BOTH, P55C_ALL, kernel_bank, 1),
    ROW(0x0A, BOTH, P55C_ALL, kernel_reads, 0),
    ROW(0x09, BOTH, P55C_ALL, kernel_bank, 1),
    ROW(0x0B, BOTH, P55C_ALL, kernel_misaligned, 3),
    ROW(0x0B, BOTH, P55C_ALL, kernel_reads, 0),
    ROW(0x0F, BOTH, P55C_ALL, kernel_segments, 2),
    ROW(0x0F, BOTH, P55C_ALL, kernel_interrupt, 2),
    ROW(0x0F, BOTH, P55C_ALL, kernel_loop, 0),
    // A loop of ten: its last branch goes on, against the entry.
    ROW(0x12, BOTH, P55C_ALL, kernel_loop, 10 + CLOSING_BRANCH),
    ROW(0x13, BOTH, P55C_ALL, kernel_loop, 10),
    ROW(0x14, BOTH, P55C_ALL, kernel_loop, 10 + CLOSING_BRANCH),
    ROW(0x32, 2, P55C_ALL, kernel_loop, 9 + CLOSING_BRANCH),
    ROW(0x15, BOTH, P55C_ALL, kernel_loop, 1),
    ROW(0x35, 1, P55C_ALL, kernel_loop, 1),
    ROW(0x35, 2, P55C_ALL, kernel_loop, 1),
    ROW(0x35, 1, P55C_ALL, kernel_loop_u, 1),
    ROW(0x35, 2, P55C_ALL, kernel_loop_u, 0),
    ROW(0x3A, 2, P55C_ALL, kernel_loop, 1),
    ROW(0x3A, 2, P55C_ALL, kernel_calls, 0),
    ROW(0x12, BOTH, P55C_ALL, kernel_quiet, CLOSING_BRANCH),
    ROW(0x13, BOTH, P55C_ALL, kernel_quiet, 0),
    ROW(0x14, BOTH, P55C_ALL, kernel_quiet, CLOSING_BRANCH),
    ROW(0x15, BOTH, P55C_ALL, kernel_quiet, 0),
    ROW(0x35, 1, P55C_ALL, kernel_quiet, 0),
    // A load of a segment register is a taken branch and a flush; INT n is no flush, IRET is one.
    ROW(0x12, BOTH, P55C_ALL, kernel_segments, 2 + CLOSING_BRANCH),
    ROW(0x15, BOTH, P55C_ALL, kernel_segments, 2),
    ROW(0x12, BOTH, P55C_ALL, kernel_interrupt, 2 + CLOSING_BRANCH),
    ROW(0x15, BOTH, P55C_ALL, kernel_interrupt, 1),
    // Five calls, five returns, and room for four addresses.
    ROW(0x12, BOTH, P55C_ALL, kernel_calls, 10 + CLOSING_BRANCH),
    ROW(0x39, 1, P55C_ALL, kernel_calls, 5),
    ROW(0x37, 1, P55C_ALL, kernel_calls, 1),
    ROW(0x37, 2, P55C_ALL, kernel_calls, 4),
    ROW(0x39, 1, P55C_ALL, kernel_loop, 0),
    ROW(0x37, 1, P55C_ALL, kernel_loop, 0),
    ROW(0x37, 2, P55C_ALL, kernel_loop, 0),
    ROW(0x16, BOTH, P55C_ALL, kernel_quiet, 8 + CLOSING),
    ROW(0x17, BOTH, P55C_ALL, kernel_quiet, 5),  // the closing XORs pair
    ROW(0x17, BOTH, P55C_ALL, kernel_writes, 4),
    ROW(0x1D, BOTH, P55C_ALL, kernel_ports, 2),
    ROW(0x1D, BOTH, P55C_ALL, kernel_quiet, 0),
    ROW(0x1F, BOTH, P55C_ALL | P55C_CLOCKS, kernel_agi, 1),
    ROW(0x1F, BOTH, P55C_ALL | P55C_CLOCKS, kernel_agi_pair, 2),
    ROW(0x1F, BOTH, P55C_ALL | P55C_CLOCKS, kernel_reads, 0),
    ROW(0x1F, BOTH, P55C_ALL, kernel_agi_pair, 1),
    ROW(0x22, BOTH, P55C_ALL, kernel_flops, 4),
    ROW(0x22, BOTH, P55C_ALL, kernel_mmx, 0),
    ROW(0x27, BOTH, P55C_ALL, kernel_halts, 2),
    ROW(0x27, BOTH, P55C_ALL, kernel_interrupt, 0),
    ROW(0x2B, 1, P55C_ALL, kernel_mmx, 2),
    ROW(0x2B, 2, P55C_ALL, kernel_mmx, 1),
    ROW(0x2B, 1, P55C_ALL, kernel_quiet, 0),
    ROW(0x2B, 2, P55C_ALL, kernel_quiet, 0),
    ROW(0x2D, 1, P55C_ALL, kernel_mmx, 1),
    ROW(0x2D, 1, P55C_ALL, kernel_flops, 0),
    ROW(0x2D, 2, P55C_ALL, kernel_transitions, 3),
    ROW(0x2D, 2, P55C_ALL, kernel_quiet, 0),
    ROW(0x2F, 1, P55C_ALL, kernel_saturation, 4),
    ROW(0x2F, 2, P55C_ALL, kernel_saturation, 2),
    ROW(0x2F, 1, P55C_ALL, kernel_mmx, 0),
    ROW(0x2F, 2, P55C_ALL, kernel_mmx, 0),
    ROW(0x30, 1, P55C_ALL, kernel_halts, 2),  // it was left twice
    ROW(0x30, 1, P55C_ALL, kernel_quiet, 0),
    ROW(0x31, 1, P55C_ALL, kernel_mmx_memory, 2),
    ROW(0x31, 1, P55C_ALL, kernel_reads, 0),
    ROW(0x34, 1, P55C_ALL, kernel_mmx_memory, 1),
    ROW(0x34, 1, P55C_ALL, kernel_writes, 0),
    ROW(0x31, 2, P55C_ALL, kernel_mmx_misses, 1),
    ROW(0x31, 2, P55C_ALL, kernel_misses, 0),
    ROW(0x34, 2, P55C_ALL, kernel_mmx_misses, 1),
    ROW(0x34, 2, P55C_ALL, kernel_misses, 0),
    ROW(0x36, 1, P55C_ALL, kernel_mmx_memory, 1),
    ROW(0x36, 1, P55C_ALL, kernel_misaligned, 0),
    ROW(0x0B, BOTH, P55C_ALL, kernel_mmx_memory, 1),
    ROW(0x38, 1, P55C_ALL | P55C_CLOCKS, kernel_product, 2),
    ROW(0x38, 1, P55C_ALL | P55C_CLOCKS, kernel_product_later, 1),
    ROW(0x38, 1, P55C_ALL | P55C_CLOCKS, kernel_mmx_store, 0),
    ROW(0x38, 1, P55C_ALL, kernel_product, 1),
    ROW(0x38, 2, P55C_ALL | P55C_CLOCKS, kernel_mmx_store, 1),
    ROW(0x38, 2, P55C_ALL | P55C_CLOCKS, kernel_product, 0),
    ROW(0x32, 1, P55C_ALL | P55C_CLOCKS, kernel_freeze, 2),
    ROW(0x32, 1, P55C_ALL | P55C_CLOCKS, kernel_product, 0),
    // Clocks with at least one: the reads are two pairs.
    ROW(0x00, BOTH, P55C_ALL | P55C_CLOCKS, kernel_reads, 2),
    ROW(0x16, BOTH, P55C_ALL | P55C_CLOCKS, kernel_quiet, 4 + 3),
    // Codes that select nothing, and events that are none.
    ROW(0x16, BOTH, P55C_OFF, kernel_quiet, 0),
    ROW(0x16, BOTH, P55C_CLOCKS, kernel_quiet, 0),
    ROW(0x10, 0, P55C_ALL, kernel_quiet, 0),
    ROW(0x11, 0, P55C_ALL, kernel_quiet, 0),
    ROW(0x1C, 0, P55C_ALL, kernel_quiet, 0),
    ROW(0x20, 0, P55C_ALL, kernel_quiet, 0),
    ROW(0x21, 0, P55C_ALL, kernel_quiet, 0),
    ROW(0x2A, 0, P55C_ALL, kernel_quiet, 0),
    ROW(0x2C, 0, P55C_ALL, kernel_quiet, 0),
    ROW(0x3C, 0, P55C_ALL, kernel_quiet, 0),
    ROW(0x3F, 0, P55C_ALL, kernel_quiet, 0),
    // All of it is at CPL 0.
    ROW(0x16, BOTH, P55C_SYSTEM, kernel_quiet, 8 + CLOSING),
    ROW(0x16, BOTH, P55C_USER, kernel_quiet, 0),
};

static void check_events(void) {
    check_rows(rows, sizeof rows / sizeof rows[0]);
    // The fifth return finds no address. With the call of the kernel itself, six calls are open,
    // of which two find no room.
    CHECK(count(kernel_calls, 0x39, 1, P55C_ALL) == (asked_for("full") ? 2 : 1));
    CHECK(count(kernel_loop, 0x39, 1, P55C_ALL) == 0);
    // Clocks are those of the time-stamp counter, once the code is in the cache.
    u64 v[2] = {0, 0}, clocks = 0;
    for (u32 i = 0; i < 2; ++i) {
        p55c_start(p55c_field(0x30, P55C_ALL | P55C_CLOCKS, 0), 0, 0);
        const u64 from = p55c_rdtsc();
        clocks = p55c_rdtsc() - from;
        p55c_stop(v);
    }
    CHECK(v[0] >= clocks && v[0] < clocks + 200);
}

// Conditions under a code without clocks (p55c.duration_needs_clock_code = false).
static void check_plain(void) {
    CHECK(count(kernel_product, 0x38, 0, P55C_ALL) == 2);
    CHECK(count(kernel_product, 0x38, 0, P55C_ALL | P55C_CLOCKS) == 2);
}

// DR0-3 match without being enabled: data of 4 bytes, then an instruction in U.
static void set_breakpoint(u32 n, const void* at, u32 dr7) {
    switch (n) {
        case 0:
            __asm__ volatile("movl %0, %%dr0" : : "r"(at));
            break;
        case 1:
            __asm__ volatile("movl %0, %%dr1" : : "r"(at));
            break;
        case 2:
            __asm__ volatile("movl %0, %%dr2" : : "r"(at));
            break;
        default:
            __asm__ volatile("movl %0, %%dr3" : : "r"(at));
    }
    __asm__ volatile("movl %0, %%dr7" : : "r"(dr7));
}
static void check_breakpoints(void) {
    enum { WRITES = 1, ACCESSES = 3, LONG = 3 << 2 };
    for (u32 n = 0; n < 4; ++n) {
        const u32 shift = 16 + 4 * n;
        set_breakpoint(n, area, (ACCESSES | LONG) << shift | 0x400);
        CHECK(count(kernel_reads, 0x23 + n, 0, P55C_ALL) == 4);
        CHECK(count(kernel_writes, 0x23 + n, 1, P55C_ALL) == 3);
        set_breakpoint(n, area, (WRITES | LONG) << shift | 0x400);
        CHECK(count(kernel_reads, 0x23 + n, 0, P55C_ALL) == 0);
        CHECK(count(kernel_writes, 0x23 + n, 0, P55C_ALL) == 3);
        set_breakpoint(n, 0, 0x400);
        CHECK(count(kernel_reads, 0x23 + n, 0, P55C_ALL) == 0);
    }
}

static void write_reserved(void) {
    p55c_wrmsr(MSR_CESR, 1u << 10);
}
static void write_high(void) {
    p55c_wrmsr(MSR_CESR, 1ull << 32);
}
static void read_pmc2(void) {
    p55c_rdpmc(2);
}
static void read_knc(void) {
    p55c_rdmsr(0x20);
}
static void read_perfmon(void) {
    p55c_rdmsr(0x38F);
}

static void check_registers(void) {
    CHECK(p55c_rdmsr(MSR_CESR) == 0);
    CHECK(p55c_rdmsr(MSR_CTR) == 0);
    CHECK(p55c_rdmsr(MSR_CTR + 1) == 0);
    for (u32 bit = 0; bit < 32; ++bit) {
        const u32 fields = 0x03FF03FF;
        if ((fields >> bit & 1) == 0) continue;
        p55c_wrmsr(MSR_CESR, 1u << bit);
        CHECK(p55c_rdmsr(MSR_CESR) == 1u << bit);
    }
    p55c_wrmsr(MSR_CESR, 0);
    EXPECT(write_reserved, GP, 0);
    EXPECT(write_high, GP, 0);
    EXPECT(read_pmc2, GP, 0);
    EXPECT(read_knc, GP, 0);
    EXPECT(read_perfmon, GP, 0);
    CHECK(p55c_rdmsr(MSR_CESR) == 0);
    for (u32 n = 0; n < P55C_COUNTERS; ++n) {
        p55c_wrmsr(MSR_CTR + n, ~0ull);
        CHECK(p55c_rdmsr(MSR_CTR + n) == P55C_MASK);
        CHECK(p55c_rdpmc(n) == P55C_MASK);
        p55c_wrmsr(MSR_CTR + n, 0x123456789Aull);
        CHECK(p55c_rdpmc(n) == 0x123456789Aull);
    }
    p55c_wrmsr(MSR_TSC, 0x0123456700000000ull);
    CHECK(p55c_rdtsc() >> 32 == 0x01234567);
    // A counter wraps and keeps the rest.
    u64 v[2];
    p55c_wrmsr(MSR_CTR, p55c_before(5));
    kernel_quiet(p55c_field(0x16, P55C_ALL, 0));
    p55c_stop(v);
    CHECK(v[0] == 8 + CLOSING - 5);
    // A change of the event keeps the count; the other counter goes on.
    p55c_start(p55c_control(p55c_field(0x16, P55C_ALL, 0), p55c_field(0x16, P55C_ALL, 0)), 0, 0);
    p55c_change(0, p55c_field(0x27, P55C_ALL, 0));
    p55c_stop(v);
    CHECK(v[0] == 0);
    CHECK(v[1] != 0);
}

static void check_user(void) {
    u64 v[2];
    fault_vector = ~0u;
    p55c_start(p55c_field(0x16, P55C_USER, 0), 0, 0);
    run_user(user_work);
    p55c_stop(v);
    CHECK(v[0] == 8 + 1 + 2);  // the call, eight NOP and RET, INT n
    p55c_start(p55c_field(0x16, P55C_USER | P55C_CLOCKS, 0), 0, 0);
    run_user(user_work);
    p55c_stop(v);
    CHECK(v[0] == 4 + 3);  // four pairs, CALL, RET, INT
    u32 cr4;
    __asm__ volatile("movl %%cr4, %0" : "=r"(cr4));
    EXPECT_USER(user_rdpmc, GP, 0);
    __asm__ volatile("movl %0, %%cr4" : : "r"(cr4 | 0x100));  // PCE
    fault_vector = ~0u;
    run_user(user_rdpmc);
    CHECK(fault_vector == ~0u);
    run_user(user_rdtsc);
    CHECK(fault_vector == ~0u);
    __asm__ volatile("movl %0, %%cr4" : : "r"(cr4 | 4));  // TSD
    EXPECT_USER(user_rdtsc, GP, 0);
    CHECK(p55c_rdtsc() != 0);
    __asm__ volatile("movl %0, %%cr4" : : "r"(cr4));
}

// The time-stamp counter counts what event 30H counts, or goes on in HLT.
static void check_halt(void) {
    u64 v[2];
    __asm__ volatile("sti\n\tnop\n\tnop\n\tcli" : : : "memory");  // what waits
    wait = 20000;
    apic_write(APIC_INITIAL, wait);
    p55c_start(p55c_field(0x30, P55C_ALL | P55C_CLOCKS, 0), 0, 0);
    const u64 from = p55c_rdtsc();
    __asm__ volatile("sti\n\thlt\n\tcli" : : : "memory");
    const u64 clocks = p55c_rdtsc() - from;
    p55c_stop(v);
    wait = 2000;
    CHECK(v[0] < 10000);
    if (asked_for("runs"))
        CHECK(clocks > 10000);
    else
        CHECK(clocks <= v[0] && clocks + 200 > v[0]);
}

static void check_apic(void) {
    CHECK(apic_read(APIC_PMC) == 0);
    apic_write(APIC_PMC, 0x400);
    CHECK(apic_read(APIC_PMC) == 0);
}

// p55c_bus has the number of clocks.
static void check_waits(void) {
    u64 v[2];
    measure_clocks(kernel_hit, 0x30, 0x1A, v);
    CHECK(v[1] == 0);
    CHECK(count(kernel_miss, 0x1A, 0, P55C_ALL) == 1);
    measure_clocks(kernel_miss, 0x1A, 0x36, v);
    CHECK(v[0] != 0 && v[1] == 0);
    // The only load is one of MMX.
    measure_clocks(kernel_mmx_misses, 0x1A, 0x36, v);
    CHECK(v[0] != 0 && v[0] == v[1]);
}

static u32 directory[1024] __attribute__((aligned(4096)));
// Large pages, one to one.
static void check_translations(void) {
    enum { PRESENT = 1, WRITABLE = 2, UNCACHED = 0x18, LARGE = 0x80 };
    for (u32 i = 0; i < 1024; ++i)
        directory[i] =
            i << 22 | LARGE | WRITABLE | PRESENT | (i >= 0xFEC00000u >> 22 ? UNCACHED : 0);
    // The first 4 MB again, uncached.
    directory[1] = LARGE | WRITABLE | PRESENT | UNCACHED;
    u32 cr0, cr4;
    __asm__ volatile("movl %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movl %0, %%cr4" : : "r"(cr4 | 0x10));
    __asm__ volatile("movl %0, %%cr3" : : "r"(directory) : "memory");
    __asm__ volatile("movl %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("movl %0, %%cr0" : : "r"(cr0 | 0x80000000) : "memory");
    CHECK(count(kernel_uncached, 0x1E, 0, P55C_ALL) == 2);
    CHECK(count(kernel_uncached, 0x1E, 1, P55C_ALL) == 2);
    CHECK(count(kernel_uncached, 0x2E, 1, P55C_ALL) == 2);  // a store, OUT
    CHECK(count(kernel_uncached, 0x2E, 0, P55C_ALL) == 0);
    CHECK(count(kernel_reads, 0x1E, 0, P55C_ALL) == 0);
    CHECK(count(kernel_writes, 0x2E, 1, P55C_ALL) == 0);
    // The page of the data is that of the code.
    CHECK(count(kernel_tlb, 0x02, 0, P55C_ALL) == 1);
    CHECK(count(kernel_tlb, 0x0D, 1, P55C_ALL) == 1);
    CHECK(count(kernel_reads, 0x02, 0, P55C_ALL) == 0);
    CHECK(count(kernel_reads, 0x0D, 0, P55C_ALL) == 0);
    __asm__ volatile("movl %0, %%cr0" : : "r"(cr0) : "memory");
    CHECK(count(kernel_tlb, 0x02, 0, P55C_ALL) == 0);
}

static void check_identity(void) {
    u32 a = 1, b, c, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    CHECK(a == 0x543);
    CHECK(b == 0 && c == 0);
    CHECK(d == 0x008003BF);
}

void test(void);
void test(void) {
    set_up();
    set_gate(0x70, nothing_entry, 0x8E);
    set_gate(TIMER_VECTOR, timer_entry, 0x8E);
    apic_write(APIC_SVR, 0x1FF);
    apic_write(APIC_DIVIDE, 11);
    apic_write(APIC_TIMER, TIMER_VECTOR);
    __asm__ volatile("emms");
    check_identity();
    check_registers();
    check_apic();
    wait = 2000;
    apic_write(APIC_INITIAL, wait);
    if (asked_for("plain")) {
        check_plain();
    } else {
        check_events();
        check_waits();
    }
    check_breakpoints();
    check_user();
    check_halt();
    check_translations();
    finish();
}
