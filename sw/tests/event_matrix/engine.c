// Runs a line of the tables in all ways.
//
// The measuring thread's counters obey SPFLT. In its own runs the frame of the kernel opens and
// closes the window. In the others it opens a window with nothing but DELAYs in it (kernel_watch)
// at the same ring, while the other thread of the core runs the kernel:
//
//     kernel's thread    | open_delay        | kernel | close_delay        |
//     measuring thread         |SPFLT 1    DELAYs            SPFLT 0|
#include "drivers/pmu/event.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/user.h"
#include "tests/event_matrix/matrix.h"

#define SLACK 7000        // from the order to the start: rehearsals are over
#define OPEN_DELAY 500    // from the start to the kernel
#define CLOSE_DELAY 1000  // behind a kernel that is watched
#define WATCH_LATER 100   // from the start to the window of the watching thread
#define WATCH_MORE 900    // clocks of that window beyond the kernel's own
#define OTHER_TILE_LATER 600
#define TARGET 900  // less than a DELAY
// The snoop of a load comes 166 clocks behind it: 12 to the load's request, 150 in the home slice,
// 1 and 3 on the ring. So that of the other tile comes 12 clocks behind TARGET.
#define OTHER_TILE_TARGET (TARGET + 12 - 166)

static USER_BSS struct job own_job, watch_job;
static const struct half* half;
static bool user;
static i32 distance;
static volatile u64 started;

static void run_at_ring(kernel run, struct job* j) {
    if (user)
        user_call(run, (u64)j);
    else
        run((u64)j);
}

static bool on_time(const struct job* j) {
    return j->begin >= j->start && j->begin < j->start + 100;
}

// On the thread that executes the kernel.
static void execute(u64 close_delay) {
    struct job* const j = &own_job;
    const u64 at = memory_at(half->area);
    if (half->prepare != NULL) half->prepare(at);
    j->open_delay = OPEN_DELAY;
    j->close_delay = close_delay;
    j->real = at;
    j->rehearsal = at + half->rehearsal;
    j->start = rdtsc() + SLACK;
    j->target = j->start + TARGET + distance;
    if (half->on_other_tile != NULL)
        other_tile_begin(half->on_other_tile, at, j->start + OTHER_TILE_LATER,
                         j->start + OTHER_TILE_TARGET);
    started = j->start;
    run_at_ring(half->run, j);
    CHECK(on_time(j));
    if (half->on_other_tile != NULL) other_tile_wait();
}

static void execute_watched(void) {
    execute(CLOSE_DELAY);
}

// Clocks of the kernel in its last run alone.
static u64 kernel_clocks;

static void execute_own(void) {
    execute(0);
    kernel_clocks = own_job.end - own_job.begin - OPEN_DELAY;
}

// `clocks` of DELAYs, WATCH_LATER clocks behind `start`.
static void open_window(u64 start, u64 clocks) {
    struct job* const w = &watch_job;
    for (u32 i = 0; i < WATCH_DELAYS; ++i) {
        const u64 later = WATCH_DELAYS - 1 - i;  // a clock at least for each of these
        w->watch[i] = clocks - later < 1000 ? clocks - later : 1000;
        clocks -= w->watch[i];
    }
    CHECK_EQ(clocks, 0);
    w->start = start + WATCH_LATER;
    w->real = w->rehearsal = memory_at(AREA_LINES);
    run_at_ring(kernel_watch, w);
    CHECK(on_time(w));
}

// Returns the clocks of the DELAYs in the window.
static u64 watch(void) {
    const struct job* const w = &watch_job;
    const u64 clocks = kernel_clocks + WATCH_MORE;
    started = 0;
    other_thread_begin(execute_watched);
    while (started == 0) platform_delay(100);
    open_window(started, clocks);
    other_thread_wait();
    // The kernel lies in the window, and its thread's DELAYs reach beyond it on both sides.
    CHECK(own_job.begin < w->begin && w->begin < own_job.begin + OPEN_DELAY - 100);
    CHECK(w->end < own_job.end && own_job.end - CLOSE_DELAY + 100 < w->end);
    return clocks;
}

// The kernel runs on the other tile.
static u64 watch_other_tile(void) {
    const u64 clocks = 3000;
    const u64 start = rdtsc() + SLACK;
    other_tile_begin(half->run, memory_at(AREA_OTHER_TILE), start + OTHER_TILE_LATER,
                     start + OTHER_TILE_TARGET);
    open_window(start, clocks);
    other_tile_wait();
    return clocks;
}

struct counts {
    u64 of[PMU_COUNTERS];
    u64 clocks;
};

