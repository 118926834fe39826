// Cache monitoring: CPUID, the registers, exact occupancy of two threads, whose a line is, reuse of
// an ID, unavailable data, the pair of registers without a lock. For the preset perfmon.
//
// Command line: upscale=N, rmids=N, l3_rmids=N   what CPUID must say (cmt.upscale, ...)
//               move                             cmt.hit is move
//               thread                           cmt.select_scope is thread
//               window                           cmt.unavailable_clocks is not 0
//               bandwidth                        cmt.bandwidth is true
#include "drivers/cmt/cmt.h"

#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/probe.h"
#include "lib/thread.h"
#include "lib/trap.h"
#include "lib/vm.h"

#define LINE 64ul
#define LINES 256ul
// Every second line: no stream that the prefetcher follows.
#define STRIDE (2 * LINE)
#define PATIENCE 1000ul
#define OTHER 4  // APIC ID of the other core's first thread

static u8 mine[LINES * STRIDE] __attribute__((aligned(4096)));
static u8 theirs[LINES * STRIDE] __attribute__((aligned(4096)));
static u8 warm[4 * STRIDE] __attribute__((aligned(4096)));

static struct cmt_info info;

// ---- the other thread does what it is told

enum order { NOTHING, ASSOCIATE, TOUCH, SELECT };
static volatile u32 order, argument;
static volatile u64 sequence, answered;

static void touch(const u8* lines, u64 count) {
    for (u64 n = 0; n < count; ++n) (void)*(const volatile u8*)(lines + n * STRIDE);
}

// One piece of code, which warm_up() brings into the caches, so that no line of it is fetched for
// the ID.
static __attribute__((noinline)) void touch_as(u32 rmid, const u8* lines, u64 count) {
    cmt_associate(rmid);
    touch(lines, count);
    cmt_associate(0);
}

static __attribute__((noinline)) void store_as(u32 rmid, u8* lines, u64 count) {
    cmt_associate(rmid);
    for (u64 n = 0; n < count; ++n) *(volatile u8*)(lines + n * STRIDE) = 1;
    memory_barrier();
    cmt_associate(0);
}

static void forget(const u8* lines, u64 count) {
    // Instructions that Knights Corner, for which this is compiled, has not.
    static const u8 flush[] = {0x0F, 0xAE, 0x3F, 0xC3};  // clflush (%rdi)
    for (u64 n = 0; n < count; ++n) {
        void (*call)(const u8*);
        *(const void**)&call = flush;
        call(lines + n * STRIDE);
    }
    memory_barrier();
}

static void other_main(struct thread* t) {
    (void)t;
    for (u64 seen = 0;;) {
        while (sequence == seen) platform_delay(16);
        seen = sequence;
        switch (order) {
            case ASSOCIATE:
                cmt_associate(argument);
                break;
            case TOUCH:
                touch(theirs, argument);
                break;
            case SELECT:
                wrmsr(MSR_QM_EVTSEL, (u64)argument << 32 | CMT_OCCUPANCY);
                break;
            default:
                break;
        }
        answered = seen;
    }
}

static void tell(u32 what, u32 with) {
    order = what;
    argument = with;
    __asm__ volatile("" ::: "memory");
    ++sequence;
    while (answered != sequence) platform_delay(16);
}

// ---- readings

static u64 event_of(u32 event, u32 rmid) {
    u64 bytes = ~0ul;
    CHECK_EQ(cmt_read(&info, event, rmid, PATIENCE, &bytes), CMT_OK);
    return bytes;
}

static u64 occupancy(u32 rmid) {
    return event_of(CMT_OCCUPANCY, rmid);
}

// What so many lines read as.
static u64 as_read(u64 lines) {
    return lines * LINE / info.upscale * info.upscale;
}

// The L3 of the card is one for all its threads: two slices of 1 MB.
static void check_l3(void) {
    struct cpuid_result r;
    __asm__ volatile("cpuid" : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx) : "a"(4), "c"(3));
    CHECK_EQ(r.eax & 0xFF, 3 << 5 | 3);  // level 3, unified
    CHECK((r.eax >> 14 & 0xFFF) >= 7);   // at least the eight threads
    CHECK_EQ(((u64)(r.ebx >> 22) + 1) * ((r.ebx & 0xFFF) + 1) * (r.ecx + 1), 2 << 20);
}

static void check_cpuid(void) {
    if (!CHECK(cmt_find(&info))) return;
    CHECK_EQ(info.rmids, option_number("rmids", 16));
    CHECK_EQ(info.l3_rmids, option_number("l3_rmids", info.rmids));
    CHECK_EQ(info.upscale, option_number("upscale", 64));
    CHECK_EQ(info.events, option("bandwidth") ? 7 : 1);
}

