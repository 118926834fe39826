// The rules of counting: privilege and SPFLT filters, enables, CMASK, INV and edge, events with
// predicted numbers, reading at ring 3.
#include "drivers/pmu/pmu.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/probe.h"
#include "lib/user.h"
#include "lib/vm.h"
#include "tests/kernels.h"

#define N 1000ul
#define INSTRUCTIONS PMU_EVENT_INSTRUCTIONS_EXECUTED
#define ANY_RING (PMU_USER | PMU_OS)

static USER_BSS u64 line[8] __attribute__((aligned(64)));
static USER_BSS u8 page[VM_PAGE] __attribute__((aligned(4096)));

struct counts {
    u64 count[PMU_COUNTERS];
};

// Counts of both counters over fn(argument) at ring 3, under SPFLT control if `filtered`.
static struct counts at_ring3(u32 select0, u32 select1, bool filtered, user_function fn,
                              u64 argument) {
    pmu_reset();
    if (select0 != 0) pmu_select(0, select0, 0);
    if (select1 != 0) pmu_select(1, select1, 0);
    pmu_set_filter(filtered ? 3 : 0, false);
    pmu_start(3);
    user_call(fn, argument);
    pmu_stop();
    return (struct counts){{pmu_read(0), pmu_read(1)}};
}

static struct counts in_region(u32 select0, u32 select1) {
    return at_ring3(select0, select1, true, region_loop, N);
}

static u64 memory_region(u64 n) {
    return region_memory(n, line);
}
static u64 page_region(u64 n) {
    return region_memory(n, page);
}
static u64 rep_region(u64 n) {
    return region_rep(n, page);
}

static void check_privilege(void) {
    static const u32 filter[] = {0, PMU_USER, PMU_OS, ANY_RING};
    for (u32 i = 0; i < 4; ++i) {
        const u64 user = (filter[i] & PMU_USER) != 0 ? REGION_LOOP_INSTRUCTIONS(N) : 0;
        const u64 os = (filter[i] & PMU_OS) != 0 ? SUPERVISOR_LOOP_INSTRUCTIONS(N) : 0;
        CHECK_EQ(in_region(INSTRUCTIONS | filter[i], 0).count[0], user);
        pmu_reset();
        pmu_select(1, INSTRUCTIONS | filter[i], 0);
        supervisor_loop(N);
        CHECK_EQ(pmu_read(1), os);
    }
    // Without SPFLT: everything at ring 3, and the INT that leaves it belongs to ring 3.
    CHECK_EQ(at_ring3(INSTRUCTIONS | PMU_USER, 0, false, kernel_loop, N).count[0],
             USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS(N));
}

static void check_enables(void) {
    pmu_reset();
    pmu_select(0, INSTRUCTIONS | ANY_RING, 0);
    pmu_select(1, INSTRUCTIONS | ANY_RING, 0);
    pmu_start(2);
    kernel_loop(N);
    pmu_stop();
    CHECK_EQ(pmu_read(0), 0);
    CHECK(pmu_read(1) >= KERNEL_LOOP_INSTRUCTIONS(N));
    // GLOBAL_CTRL set, EN not.
    pmu_reset();
    wrmsr(MSR_PERF_EVENT_SELECT, INSTRUCTIONS | ANY_RING);
    supervisor_loop(N);
    CHECK_EQ(pmu_read(0), 0);
}

static void check_spflt(void) {
    // Counter 0 follows SPFLT, counter 1 counts everything at ring 3.
    pmu_reset();
    pmu_select(0, INSTRUCTIONS | PMU_USER, 0);
    pmu_select(1, INSTRUCTIONS | PMU_USER, 0);
    pmu_set_filter(1, false);
    pmu_start(3);
    user_call(region_loop, N);
    pmu_stop();
    CHECK_EQ(pmu_read(0), REGION_LOOP_INSTRUCTIONS(N));
    // Outside the bracket lie the move and the first SPFLT before it, and the return after it.
    CHECK_EQ(pmu_read(1), REGION_LOOP_INSTRUCTIONS(N) + 3 + USER_CALL_INSTRUCTIONS);

    static const user_function forms[] = {spflt_rax, spflt_rcx, spflt_rdx, spflt_rbx, spflt_rbp,
                                          spflt_rsi, spflt_rdi, spflt_r8,  spflt_r15, spflt_eax};
    for (u32 i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        pmu_set_filter(2, false);
        user_call(forms[i], 0x8000000000000001);
        CHECK_EQ(rdmsr(MSR_PERF_SPFLT_CONTROL), PMU_USER_PREFERENCE | 2);
        user_call(forms[i], 0xFFFFFFFFFFFFFFFE);
        CHECK_EQ(rdmsr(MSR_PERF_SPFLT_CONTROL), 2);
        forms[i](1);
        CHECK_EQ(rdmsr(MSR_PERF_SPFLT_CONTROL), PMU_USER_PREFERENCE | 2);
    }
}

static void check_events(void) {
    struct counts c = in_region(PMU_EVENT_BRANCHES | PMU_USER, INSTRUCTIONS | PMU_USER);
    CHECK_EQ(c.count[0], REGION_LOOP_BRANCHES(N));
    CHECK_EQ(c.count[1], REGION_LOOP_INSTRUCTIONS(N));

    c = at_ring3(PMU_EVENT_DATA_READ | PMU_USER, PMU_EVENT_DATA_WRITE | PMU_USER, true,
                 memory_region, N);
    CHECK_EQ(c.count[0], REGION_MEMORY_READS(N));
    CHECK_EQ(c.count[1], REGION_MEMORY_WRITES(N));
    c = at_ring3(PMU_EVENT_DATA_READ_OR_WRITE | PMU_USER, INSTRUCTIONS | PMU_USER, true,
                 memory_region, N);
    CHECK_EQ(c.count[0], REGION_MEMORY_READS(N) + REGION_MEMORY_WRITES(N));
    CHECK_EQ(c.count[1], REGION_MEMORY_INSTRUCTIONS(N));

    c = at_ring3(INSTRUCTIONS | PMU_USER, 0, true, rep_region, N);
    CHECK_EQ(c.count[0], REGION_REP_INSTRUCTIONS);
    // No such pair of event and umask.
    c = in_region(0x7F | PMU_USER, INSTRUCTIONS | 0x5500 | PMU_USER);
    CHECK_EQ(c.count[0], 0);
    CHECK_EQ(c.count[1], 0);
}

