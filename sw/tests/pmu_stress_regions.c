// Regions between SPFLT 1 and SPFLT 0 on four threads of a core at once: exact counts whatever
// interrupts them, overflows inside, a region in a region, and two programs on one thread that take
// turns inside their regions. And a session of twelve events on each of the four threads.
#include "boot/layout.h"
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "drivers/pmu/session.h"
#include "drivers/sampling/event_based.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/user.h"
#include "tests/kernels.h"

#define THREADS 4u
#define TICK_VECTOR 0x61
#define INSTRUCTIONS (PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER)

u64 region_short(u64 rounds);
u64 region_long(u64 rounds);
u64 region_nested(u64 rounds);
u64 region_mixed(u64 rounds);
USER_BSS u64 region_line[128] __attribute__((aligned(64)));

// What counts: all but the first SPFLT. SPFLT is no nesting: the inner region's end is that of
// both.
static const struct region_kernel {
    const char* name;
    user_function code;
    u64 instructions, branches;  // of a round
    u64 once;                    // instructions of all rounds together
} kernels[] = {
    {"short", region_short, 3 + 1, 0, 0},
    {"long", region_long, 200 + 1, 0, 0},
    {"nested", region_nested, 10 + 1 + 20 + 1, 0, 0},
    // A repeated instruction is one. SYSCALL is a branch.
    {"mixed", region_mixed, 10, 2, 1},
};
#define KERNELS (sizeof kernels / sizeof kernels[0])
#define ROUNDS 300ul

static struct barrier meeting = {.members = THREADS};
static volatile u32 ticks[THREADS];

static void on_tick(struct trap_frame* f) {
    (void)f;
    ++ticks[this_thread()->index];
    kernel_loop(50);  // ring 0 counts nothing, with the preference set
    apic_eoi();
}

// Interrupts inside the regions: of the timer, and of the overflows of both counters.
static void count_regions(struct thread* t, enum sampling_delivery delivery, u32 interval,
                          const u64 period[PMU_COUNTERS]) {
    static struct event_sampler samplers[THREADS];
    struct event_sampler* s = &samplers[t->index];
    for (u32 k = 0; k < KERNELS; ++k) {
        const struct region_kernel* r = &kernels[k];
        *s = (struct event_sampler){.delivery = delivery, .join = true};
        s->counter[0] = (struct event_counter){.select = INSTRUCTIONS, .period = period[0]};
        s->counter[1] =
            (struct event_counter){.select = PMU_EVENT_BRANCHES | PMU_USER, .period = period[1]};
        ticks[t->index] = 0;
        barrier_wait(&meeting);
        event_sampling_start(s);
        pmu_set_filter(3, false);
        apic_timer_start(TICK_VECTOR, true, 1, interval);
        user_call(r->code, ROUNDS);
        apic_timer_stop();
        event_sampling_stop(s);
        const u64 wanted[PMU_COUNTERS] = {ROUNDS * r->instructions + r->once, ROUNDS * r->branches};
        bool exact = true;
        for (u32 c = 0; c < PMU_COUNTERS; ++c) {
            exact &= CHECK_EQ(event_sampling_total(s, c), wanted[c]);
            exact &= CHECK_EQ(s->counter[c].samples + s->counter[c].missed, wanted[c] / period[c]);
        }
        CHECK(ticks[t->index] >= 3);
        CHECK_EQ(rdmsr(MSR_PERF_SPFLT_CONTROL), 3);
        if (!exact) printf("  region %s\n", r->name);
    }
}

// With OS as well, ring 0 counts while the preference is set: the region has more than its own.
static void count_ring0_too(struct thread* t) {
    pmu_reset();
    pmu_select(0, INSTRUCTIONS | PMU_OS, 0);
    pmu_select(1, INSTRUCTIONS, 0);
    pmu_set_filter(3, false);
    ticks[t->index] = 0;
    barrier_wait(&meeting);
    pmu_start(3);
    apic_timer_start(TICK_VECTOR, true, 1, 1999);
    user_call(region_long, ROUNDS);
    apic_timer_stop();
    pmu_stop();
    CHECK_EQ(pmu_read(1), ROUNDS * 201);
    CHECK(pmu_read(0) > pmu_read(1) + 100);
}

// --- Two programs on one thread. Each has its registers, its count and its user preference.

#define TURNS 40ul
struct program {
    struct trap_frame frame;
    u64 control, count;
};
static struct programs {
    struct program of[2];
    u32 present;
    bool keep;  // the switch keeps the preference of each; else it forgets to
    u64 switches, inside;
} programs[THREADS];
USER_BSS u64 stacks[THREADS][512];
USER_BSS volatile u32 done[THREADS];

static void on_switch(struct trap_frame* f) {
    struct programs* p = &programs[this_thread()->index];
    struct program* from = &p->of[p->present];
    p->present ^= 1;
    struct program* to = &p->of[p->present];
    from->frame = *f;
    *f = to->frame;
    from->control = rdmsr(MSR_PERF_SPFLT_CONTROL);
    from->count = pmu_read(0);
    ++p->switches;
    p->inside += (from->control & PMU_USER_PREFERENCE) != 0;
    if (p->keep) wrmsr(MSR_PERF_SPFLT_CONTROL, to->control);
    pmu_write(0, to->count);
    apic_eoi();
}

static u64 first_program(u64 index) {
    region_long(ROUNDS);
    while (done[index] == 0) {
    }
    return 0;
}
__attribute__((noreturn)) static void second_program(u64 index) {
    region_nested(ROUNDS);
    done[index] = 1;
    for (;;) {
    }
}