static void check_registers(void) {
    unsigned width = 0;
    while (1u << width < info.rmids) ++width;
    for (unsigned bit = 0; bit < 64; ++bit) {
        const bool event = bit < 8, rmid = bit >= 32 && bit < 32 + width;
        const struct fault select = probe_wrmsr(MSR_QM_EVTSEL, 1ul << bit);
        if (event || rmid) {
            CHECK(!select.raised);
            CHECK_EQ(rdmsr(MSR_QM_EVTSEL), 1ul << bit);
        } else {
            CHECK(fault_is(&select, TRAP_GP, 0));
        }
        const struct fault read_only = probe_wrmsr(MSR_QM_CTR, 1ul << bit);
        CHECK(fault_is(&read_only, TRAP_GP, 0));
        const struct fault associate = probe_wrmsr(MSR_PQR_ASSOC, 1ul << bit);
        if (bit < 32 && 1ul << bit < info.rmids)
            CHECK(!associate.raised);
        else
            CHECK(fault_is(&associate, TRAP_GP, 0));
    }
    const struct fault too_large = probe_wrmsr(MSR_PQR_ASSOC, info.rmids);
    CHECK(fault_is(&too_large, TRAP_GP, 0));
    cmt_associate(info.rmids - 1);
    CHECK_EQ(cmt_associated(), info.rmids - 1);
    cmt_associate(0);
    // Neighbours that do not exist.
    const struct fault allocation = probe_rdmsr(0xC90, NULL), below = probe_rdmsr(0xC8C, NULL);
    CHECK(fault_is(&allocation, TRAP_GP, 0));
    CHECK(fault_is(&below, TRAP_GP, 0));
}

static void check_errors(void) {
    u64 bytes = 77;
    for (u32 event = 0; event < 256; ++event) {
        const bool exists = event != 0 && event <= 3 && (info.events >> (event - 1) & 1) != 0;
        if (event > 8 && event < 250) continue;
        CHECK_EQ(cmt_read(&info, event, 0, PATIENCE, &bytes), exists ? CMT_OK : CMT_UNSUPPORTED);
    }
    if (info.l3_rmids < info.rmids) {
        CHECK_EQ(cmt_read(&info, CMT_OCCUPANCY, info.l3_rmids, PATIENCE, &bytes), CMT_UNSUPPORTED);
        CHECK_EQ(cmt_read(&info, CMT_OCCUPANCY, info.l3_rmids - 1, PATIENCE, &bytes), CMT_OK);
    }
}

// Code, stack and registers of what follows are in the caches.
static void warm_up(void) {
    touch_as(0, warm, 4);
    // Whatever else an access to these needs.
    touch_as(0, mine, LINES);
    touch_as(0, theirs, LINES);
    forget(mine, LINES);
    forget(theirs, LINES);
    forget(warm, 4);
    occupancy(1);
}

// A thread with a fresh ID touches 1, 8, 64 lines.
static void check_lines(void) {
    static const u64 steps[] = {1, 8, 64, LINES};
    for (u32 i = 0; i < 4; ++i) {
        touch_as(1, mine, steps[i]);
        CHECK_EQ(occupancy(1), as_read(steps[i]));
    }
    // Again: nothing new.
    touch_as(1, mine, LINES);
    CHECK_EQ(occupancy(1), as_read(LINES));
}

// Two threads of two cores, each with its own ID and footprint; then one reads what the other has
// brought.
static void check_two(void) {
    tell(TOUCH, 0);
    tell(ASSOCIATE, 2);
    tell(TOUCH, 100);
    tell(ASSOCIATE, 0);
    CHECK_EQ(occupancy(1), as_read(LINES));
    CHECK_EQ(occupancy(2), as_read(100));
    touch_as(3, theirs, 40);
    const bool moves = option("move");
    CHECK_EQ(occupancy(3), as_read(moves ? 40 : 0));
    CHECK_EQ(occupancy(2), as_read(moves ? 60 : 100));
    if (!moves) return;
    // They change hands again: not by hits in the caches of the core, which still has them.
    CHECK_EQ(occupancy(1), as_read(LINES));
}

// An ID that is given away still has its lines; those that are flushed are gone, whoever does it.
static void check_reuse(void) {
    CHECK_EQ(occupancy(1), as_read(LINES));
    forget(mine, 50);
    CHECK_EQ(occupancy(1), as_read(LINES - 50));
    touch_as(4, mine, 50);
    CHECK_EQ(occupancy(1), as_read(LINES - 50));
    CHECK_EQ(occupancy(4), as_read(50));
    forget(mine, LINES);
    forget(theirs, LINES);
    for (u32 rmid = 1; rmid <= 4; ++rmid) CHECK_EQ(occupancy(rmid), 0);
    // WBINVD empties the L3, of lines that another core's caches have, too.
    tell(ASSOCIATE, 2);
    tell(TOUCH, 100);
    tell(ASSOCIATE, 0);
    CHECK_EQ(occupancy(2), as_read(100));
    __asm__ volatile("wbinvd" ::: "memory");
    for (u32 rmid = 1; rmid <= 4; ++rmid) CHECK_EQ(occupancy(rmid), 0);
    CHECK(occupancy(0) != 0 || info.upscale > 4096);
}