static void map_page(struct trap_frame* f) {
    (void)f;
    vm_protect(page, sizeof page, VM_USER | VM_WRITE);
}

// An instruction that faults does not count; its restart does.
static void check_fault(void) {
    page[0] = 0;
    const trap_handler before = trap_set_handler(TRAP_PF, map_page);
    vm_protect(page, sizeof page, 0);
    const struct counts c = at_ring3(INSTRUCTIONS | PMU_USER, 0, true, page_region, N);
    CHECK_EQ(c.count[0], REGION_MEMORY_INSTRUCTIONS(N));
    trap_set_handler(TRAP_PF, before);
}

static void check_cycles(void) {
    // A clock has at most two instructions, so clocks with at least one plus clocks with two give
    // all instructions.
    struct counts c =
        in_region(INSTRUCTIONS | PMU_USER | PMU_CMASK(1), INSTRUCTIONS | PMU_USER | PMU_CMASK(2));
    CHECK_EQ(c.count[0] + c.count[1], REGION_LOOP_INSTRUCTIONS(N));
    // A clock with two instructions has one in the V pipe.
    c = in_region(INSTRUCTIONS | PMU_USER | PMU_CMASK(2),
                  PMU_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE | PMU_USER);
    CHECK_EQ(c.count[0], c.count[1]);
    c = in_region(INSTRUCTIONS | PMU_USER | PMU_CMASK(3), INSTRUCTIONS | PMU_USER | PMU_CMASK(255));
    CHECK_EQ(c.count[0], 0);
    CHECK_EQ(c.count[1], 0);
    // Fewer than three: every clock.
    c = in_region(PMU_EVENT_CPU_CLK_UNHALTED | PMU_USER,
                  INSTRUCTIONS | PMU_USER | PMU_INVERT | PMU_CMASK(3));
    CHECK(c.count[0] >= REGION_LOOP_INSTRUCTIONS(N) / 2);
    CHECK_EQ(c.count[0], c.count[1]);
    // INV without CMASK changes nothing.
    c = in_region(INSTRUCTIONS | PMU_USER | PMU_INVERT, INSTRUCTIONS | PMU_USER);
    CHECK_EQ(c.count[0], c.count[1]);
    // CPU_CLK_UNHALTED is true of every clock, so it has one edge; instructions have many.
    c = in_region(PMU_EVENT_CPU_CLK_UNHALTED | PMU_USER | PMU_EDGE,
                  INSTRUCTIONS | PMU_USER | PMU_CMASK(1) | PMU_EDGE);
    CHECK_RANGE(c.count[0], 0, 1);
    CHECK_RANGE(c.count[1], 1, REGION_LOOP_INSTRUCTIONS(N));
}

static void check_any_thread(void) {
    // No other thread of the core runs.
    const struct counts c =
        in_region(INSTRUCTIONS | PMU_USER | PMU_ANY_THREAD, INSTRUCTIONS | PMU_USER);
    CHECK_EQ(c.count[0], REGION_LOOP_INSTRUCTIONS(N));
    CHECK_EQ(c.count[1], REGION_LOOP_INSTRUCTIONS(N));
}

static u64 user_rdpmc(u64 counter) {
    return rdpmc((u32)counter);
}
static u64 user_rdtsc(u64 unused) {
    return rdtsc() + unused;
}

static void check_user_reads(void) {
    pmu_reset();
    pmu_write(0, 0x123456789A);
    pmu_write(1, 77);
    pmu_allow_user_read(false);
    struct fault f = user_catch(user_rdpmc, 0, NULL);
    CHECK(fault_is(&f, TRAP_GP, 0));
    CHECK_EQ(rdpmc(0), 0x123456789A);
    pmu_allow_user_read(true);
    u64 value = 0;
    f = user_catch(user_rdpmc, 0, &value);
    CHECK(!f.raised);
    CHECK_EQ(value, 0x123456789A);
    f = user_catch(user_rdpmc, 1, &value);
    CHECK_EQ(value, 77);
    f = user_catch(user_rdpmc, 2, NULL);
    CHECK(fault_is(&f, TRAP_GP, 0));

    write_cr4(read_cr4() | CR4_TSD);
    f = user_catch(user_rdtsc, 0, NULL);
    CHECK(fault_is(&f, TRAP_GP, 0));
    const u64 before = rdtsc();
    write_cr4(read_cr4() & ~CR4_TSD);
    f = user_catch(user_rdtsc, 0, &value);
    CHECK(!f.raised && value > before);
}

static void check_rdtsc_cost(void) {
    rdtsc_chain(0);
    // The move after the first one may take a slot of its own.
    CHECK_RANGE(rdtsc_chain(0), 4 * RDTSC_CHAIN_COUNT, 5 * RDTSC_CHAIN_COUNT + 2);
}

int main(void) {
    check_privilege();
    check_enables();
    check_spflt();
    check_events();
    check_fault();
    check_cycles();
    check_any_thread();
    check_user_reads();
    check_rdtsc_cost();
    return check_summary();
}
