// Precise samples beside interrupts: a loop at ring 3 in which one load misses every time. PEBS
// records the load's own address and that of its data; the instruction pointers of a performance
// interrupt lie behind it.
//
// Command line: loop=N (rounds, default 1000), period=P (misses between samples, default 10). Marks
// 1 and 2: around the loop with PEBS; 3 and 4: with interrupts.
#include "drivers/apic/apic.h"
#include "drivers/perfmon/perfmon.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/trap.h"
#include "lib/user.h"
#include "lib/vm.h"

#define VECTOR 0x60
#define STRIDE (5 * 64ul)  // no stream for the prefetcher
#define MOST_ROUNDS 4096ul
#define RECORD (PEBS_BASIC_BYTES + PEBS_MEMORY_BYTES)
#define EVENT (PERFMON_LOADS_L2_MISS | PERFMON_USER)

static u8 data[MOST_ROUNDS * STRIDE] __attribute__((aligned(4096)));
static u8 buffer[1024 * RECORD] __attribute__((aligned(4096)));
static struct perfmon_ds_area area;
extern const u8 missing_load[];
static u64 period;

// Each round reads another line.
static u64 rounds(u64 n) {
    u64 sum = 0;
    const u8* at = data;
    __asm__ volatile(
        "1: incl %%eax\n\tnop\n"
        "missing_load: addq (%[at]), %[sum]\n\t"
        "nop\n\tnop\n\taddq %[stride], %[at]\n\tnop\n\tloop 1b"
        : [sum] "+r"(sum), [at] "+r"(at), "+c"(n)
        : [stride] "i"(STRIDE)
        : "rax", "memory", "cc");
    return sum;
}

static void evict(void) {
    __asm__ volatile("wbinvd" : : : "memory");
}

// The distance of a sample from the load, in bytes; 7: elsewhere.
static u64 distances[8];
static void count(u64 ip) {
    const u64 behind = ip - (u64)missing_load;
    ++distances[behind < 7 ? behind : 7];
}

static u64 interrupts;
static void on_pmi(struct trap_frame* f) {
    perfmon_stop();
    count(f->rip);
    ++interrupts;
    perfmon_clear_status(PERFMON_ALL);
    wrmsr(MSR_A_PMC, (0 - period) & PERFMON_MASK);
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    apic_eoi();
    perfmon_start(PERFMON_BIT(0));
}

static void print_distances(const char* how) {
    printf("%s:", how);
    for (unsigned n = 0; n < 8; ++n) {
        printf(" %lu", distances[n]);
        distances[n] = 0;
    }
    printf("\n");
}

int main(void) {
    u64 loop = option_number("loop", 1000);
    if (loop > MOST_ROUNDS) loop = MOST_ROUNDS;
    period = option_number("period", 10);
    if (!CHECK(PERFMON_PEBS_FORMAT(rdmsr(MSR_PERF_CAPABILITIES)) != 0)) return check_summary();
    trap_set_handler(VECTOR, on_pmi);

    vm_protect(data, sizeof data, VM_WRITE | VM_USER);
    perfmon_reset();
    pebs_start(&area, buffer, sizeof buffer, sizeof buffer, PEBS_MEMORY, PERFMON_BIT(0));
    area.reset[0] = (0 - period) & PERFMON_MASK;
    perfmon_select(0, EVENT | PERFMON_ADAPTIVE, 0 - period);
    evict();
    platform_marker(1);
    perfmon_start(PERFMON_BIT(0));
    user_call(rounds, loop);
    perfmon_stop();
    platform_marker(2);
    u64 samples = 0, at_load = 0;
    for (const struct pebs_basic* r = pebs_next(&area, NULL); r != NULL; r = pebs_next(&area, r)) {
        const struct pebs_memory* m = pebs_memory_of(r);
        if (samples < 4)
            printf("record: ip 0x%lx data 0x%lx source %lu latency %lu\n", r->ip, m->address,
                   m->source, m->latency);
        ++samples;
        if (r->ip != (u64)missing_load) continue;
        ++at_load;
        CHECK(m->address >= (u64)data && m->address < (u64)data + loop * STRIDE);
        count(r->ip);
    }
    printf("%lu records, %lu of them at the load\n", samples, at_load);
    print_distances("PEBS, bytes behind the load");
    CHECK(at_load != 0 && samples - at_load <= 1);

    perfmon_reset();
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    perfmon_select(0, EVENT | PERFMON_INT, 0 - period);
    evict();
    irq_enable();
    platform_marker(3);
    perfmon_start(PERFMON_BIT(0));
    user_call(rounds, loop);
    perfmon_stop();
    platform_marker(4);
    printf("%lu interrupts\n", interrupts);
    CHECK_EQ(distances[0], 0);
    print_distances("interrupts, bytes behind the load");
    return check_summary();
}