// Who does not test the bits reads a wrong number.
static void check_window(void) {
    touch_as(1, mine, 64);
    wrmsr(MSR_QM_EVTSEL, 1ul << 32 | CMT_OCCUPANCY);
    const u64 naive = rdmsr(MSR_QM_CTR);
    CHECK_EQ(naive, option("window") ? CMT_UNAVAILABLE : as_read(64) / info.upscale);
    CHECK_EQ(occupancy(1), as_read(64));
    u64 bytes = 5;
    if (option("window")) {
        CHECK_EQ(cmt_read(&info, CMT_OCCUPANCY, 1, 0, &bytes), CMT_NO_DATA);
        CHECK_EQ(bytes, 5);
    }
    forget(mine, 64);
}

// Without the lock another thread's selection comes between, if the pair is one for all.
static void check_pair(void) {
    touch_as(1, mine, 64);
    wrmsr(MSR_QM_EVTSEL, 1ul << 32 | CMT_OCCUPANCY);
    tell(SELECT, 4);
    u64 value;
    do {
        value = rdmsr(MSR_QM_CTR);
    } while ((value & CMT_UNAVAILABLE) != 0);
    CHECK_EQ(value * info.upscale, option("thread") ? as_read(64) : 0);
    CHECK_EQ(occupancy(1), as_read(64));
    forget(mine, 64);
}

// Lines of memory read by the ID, and its dirty lines written.
static void check_bandwidth(void) {
    // An ID that no request has had yet has no data.
    u64 bytes = 5;
    CHECK_EQ(cmt_read(&info, CMT_TOTAL_BANDWIDTH, 5, 0, &bytes), CMT_NO_DATA);
    CHECK_EQ(bytes, 5);
    store_as(0, warm, 4);
    forget(warm, 4);
    touch_as(5, warm, 1);
    store_as(6, warm + STRIDE, 1);
    forget(warm, 4);
    // The line that each has read, and the one that the latter has written.
    const u64 read = event_of(CMT_TOTAL_BANDWIDTH, 5), written = event_of(CMT_TOTAL_BANDWIDTH, 6);
    CHECK_EQ(read, as_read(1));
    CHECK_EQ(written, as_read(2));
    touch_as(5, mine, 64);
    store_as(6, theirs, 64);
    CHECK_EQ(event_of(CMT_TOTAL_BANDWIDTH, 5) - read, as_read(64));
    CHECK_EQ(event_of(CMT_LOCAL_BANDWIDTH, 5) - read, as_read(64));
    CHECK_EQ(event_of(CMT_TOTAL_BANDWIDTH, 6) - written, as_read(64));
    forget(mine, 64);
    forget(theirs, 64);
    CHECK_EQ(event_of(CMT_TOTAL_BANDWIDTH, 5) - read, as_read(64));
}

// Reads and writes of lines that no cache keeps.
static __attribute__((noinline)) void uncached_as(u32 rmid, u8* lines, u64 count) {
    cmt_associate(rmid);
    for (u64 n = 0; n < count; ++n) {
        (void)*(volatile u8*)(lines + n * LINE);
        *(volatile u8*)(lines + (n + 32) * LINE) = 1;
    }
    memory_barrier();
    cmt_associate(0);
}

// They count for the ID, and bring it no line.
static void check_uncached(void) {
    static u8 page[VM_PAGE] __attribute__((aligned(4096)));
    CHECK(vm_protect(page, VM_PAGE, VM_WRITE | VM_UNCACHED));
    uncached_as(0, page, 1);
    const u64 others = event_of(CMT_TOTAL_BANDWIDTH, 0);
    uncached_as(7, page, 1);
    CHECK_EQ(event_of(CMT_TOTAL_BANDWIDTH, 7), as_read(2));
    uncached_as(7, page, 20);
    CHECK_EQ(event_of(CMT_TOTAL_BANDWIDTH, 7), as_read(2 + 40));
    // Of ID 0: code of these checks that has not run before.
    CHECK_RANGE(event_of(CMT_TOTAL_BANDWIDTH, 0), others, others + as_read(10));
    CHECK_EQ(occupancy(7), 0);
    CHECK(vm_protect(page, VM_PAGE, VM_WRITE));
}

int main(void) {
    check_cpuid();
    if (info.rmids == 0) return check_summary();
    check_l3();
    check_errors();
    CHECK(thread_boot(OTHER, other_main) != NULL);
    warm_up();
    check_lines();
    check_two();
    check_reuse();
    check_window();
    check_pair();
    if (option("bandwidth")) {
        check_bandwidth();
        check_uncached();
    }
    // Last: it fetches lines of code under each ID.
    check_registers();
    return check_summary();
}