// What `c` and the other counter select.
static struct counts measure(enum mode mode, u32 c, u32 select, u32 other_select) {
    struct counts sum = {{0, 0}, 0};
    const u32 rounds = half->rounds != 0 ? half->rounds : 1;
    for (u32 n = 0; n < rounds; ++n) {
        distance = half->first + (i32)n;
        pmu_reset();
        pmu_select(c, select, 0);
        pmu_select(1 - c, other_select, 0);
        pmu_set_filter(3, false);
        pmu_start(3);
        if (mode == OWN)
            execute_own();
        else
            sum.clocks = mode == ANY ? watch() : watch_other_tile();
        pmu_stop();
        for (u32 i = 0; i < PMU_COUNTERS; ++i) sum.of[i] += pmu_read(i);
    }
    return sum;
}

u64 measure_alone(const struct half* h, u32 select, u64* clocks) {
    half = h;
    user = false;
    const u64 count = measure(OWN, 0, select, select).of[0];
    *clocks = kernel_clocks;
    return count;
}

static const struct row* row;

static void expect(const char* way, u32 c, u64 got, u64 want) {
    if (!CHECK_EQ(got, want))
        printf("  %s, %s, ring %d, counter %u, %s: %lu, predicted %lu\n",
               pmu_event_by_code(row->event)->name, half->what, user ? 3 : 0, c, way, got, want);
}

// Returns the counts of the thread's own window and of the any-thread window.
static void run_half(const struct half* h, bool silent, u64 shown[2][2]) {
    const bool of_core = pmu_event_by_code(row->event)->of_core;
    const u64 count = silent ? 0 : row->count;
    half = h;
    for (u32 ring = 0; ring < 2; ++ring) {
        user = ring != 0;
        execute_own();  // its memory is warm in the runs that count, so that they take equal time
        const u32 here = row->event | (user ? PMU_USER : PMU_OS);
        const u32 elsewhere = row->event | (user ? PMU_OS : PMU_USER);
        for (u32 c = 0; c < PMU_COUNTERS; ++c) {
            struct window w = {OWN, 0, h->unstalled};
            struct counts n = measure(OWN, c, here, elsewhere);
            expect("own", c, n.of[c], expected_count(row->event, count, &w));
            expect("own, other level", 1 - c, n.of[1 - c], 0);
            shown[ring][OWN] = n.of[c];

            // The other threads of the core sleep.
            n = measure(OWN, c, here | elsewhere, here | PMU_ANY_THREAD);
            expect("own, both levels", c, n.of[c], expected_count(row->event, count, &w));
            expect("own, any thread", 1 - c, n.of[1 - c], expected_count(row->event, count, &w));

            w.mode = ANY;
            n = measure(ANY, c, here | PMU_ANY_THREAD, elsewhere | PMU_ANY_THREAD);
            w.clocks = n.clocks;
            expect("any thread", c, n.of[c], expected_count(row->event, count, &w));
            expect("any thread, other level", 1 - c, n.of[1 - c], 0);
            shown[ring][ANY] = n.of[c];

            n = measure(ANY, c, here, here | PMU_ANY_THREAD);
            w.clocks = n.clocks;
            const u64 want =
                of_core ? expected_count(row->event, count, &w) : watch_count(row->event, &w);
            expect("another thread's", c, n.of[c], want);
            expect("any thread, both counters", 1 - c, n.of[1 - c],
                   expected_count(row->event, count, &w));

            if (of_core) continue;  // the other tile may have to ask this one for a line
            n = measure(OTHER_CORE, c, here | PMU_ANY_THREAD, here | PMU_ANY_THREAD);
            w.clocks = n.clocks;
            for (u32 i = 0; i < PMU_COUNTERS; ++i)
                expect("another core's", i, n.of[i], watch_count(row->event, &w));
        }
    }
}

static void print_counts(u64 shown[2][2]) {
    for (u32 mode = OWN; mode <= ANY; ++mode)
        for (u32 ring = 0; ring < 2; ++ring) printf("|%lu", shown[ring][mode]);
}

void run_row(const struct row* r) {
    u64 loud[2][2], silent[2][2];
    row = r;
    run_half(&r->loud, false, loud);
    run_half(&r->silent, true, silent);
    printf("event|%s|%02X:%02X|%s|%s|%lu", pmu_event_by_code(r->event)->name, r->event >> 8,
           r->event & 0xFF, r->loud.what, r->formula, r->count);
    print_counts(loud);
    printf("|%s", r->silent.what);
    print_counts(silent);
    printf("|%s\n", r->why);
}
