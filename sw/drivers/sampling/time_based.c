#include "drivers/sampling/time_based.h"

#include "drivers/apic/apic.h"
#include "drivers/sampling/samples.h"
#include "lib/cpu.h"
#include "lib/thread.h"
#include "lib/trap.h"

#define TICK_VECTOR 0xE1
#define ALL_COUNTERS 3u

// Moves the counts into the totals and returns the value of counter 0. The counters are stopped.
static u64 collect(struct time_sampler* s) {
    u64 first = 0;
    for (unsigned n = 0; n < PMU_COUNTERS; ++n) {
        const u64 value = pmu_read(n);
        if (n == 0) first = value;
        s->total[n] += value;
        pmu_write(n, 0);
    }
    return first;
}

static void tick(struct trap_frame* f) {
    struct time_sampler* s = this_thread()->time_sampler;
    if (s == NULL) {  // The tick was pending when the sampler stopped.
        apic_eoi();
        return;
    }
    if (s->log != NULL && s->log->full) {
        if (log_continue(s->log)) pmu_start(ALL_COUNTERS);
        apic_eoi();
        return;
    }
    const u32 running = pmu_stop();
    ++s->ticks;
    const struct sample sample = {
        f->rip,           rdtsc(),           collect(s), (u16)this_thread()->apic_id,
        (u8)frame_cpl(f), SAMPLE_TIME_BASED, 0};
    log_add(s->log, &sample, 1, f);
    if (log_make_room(s->log)) pmu_start(running);
    apic_eoi();
}

void time_sampling_start(struct time_sampler* s) {
    pmu_reset();
    u32 select[PMU_COUNTERS];
    for (unsigned n = 0; n < PMU_COUNTERS; ++n) {
        s->total[n] = 0;
        if (s->select[n] != 0) pmu_select(n, s->select[n], 0);
        select[n] = s->select[n] != 0 ? s->select[n] | PMU_ENABLE : 0;
    }
    s->ticks = 0;
    const u64 period[PMU_COUNTERS] = {0, 0};
    if (s->log == NULL) samples_begin(period, select);
    if (s->log != NULL) {
        s->log->interval = (u64)s->interval * s->divide;
        for (unsigned n = 0; n < PMU_COUNTERS; ++n)
            s->log->counter[n] = (struct log_counter){.evtsel = select[n]};
        log_begin(s->log);
    }
    this_thread()->time_sampler = s;
    trap_set_handler(TICK_VECTOR, tick);
    apic_timer_start(TICK_VECTOR, true, s->divide, s->interval);
    pmu_start(ALL_COUNTERS);
}

void time_sampling_stop(struct time_sampler* s) {
    const u64 flags = irq_save();
    apic_timer_stop();
    pmu_stop();
    collect(s);
    this_thread()->time_sampler = NULL;
    if (s->log != NULL) {
        for (unsigned n = 0; n < PMU_COUNTERS; ++n) s->log->counter[n].remainder = s->total[n];
        log_end(s->log);
    }
    irq_restore(flags);
}