static void take_turns(struct thread* t, bool keep) {
    struct programs* p = &programs[t->index];
    *p = (struct programs){.keep = keep};
    struct trap_frame* f = &p->of[1].frame;
    f->rip = (u64)second_program;
    f->cs = USER_CODE + 3;
    f->ss = USER_DATA_SEGMENT + 3;
    f->rsp = (u64)&stacks[t->index][511];
    f->rflags = 2 | RFLAGS_IF;
    f->rdi = t->index;
    p->of[1].control = 3;
    done[t->index] = 0;
    pmu_reset();
    pmu_select(0, INSTRUCTIONS, 0);
    pmu_select(1, INSTRUCTIONS, 0);
    pmu_set_filter(3, false);
    trap_set_handler(TICK_VECTOR, on_switch);
    barrier_wait(&meeting);
    pmu_start(3);
    // Longer than the switches of four threads at once.
    apic_timer_start(TICK_VECTOR, true, 1, 4001);
    do {
        user_call(first_program, t->index);
    } while (done[t->index] == 0);
    apic_timer_stop();
    pmu_stop();
    const u64 first = ROUNDS * 201, second = ROUNDS * 32;
    const u64 counted[2] = {p->present == 0 ? pmu_read(0) : p->of[0].count,
                            p->present == 1 ? pmu_read(0) : p->of[1].count};
    CHECK(p->switches > 10 && p->inside > 5);
    if (keep) {
        CHECK_EQ(counted[0], first);
        CHECK_EQ(counted[1], second);
        CHECK_EQ(pmu_read(1), first + second);
    } else {
        // Each begins with what the other left: it counts outside of its regions, and not inside.
        CHECK(counted[0] != first && counted[1] != second);
    }
    barrier_wait(&meeting);
}

// --- Twelve events in turn, in a load of two phases. Interrupts change none of their counts; those
// of edges they would, for each interruption ends a sequence of clocks.

static const char* const names[] = {"INSTRUCTIONS_EXECUTED:u",
                                    "INSTRUCTIONS_EXECUTED:u:cmask=1",
                                    "INSTRUCTIONS_EXECUTED:u:cmask=2",
                                    "INSTRUCTIONS_EXECUTED_V_PIPE:u",
                                    "BRANCHES:u",
                                    "BRANCHES:u:cmask=1",
                                    "DATA_READ:u",
                                    "DATA_WRITE:u",
                                    "DATA_READ_OR_WRITE:u",
                                    "EXEC_STAGE_CYCLES:u",
                                    "DATA_WRITE:u:cmask=1",
                                    "DATA_READ:u:cmask=1"};
#define EVENTS (sizeof names / sizeof names[0])

static struct pmu_count counts[THREADS][EVENTS];
static struct pmu_session sessions[THREADS];
USER_BSS u64 lines[THREADS][8] __attribute__((aligned(64)));

static u64 phases(u64 index) {
    for (u32 n = 0; n < 2; ++n) {
        kernel_loop(150000);
        region_memory(50000, lines[index]);
    }
    return 0;
}

static void count_events(struct thread* t, u32 first, u32 number) {
    struct pmu_session* s = &sessions[t->index];
    *s = (struct pmu_session){.counts = counts[t->index], .number = number, .interval = 5000};
    for (u32 i = 0; i < number; ++i)
        CHECK(pmu_event_parse(names[first + i], &counts[t->index][i].what) == NULL);
    barrier_wait(&meeting);
    pmu_session_start(s);
    user_call(phases, t->index);
    pmu_session_stop(s);
}

static u64 distance(u64 a, u64 b) {
    return a > b ? a - b : b - a;
}

static void multiplex(struct thread* t) {
    u64 alone[EVENTS], worst = 0, widest = 0, running = 0;
    for (u32 i = 0; i < EVENTS; i += 2) {
        count_events(t, i, 2);
        alone[i] = counts[t->index][0].value;
        alone[i + 1] = counts[t->index][1].value;
    }
    count_events(t, 0, EVENTS);
    for (u32 i = 0; i < EVENTS; ++i) {
        const struct pmu_count* c = &counts[t->index][i];
        const struct pmu_estimate e = pmu_estimate(c);
        CHECK(c->turns >= 20);
        CHECK_RANGE(alone[i], e.least, e.most);
        CHECK_RANGE(e.count, e.least, e.most);
        running += c->running;
        const u64 error = distance(e.count, alone[i]) * 1000 / alone[i];
        const u64 width = (e.most - e.least) * 100 / alone[i];
        if (error > worst) worst = error;
        if (width > widest) widest = width;
    }
    CHECK_EQ(running, PMU_COUNTERS * counts[t->index][0].enabled);
    CHECK(worst <= 20);
    // Data are accessed in less than half of the clocks; the bounds allow none and all of them.
    CHECK(widest <= 300);
    printf("thread %u: %lu rotations, errors up to %lu thousandths, bounds up to %lu %% apart\n",
           t->index, sessions[t->index].rotations, worst, widest);
}

static void work(struct thread* t) {
    static const u64 never[] = {1ul << 39, 1ul << 39}, often[] = {101, 13};
    irq_enable();
    trap_set_handler(TICK_VECTOR, on_tick);
    count_regions(t, SAMPLING_FIXED, 1999, never);
    count_regions(t, SAMPLING_FIXED, 4001, often);
    count_regions(t, SAMPLING_NMI, 4001, often);
    count_ring0_too(t);
    barrier_wait(&meeting);
    take_turns(t, true);
    take_turns(t, false);
    multiplex(t);
    barrier_wait(&meeting);
}

int main(void) {
    for (u32 i = 1; i < THREADS; ++i)
        if (!CHECK(thread_boot(apic_id() ^ i, work) != NULL)) return check_summary();
    work(this_thread());
    return check_summary();
}
