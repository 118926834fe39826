// The PMU driver above the registers: events by name, sessions of any number of events, their
// filters, multiplexing, and the counts of a core.
#include "drivers/pmu/session.h"

#include "drivers/apic/apic.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "lib/thread.h"
#include "lib/user.h"
#include "tests/kernels.h"

#define N 1000ul
#define THREADS 4

static USER_BSS u64 line[8] __attribute__((aligned(64)));

static void check_names(void) {
    // 59 events of the guide and two of LIKWID.
    CHECK_EQ(pmu_event_number, 61);
    for (u32 n = 0; n < pmu_event_number; ++n) {
        CHECK(pmu_event_by_name(pmu_events[n].name) == &pmu_events[n]);
        CHECK(pmu_event_by_code(PMU_USER | pmu_events[n].code) == &pmu_events[n]);
    }
    CHECK_EQ(pmu_event_by_name("instructions_Executed")->code, 0x0016);
    CHECK_EQ(pmu_event_by_name("VPU_ELEMENTS_ACTIVE")->code, 0x2018);
    CHECK(pmu_event_by_name("SNP_HITM_L2")->of_core);
    CHECK(!pmu_event_by_name("L2_READ_MISS")->of_core);
    CHECK(pmu_event_by_name("DATA_REA") == NULL);
    CHECK(pmu_event_by_name("DATA_READS") == NULL);
    CHECK(pmu_event_by_name("") == NULL);
    CHECK(pmu_event_by_code(0x7F) == NULL);
}

static void check_parsing(void) {
    static const struct {
        const char* text;
        u32 select;
        bool spflt;
    } good[] = {
        {"branches", 0x00030012, false},
        {"BRANCHES:u", 0x00010012, false},
        {"BRANCHES:k:any", 0x00220012, false},
        {"BRANCHES:uk:edge:cmask=2", 0x02070012, false},
        {"BRANCHES:u:inv:cmask=255:spflt", 0xFF810012, true},
    };
    static const char* const bad[] = {
        "",
        "NOTHING",
        "BRANCHES:",
        "BRANCHES:x",
        "BRANCHES:inv",
        "BRANCHES:cmask=0",
        "BRANCHES:cmask=256",
        "BRANCHES:cmask=1x",
        "BRANCHES:cmask=",
    };
    struct pmu_selection s;
    for (u32 i = 0; i < sizeof good / sizeof *good; ++i) {
        CHECK(pmu_event_parse(good[i].text, &s) == NULL);
        CHECK_EQ(s.select, good[i].select);
        CHECK_EQ(s.spflt, good[i].spflt);
    }
    for (u32 i = 0; i < sizeof bad / sizeof *bad; ++i) CHECK(pmu_event_parse(bad[i], &s) != NULL);
}

#define MOST_EVENTS 5
static struct pmu_count counts[MOST_EVENTS];
static struct pmu_session session = {.counts = counts, .interval = 5000};

static void prepare(struct pmu_session* s, const char* const names[], u32 number) {
    s->number = number;
    for (u32 i = 0; i < number; ++i) {
        const char* error = pmu_event_parse(names[i], &s->counts[i].what);
        if (!CHECK(error == NULL)) printf("%s: %s\n", names[i], error);
    }
}

static void count(const char* const names[], u32 number, user_function fn, u64 argument) {
    prepare(&session, names, number);
    pmu_session_start(&session);
    user_call(fn, argument);
    pmu_session_stop(&session);
}

static void count_two(const char* a, const char* b, user_function fn) {
    count((const char* const[]){a, b}, 2, fn, N);
}

static void check_filters(void) {
    // The region and the whole: before the region two instructions, then the return.
    count_two("INSTRUCTIONS_EXECUTED:u:spflt", "INSTRUCTIONS_EXECUTED:u", region_loop);
    CHECK_EQ(counts[0].value, REGION_LOOP_INSTRUCTIONS(N));
    CHECK_EQ(counts[1].value, REGION_LOOP_INSTRUCTIONS(N) + 3 + USER_CALL_INSTRUCTIONS);
    CHECK_EQ(counts[0].running, counts[0].enabled);
    CHECK_EQ(counts[0].enabled, counts[1].enabled);
    count_two("BRANCHES:u:spflt", "BRANCHES:k:spflt", region_loop);
    CHECK_EQ(counts[0].value, REGION_LOOP_BRANCHES(N));
    CHECK_EQ(counts[1].value, 0);
    // Clocks with one instruction or more, and with two: together all instructions.
    count_two("INSTRUCTIONS_EXECUTED:u:spflt:cmask=1", "INSTRUCTIONS_EXECUTED:u:spflt:cmask=2",
              region_loop);
    CHECK_EQ(counts[0].value + counts[1].value, REGION_LOOP_INSTRUCTIONS(N));
    // No clock has three.
    count_two("INSTRUCTIONS_EXECUTED:u:spflt:cmask=3:inv", "CPU_CLK_UNHALTED:u:spflt", region_loop);
    CHECK_EQ(counts[0].value, counts[1].value);
    CHECK(counts[1].value >= N);
    // The clock is true from the begin of the region to its end: one edge.
    count_two("CPU_CLK_UNHALTED:u:spflt:edge", "INSTRUCTIONS_EXECUTED:u:spflt:any", region_loop);
    CHECK_EQ(counts[0].value, 1);
    CHECK_EQ(counts[1].value, REGION_LOOP_INSTRUCTIONS(N));
}

