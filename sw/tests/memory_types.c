// Memory types: what makes memory uncacheable (page tables through the PAT, MTRRs, CR0.CD), and the
// events and clocks of accesses to it.
#include "drivers/pmu/pmu.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/probe.h"
#include "lib/user.h"
#include "lib/vm.h"

#define N 100ul
#define UC 0ul
#define WB 6ul
#define MTRR_ON (1ul << 11)
#define RANGE_VALID (1ul << 11)

static u8* page;

static u64 read_n(u64 address) {
    u64 n = N;
    spflt(1);
    __asm__ volatile("1: movq (%1), %%rax\n\tdecq %0\n\tjnz 1b"
                     : "+r"(n)
                     : "r"(address)
                     : "rax", "memory", "cc");
    spflt(0);
    return 0;
}
static u64 write_n(u64 address) {
    u64 n = N;
    spflt(1);
    __asm__ volatile("1: movq %0, (%1)\n\tdecq %0\n\tjnz 1b"
                     : "+r"(n)
                     : "r"(address)
                     : "memory", "cc");
    spflt(0);
    return 0;
}

// Counts of two events over fn(page) at ring 3, in the second run: the first has filled the caches.
static void count(u32 event0, u32 event1, user_function fn, u64 counts[2]) {
    for (int i = 0; i < 2; ++i) {
        pmu_reset();
        pmu_select(0, event0 | PMU_USER, 0);
        pmu_select(1, event1 | PMU_USER, 0);
        pmu_set_filter(3, false);
        pmu_start(3);
        user_call(fn, (u64)page);
        pmu_stop();
    }
    counts[0] = pmu_read(0);
    counts[1] = pmu_read(1);
}

static bool uncacheable(void) {
    u64 c[2];
    count(PMU_EVENT_DATA_READ, PMU_EVENT_DATA_READ_MISS, read_n, c);
    CHECK_EQ(c[0], N);
    CHECK(c[1] == 0 || c[1] == N);
    const bool misses = c[1] != 0;
    count(PMU_EVENT_DATA_READ_OR_WRITE, PMU_EVENT_DATA_READ_MISS_OR_WRITE_MISS, read_n, c);
    CHECK_EQ(c[0], N);
    CHECK_EQ(c[1], misses ? N : 0);
    // Uncacheable writes are not DATA_WRITE_MISS.
    count(PMU_EVENT_DATA_WRITE, PMU_EVENT_DATA_WRITE_MISS, write_n, c);
    CHECK_EQ(c[0], N);
    CHECK_EQ(c[1], 0);
    count(PMU_EVENT_DATA_READ_MISS, PMU_EVENT_DATA_READ_MISS_OR_WRITE_MISS, write_n, c);
    CHECK_EQ(c[0], 0);
    CHECK_EQ(c[1], misses ? N : 0);
    return misses;
}

static u64 clocks(void) {
    user_call(read_n, (u64)page);
    const u64 start = rdtsc();
    user_call(read_n, (u64)page);
    return rdtsc() - start;
}

static void set(u64 attributes) {
    CHECK(vm_protect(page, VM_PAGE, VM_USER | VM_WRITE | attributes));
}

// PAT entries by PAT, PCD and PWT in the page table entry.
static void check_page_tables(void) {
    const u64 pat = rdmsr(MSR_PAT);
    CHECK_EQ(pat, 0x0007040600070406);
    static const u64 bits[8] = {0, 0x08, 0x10, 0x18, 0x80, 0x88, 0x90, 0x98};
    for (u32 i = 0; i < 8; ++i) {
        set(bits[i]);
        const u64 type = pat >> 8 * i & 7;
        CHECK_EQ(uncacheable(), type == 0 || type == 7);
    }
    set(VM_UNCACHED);
    const u64 slow = clocks();
    wrmsr(MSR_PAT, (pat & ~(0xFFul << 24)) | WB << 24);  // what PCD and PWT select
    CHECK(!uncacheable());
    const u64 fast = clocks();
    CHECK(slow > fast + N * 10);
    wrmsr(MSR_PAT, pat);
    CHECK(uncacheable());
    set(0);
    CHECK(!uncacheable());
}

static void check_ranges(void) {
    const u64 ranges = rdmsr(MSR_MTRR_CAP) & 0xFF;
    const u32 n = (u32)ranges - 1;
    const u64 mask = ((1ul << 40) - 1) & ~(VM_PAGE - 1);
    CHECK_EQ(rdmsr(MSR_MTRR_DEF_TYPE), MTRR_ON | WB);
    wrmsr(MSR_MTRR_BASE + 2 * n, (u64)page | UC);
    CHECK(!uncacheable());  // not valid yet
    wrmsr(MSR_MTRR_MASK + 2 * n, mask | RANGE_VALID);
    CHECK(uncacheable());
    wrmsr(MSR_MTRR_BASE + 2 * n, (u64)page | WB);
    CHECK(!uncacheable());
    wrmsr(MSR_MTRR_DEF_TYPE, MTRR_ON | UC);
    CHECK(!uncacheable());  // the range gives another type
    wrmsr(MSR_MTRR_MASK + 2 * n, 0);
    CHECK(uncacheable());
    wrmsr(MSR_MTRR_DEF_TYPE, WB);  // off
    CHECK(uncacheable());
    wrmsr(MSR_MTRR_DEF_TYPE, MTRR_ON | WB);
    CHECK(!uncacheable());
}

static void check_cache_disable(void) {
    write_cr0(read_cr0() | CR0_CD);
    CHECK(uncacheable());
    write_cr0(read_cr0() & ~CR0_CD);
    CHECK(!uncacheable());
}

// Code from uncacheable memory misses in each fetch request.
static u64 run_code(u64 address) {
    spflt(1);
    ((void (*)(void))address)();
    spflt(0);
    return 0;
}

static void check_code(void) {
    for (u32 i = 0; i < VM_PAGE - 1; ++i) page[i] = 0x90;
    page[VM_PAGE - 1] = 0xC3;
    u64 cached[2], uncached[2];
    count(PMU_EVENT_CODE_READ, PMU_EVENT_CODE_CACHE_MISS, run_code, cached);
    set(VM_UNCACHED);
    count(PMU_EVENT_CODE_READ, PMU_EVENT_CODE_CACHE_MISS, run_code, uncached);
    set(0);
    CHECK(cached[0] >= VM_PAGE / 64);
    CHECK_EQ(uncached[0], cached[0]);
    CHECK_EQ(cached[1], 0);
    // All requests except those of the code around the call.
    CHECK_RANGE(uncached[1], uncached[0] - 4, uncached[0]);
}

int main(void) {
    page = heap_allocate(VM_PAGE, VM_PAGE);
    set(0);
    CHECK(!uncacheable());
    check_page_tables();
    check_ranges();
    check_cache_disable();
    check_code();
    return check_summary();
}
