#include "drivers/pmu/session.h"

#include "drivers/apic/apic.h"
#include "lib/cpu.h"
#include "lib/thread.h"
#include "lib/trap.h"

#define ROTATE_VECTOR 0xE2
#define RATE_BITS 20
#define ALL_COUNTERS ((1u << PMU_COUNTERS) - 1)
// The first and the last turn differ from the others: the caller's way to its program and back, no
// return from the interrupt, no entry. The bounds leave this many clocks for that.
#define EDGE_CLOCKS 1024

static bool rotates(const struct pmu_session* s) {
    return s->number > PMU_COUNTERS;
}
static u32 counters_in_use(const struct pmu_session* s) {
    return rotates(s) ? PMU_COUNTERS : s->number;
}
static struct pmu_count* at_counter(const struct pmu_session* s, u32 n) {
    return &s->counts[(s->first + n) % s->number];
}

static void add_turn(const struct pmu_session* s, struct pmu_count* c, u64 events, u64 clocks,
                     bool last) {
    c->value += events;
    c->running += clocks;
    if (last || clocks < s->interval / 2) return;
    const u64 rate = multiply_divide(events, 1ul << RATE_BITS, clocks);
    if (c->turns == 0 || rate < c->least_rate) c->least_rate = rate;
    // Rounded up.
    if (c->turns == 0 || rate + 1 > c->most_rate) c->most_rate = rate + 1;
    ++c->turns;
}

static void end_turn(struct pmu_session* s, bool last) {
    pmu_stop();
    const u64 clocks = rdtsc() - s->turn_begin;
    for (u32 n = 0; n < counters_in_use(s); ++n)
        add_turn(s, at_counter(s, n), pmu_read(n), clocks, last);
    s->clocks += clocks;
}

static void finish_results(struct pmu_session* s) {
    for (u32 i = 0; i < s->number; ++i) s->counts[i].enabled = s->clocks;
}

static bool preference(void) {
    return (rdmsr(MSR_PERF_SPFLT_CONTROL) & PMU_USER_PREFERENCE) != 0;
}

static void begin_turn(struct pmu_session* s) {
    u32 filtered = 0;
    for (u32 n = 0; n < counters_in_use(s); ++n) {
        const struct pmu_selection* what = &at_counter(s, n)->what;
        if (what->spflt) filtered |= 1u << n;
        pmu_select(n, what->select, 0);
    }
    pmu_set_filter(filtered, preference());
    // From here, so that a turn has its interval however long the service takes: with the services
    // of four threads at once that may be more than the interval.
    if (rotates(s)) apic_write(APIC_TIMER_INITIAL, s->interval);
    s->turn_begin = rdtsc();
    pmu_start(ALL_COUNTERS);
}

static void rotate(struct trap_frame* f) {
    (void)f;
    struct pmu_session* s = this_thread()->pmu_session;
    if (s == NULL) {  // The interrupt was pending when the session stopped.
        apic_eoi();
        return;
    }
    end_turn(s, false);
    // By two also if the number is odd: each event then comes to both counters.
    s->first = (s->first + PMU_COUNTERS) % s->number;
    ++s->rotations;
    begin_turn(s);
    apic_eoi();
}

void pmu_session_continue(struct pmu_session* s) {
    const u64 flags = irq_save();
    const bool preferred = preference();
    pmu_reset();
    pmu_set_filter(0, preferred);
    this_thread()->pmu_session = s;
    if (rotates(s)) {
        trap_set_handler(ROTATE_VECTOR, rotate);
        apic_timer_start(ROTATE_VECTOR, false, 1, s->interval);
    }
    if (s->number != 0) begin_turn(s);
    irq_restore(flags);
}

void pmu_session_start(struct pmu_session* s) {
    for (u32 i = 0; i < s->number; ++i)
        s->counts[i] = (struct pmu_count){.what = s->counts[i].what};
    s->first = 0;
    s->rotations = 0;
    s->clocks = 0;
    pmu_session_continue(s);
}

void pmu_session_stop(struct pmu_session* s) {
    const u64 flags = irq_save();
    if (s->number != 0) end_turn(s, true);
    finish_results(s);
    this_thread()->pmu_session = NULL;
    if (rotates(s)) apic_timer_stop();
    irq_restore(flags);
}

void pmu_session_read(struct pmu_session* s) {
    if (s->number == 0) return;
    const u64 flags = irq_save();
    end_turn(s, false);
    finish_results(s);
    begin_turn(s);
    irq_restore(flags);
}

struct pmu_estimate pmu_estimate(const struct pmu_count* c) {
    struct pmu_estimate e = {c->value, c->value, c->value};
    const u64 unseen = c->enabled - c->running;
    if (unseen == 0) return e;
    if (c->running != 0) e.count = multiply_divide(c->value, c->enabled, c->running);
    if (c->turns == 0) {
        e.most = ~0ul;
        return e;
    }
    const u64 fewest = unseen > EDGE_CLOCKS ? unseen - EDGE_CLOCKS : 0;
    e.least += multiply_divide(fewest, c->least_rate, 1ul << RATE_BITS);
    e.most += multiply_divide(unseen + EDGE_CLOCKS, c->most_rate, 1ul << RATE_BITS) + 1;
    return e;
}
