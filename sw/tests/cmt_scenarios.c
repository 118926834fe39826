// Cache monitoring as systems use it: an ID for each thread, for an application of several threads,
// for a core; context switches; traffic to memory. For the preset perfmon.
//
// Command line: bandwidth when cmt.bandwidth is true, with c=N, the lines of the L3, and bits=N,
// the counters' width (cmt.bandwidth_bits).
#include "drivers/cmt/cmt.h"

#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/lock.h"
#include "lib/thread.h"

#define LINE 64ul
#define C 32768ul  // lines of the L3: two slices of 1 MB
#define PART (C / 8)
#define PARTS 8u
#define PATIENCE 1000ul
#define FEW 16ul

static struct cmt_info info;
static u8* part[PARTS];  // of PART lines each, one behind the other

// ---- threads that walk when they are told to

#define THREADS 8u  // by APIC ID; thread 0 tells the others
static struct {
    volatile u64 told, done;
    volatile u32 rmid;
    const u8* volatile from;
    volatile u64 lines;
} jobs[THREADS] __attribute__((aligned(128)));

// First the even lines, then the odd ones: no stream that the prefetcher follows, so that exactly
// these lines come.
static __attribute__((noinline)) void walk(u32 rmid, const u8* from, u64 lines) {
    cmt_associate(rmid);
    for (u64 odd = 0; odd < 2; ++odd)
        for (u64 n = odd; n < lines; n += 2) (void)*(const volatile u8*)(from + n * LINE);
    cmt_associate(0);
}

static __attribute__((noinline)) void copy(u32 rmid, u8* to, const u8* from, u64 lines) {
    cmt_associate(rmid);
    for (u64 odd = 0; odd < 2; ++odd)
        for (u64 n = odd; n < lines; n += 2)
            *(volatile u64*)(to + n * LINE) = *(const volatile u64*)(from + n * LINE);
    memory_barrier();
    cmt_associate(0);
}

static void worker(struct thread* t) {
    const u32 me = t->apic_id;
    for (u64 seen = 0;;) {
        while (jobs[me].told == seen) platform_delay(500);
        seen = jobs[me].told;
        walk(jobs[me].rmid, jobs[me].from, jobs[me].lines);
        jobs[me].done = seen;
    }
}

static void start(u32 id, u32 rmid, const u8* from, u64 lines) {
    jobs[id].rmid = rmid;
    jobs[id].from = from;
    jobs[id].lines = lines;
    __asm__ volatile("" ::: "memory");
    ++jobs[id].told;
}
static void finish(u32 first, u32 last) {
    for (u32 id = first; id <= last; ++id)
        while (jobs[id].done != jobs[id].told) platform_delay(500);
}

static u64 event_of(u32 event, u32 rmid) {
    u64 bytes = ~0ul;
    CHECK_EQ(cmt_read(&info, event, rmid, PATIENCE, &bytes), CMT_OK);
    return bytes / LINE;
}
static u64 occupancy(u32 rmid) {
    return event_of(CMT_OCCUPANCY, rmid);
}
static u64 all(void) {
    u64 n = 0;
    for (u32 rmid = 0; rmid < info.l3_rmids; ++rmid) n += occupancy(rmid);
    return n;
}

static void forget(u32 first, u32 last) {
    static const u8 flush[] = {0x0F, 0xAE, 0x3F, 0xC3};  // clflush (%rdi)
    void (*call)(const u8*);
    *(const void**)&call = flush;
    for (u32 p = first; p <= last; ++p)
        for (u64 n = 0; n < PART; ++n) call(part[p] + n * LINE);
    memory_barrier();
}

// What else the walks need is there: code, stacks, page tables.
static void warm_up(void) {
    for (u32 id = 1; id < THREADS; ++id) start(id, 0, part[0], PARTS * PART);
    finish(1, THREADS - 1);
    walk(0, part[0], PARTS * PART);
    occupancy(1);
    forget(0, PARTS - 1);
    for (u32 id = 1; id < THREADS; ++id) start(id, 0, part[0], 2);
    finish(1, THREADS - 1);
    forget(0, 0);
}

// Threads with an ID each, and arrays of C / 8.
static void check_threads(void) {
    for (u32 pass = 0; pass < 2; ++pass) {
        for (u32 n = 0; n < 4; ++n) start(4 + n, 1 + n, part[n], PART);
        finish(4, 7);
        for (u32 n = 0; n < 4; ++n) CHECK_EQ(occupancy(1 + n), PART);
    }
    forget(0, 3);
    for (u32 n = 0; n < 4; ++n) CHECK_EQ(occupancy(1 + n), 0);
}

// An ID for each core, by threads that are pinned to it.
static void check_cores(void) {
    start(1, 5, part[0], PART);
    start(2, 5, part[1], PART);
    start(4, 6, part[2], PART);
    start(5, 6, part[3], PART);
    finish(1, 2);
    finish(4, 5);
    CHECK_EQ(occupancy(5), 2 * PART);
    CHECK_EQ(occupancy(6), 2 * PART);
    forget(0, 3);
}