// Ring 0's own instructions around the loop are the same in both runs.
static u64 at_ring0(u64 n) {
    prepare(&session, (const char* const[]){"INSTRUCTIONS_EXECUTED:k", "BRANCHES:u"}, 2);
    pmu_session_start(&session);
    kernel_loop(n);
    pmu_session_stop(&session);
    CHECK_EQ(counts[1].value, 0);
    return counts[0].value;
}

static void check_ring0(void) {
    const u64 once = at_ring0(N);
    CHECK_EQ(at_ring0(2 * N) - once, KERNEL_LOOP_INSTRUCTIONS(2 * N) - KERNEL_LOOP_INSTRUCTIONS(N));
}

static void check_read_and_continue(void) {
    const u64 each = USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS(N);
    count((const char* const[]){"INSTRUCTIONS_EXECUTED:u"}, 1, kernel_loop, N);
    CHECK_EQ(counts[0].value, each);
    user_call(kernel_loop, N);  // stopped: does not count
    pmu_session_continue(&session);
    user_call(kernel_loop, N);
    pmu_session_read(&session);
    CHECK_EQ(counts[0].value, 2 * each);
    user_call(kernel_loop, N);
    pmu_session_stop(&session);
    CHECK_EQ(counts[0].value, 3 * each);
}

static u64 memory_load(u64 n) {
    return region_memory(n, line);
}
// Two phases of many turns each, with different rates.
static u64 phases(u64 n) {
    kernel_loop(2 * n);
    return region_memory(n, line);
}

static const char* const five[MOST_EVENTS] = {"INSTRUCTIONS_EXECUTED:u", "BRANCHES:u",
                                              "DATA_READ:u", "DATA_WRITE:u", "EXEC_STAGE_CYCLES:u"};

static u64 distance(u64 a, u64 b) {
    return a > b ? a - b : b - a;
}

// Counts five events together and each alone. In thousandths of the count alone: how far the
// estimate may be from it, and the two bounds from each other.
static void check_multiplexed(const char* name, user_function fn, u64 n, u64 error, u64 width) {
    u64 alone[MOST_EVENTS];
    for (u32 i = 0; i < MOST_EVENTS; ++i) {
        count(&five[i], 1, fn, n);
        alone[i] = counts[0].value;
    }
    // The first rotation fetches its code from memory, which makes its turn unlike the others.
    count(five, MOST_EVENTS, fn, n / 8);
    count(five, MOST_EVENTS, fn, n);
    CHECK(session.rotations >= 40);
    u64 running = 0;
    for (u32 i = 0; i < MOST_EVENTS; ++i) {
        const struct pmu_estimate e = pmu_estimate(&counts[i]);
        printf("%s %-24s alone %lu, estimated %lu (%lu to %lu), %lu of %lu clocks\n", name, five[i],
               alone[i], e.count, e.least, e.most, counts[i].running, counts[i].enabled);
        CHECK_EQ(counts[i].enabled, counts[0].enabled);
        CHECK(counts[i].turns >= 15);
        running += counts[i].running;
        CHECK_RANGE(alone[i], e.least, e.most);
        CHECK_RANGE(e.count, e.least, e.most);
        CHECK(distance(e.count, alone[i]) * 1000 <= alone[i] * error);
        CHECK((e.most - e.least) * 1000 <= alone[i] * width);
    }
    // Every clock belongs to two events.
    CHECK_EQ(running, PMU_COUNTERS * counts[0].enabled);
    // No interrupt of the timer comes any more.
    const u64 rotations = session.rotations;
    user_call(kernel_loop, 5000);
    CHECK_EQ(session.rotations, rotations);
}