// Four threads of an application share an ID, two others another one. An array that the four share
// counts once.
static void check_application(void) {
    for (u32 n = 0; n < 4; ++n) start(4 + n, 1, part[n], PART);
    for (u32 n = 0; n < 2; ++n) start(1 + n, 2, part[4 + n], PART);
    finish(1, 2);
    finish(4, 7);
    // A set of the L3 that was full has lost lines of code or of page tables, which come again.
    CHECK_RANGE(occupancy(1), 4 * PART, 4 * PART + FEW);
    CHECK_RANGE(occupancy(2), 2 * PART, 2 * PART + FEW);
    forget(0, 5);
    for (u32 n = 0; n < 4; ++n) start(4 + n, 1, part[6], PART);
    finish(4, 7);
    CHECK_RANGE(occupancy(1), PART, PART + FEW);
    forget(6, 6);
}

// One thread runs two jobs in turns, and the system writes the ID of each. A has 6 / 8 of the L3,
// B wants 4 / 8: what B gets beyond the free rest comes out of A and of the rest.
static void check_switches(void) {
    u64 of_a = 0;
    for (u32 turn = 0; turn < 6; ++turn) {
        walk(3, part[turn], PART);
        CHECK_RANGE(occupancy(3), (turn + 1) * PART - FEW, (turn + 1) * PART + FEW);
        // The other one does nothing new: its lines stay.
        walk(4, part[6], turn == 0 ? PART : 0);
        CHECK_RANGE(occupancy(4), PART - FEW, PART + FEW);
        of_a = occupancy(3);
    }
    const u64 of_b_before = occupancy(4), before = all(), rest = before - of_a - of_b_before;
    CHECK_RANGE(before, 7 * PART - FEW, C);
    walk(4, part[7], PART);
    const u64 full = all();
    CHECK_RANGE(full, before, C);
    u8* const more = heap_allocate(PART * LINE * 2, 4096);
    if (!CHECK(more != NULL)) return;
    walk(4, more, 2 * PART);
    const u64 of_b = occupancy(4), left = occupancy(3), others = all() - of_b - left;
    CHECK_RANGE(of_b, 3 * PART, 4 * PART + FEW);
    CHECK(left < of_a);
    // What has been lost, and what was free, is what has been gained.
    CHECK_EQ(of_b - of_b_before, (of_a - left) + (rest - others) + (all() - before));
    __asm__ volatile("wbinvd" ::: "memory");
    CHECK_EQ(occupancy(3), 0);
    CHECK_EQ(occupancy(4), 0);
}

// A copy reads each line of the source and of the target, and writes back the latter.
static void check_copy(void) {
    const u64 mask = (1ul << option_number("bits", 24)) - 1;
    const u64 lines = 4 * option_number("c", C);
    u8* const from = heap_allocate(lines * LINE, 1 << 21);
    u8* const to = heap_allocate(lines * LINE, 1 << 21);
    if (!CHECK(from != NULL && to != NULL)) return;
    copy(0, to, from, 2);
    __asm__ volatile("wbinvd" ::: "memory");
    copy(0, to, from, 2);
    // It has no data until its ID's first request.
    u64 last = 0, total = 0;
    // Software takes differences often enough for the width.
    const u64 step = mask / 4 < lines ? mask / 4 & ~1ul : lines;
    for (u64 done = 0; done < lines; done += step) {
        const u64 here = lines - done < step ? lines - done : step;
        copy(7, to + done * LINE, from + done * LINE, here);
        const u64 now = event_of(CMT_TOTAL_BANDWIDTH, 7);
        total += (now - last) & mask;
        last = now;
    }
    // The dirty lines that are still in the caches belong to the ID, too.
    __asm__ volatile("wbinvd" ::: "memory");
    total += (event_of(CMT_TOTAL_BANDWIDTH, 7) - last) & mask;
    // The first two lines were there. Translations and code come on top, when others had taken
    // their places.
    CHECK_RANGE(total, 3 * lines - 6, 3 * lines + lines / 200 + 40);
    CHECK_EQ(event_of(CMT_LOCAL_BANDWIDTH, 7), event_of(CMT_TOTAL_BANDWIDTH, 7));
    // Narrow counters wrap several times.
    CHECK(mask > 1ul << 20 || total > 4 * mask);
}

int main(void) {
    if (!CHECK(cmt_find(&info))) return check_summary();
    if (option("bandwidth")) {
        check_copy();
        return check_summary();
    }
    u8* const arrays = heap_allocate(PARTS * PART * LINE, 1 << 21);
    if (!CHECK(arrays != NULL)) return check_summary();
    for (u32 p = 0; p < PARTS; ++p) part[p] = arrays + p * PART * LINE;
    CHECK_EQ(thread_boot_range(1, THREADS - 1, worker), THREADS - 1);
    warm_up();
    check_threads();
    check_cores();
    check_application();
    check_switches();
    return check_summary();
}