static void check_estimate(void) {
    struct pmu_count c = {.value = 500, .enabled = 4000, .running = 1000, .turns = 1};
    c.least_rate = 1ul << 18;  // a quarter of an event in a clock
    c.most_rate = 1ul << 20;   // one
    struct pmu_estimate e = pmu_estimate(&c);
    CHECK_EQ(e.count, 2000);
    // The 3000 clocks without a counter, 1024 less and more for the first and the last turn.
    CHECK_EQ(e.least, 500 + (3000 - 1024) / 4);
    CHECK_EQ(e.most, 500 + (3000 + 1024) + 1);
    // 2^39 events in 2^40 of 2^41 clocks: the product needs 80 bits.
    c = (struct pmu_count){.value = 1ul << 39, .enabled = 1ul << 41, .running = 1ul << 40};
    e = pmu_estimate(&c);
    CHECK_EQ(e.count, 1ul << 40);
    CHECK_EQ(e.least, 1ul << 39);
    CHECK_EQ(e.most, ~0ul);
    c = (struct pmu_count){.enabled = 7};
    CHECK_EQ(pmu_estimate(&c).count, 0);
}

// The same event five times: whatever runs at ring 3 runs while two of the five have a counter. So
// the values add up to twice the instructions, exactly, however often the counters change hands.
static void check_rotation(const char* event, user_function fn, u64 n, u64 expected) {
    count((const char* const[]){event, event, event, event, event}, MOST_EVENTS, fn, n);
    CHECK(session.rotations >= 20);
    u64 sum = 0;
    for (u32 i = 0; i < MOST_EVENTS; ++i) {
        CHECK(counts[i].value > 0);
        sum += counts[i].value;
    }
    CHECK_EQ(sum, PMU_COUNTERS * expected);
}

static struct pmu_count core_counts[THREADS][MOST_EVENTS];
static struct pmu_session core_sessions[THREADS];
static struct barrier meeting = {.members = THREADS};
static volatile u8 lines[16][64] __attribute__((aligned(64)));

// Each eviction is one write-back, whose event belongs to no thread.
static void write_back(void) {
    for (u32 i = 0; i < 16; ++i) {
        lines[i][0] = 1;
        memory_barrier();
        __asm__ volatile("clevict0 (%0)" : : "a"(lines[i]) : "memory");
    }
}

static void work(struct thread* t) {
    struct pmu_session* s = &core_sessions[t->index];
    *s = (struct pmu_session){.counts = core_counts[t->index], .interval = 5000};
    irq_enable();
    prepare(s, (const char* const[]){"INSTRUCTIONS_EXECUTED:u", "DATA_CACHE_LINES_WRITTEN_BACK:k"},
            2);
    barrier_wait(&meeting);
    // No line of the core's L1 remains modified, so that none of them has to leave it later.
    if (t->index == 0) __asm__ volatile("wbinvd" : : : "memory");
    barrier_wait(&meeting);
    pmu_session_start(s);
    barrier_wait(&meeting);
    if (t->index == 0) write_back();
    barrier_wait(&meeting);
    user_call(kernel_loop, N * (t->index + 1));
    pmu_session_stop(s);
    barrier_wait(&meeting);
}

static u64 core_total(u32 event) {
    u64 of_thread[THREADS];
    for (u32 i = 0; i < THREADS; ++i) of_thread[i] = core_counts[i][event].value;
    return pmu_core_count(core_counts[0][event].what.select, of_thread, THREADS);
}

static void check_core(void) {
    for (u32 i = 1; i < THREADS; ++i)
        if (!CHECK(thread_boot(apic_id() ^ i, work) != NULL)) return;
    work(this_thread());
    u64 instructions = 0;
    for (u32 i = 0; i < THREADS; ++i) {
        const u64 mine = USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS(N * (i + 1));
        CHECK_EQ(core_counts[i][0].value, mine);
        instructions += mine;
        CHECK_EQ(core_counts[i][1].value, 16);
    }
    CHECK_EQ(core_total(0), instructions);
    CHECK_EQ(core_total(1), 16);
}

int main(void) {
    irq_enable();
    check_names();
    check_parsing();
    check_filters();
    check_ring0();
    check_read_and_continue();
    check_estimate();
    check_multiplexed("steady", memory_load, 100000, 3, 10);
    check_multiplexed("phases", phases, 60000, 20, 1100);
    check_rotation("INSTRUCTIONS_EXECUTED:u", kernel_loop, 100000,
                   USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS(100000ul));
    // The rotation keeps the user preference.
    check_rotation("INSTRUCTIONS_EXECUTED:u:spflt", region_loop, 100000,
                   REGION_LOOP_INSTRUCTIONS(100000ul));
    check_core();
    return check_summary();
}
