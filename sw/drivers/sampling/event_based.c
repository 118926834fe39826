#include "drivers/sampling/event_based.h"

#include "drivers/apic/apic.h"
#include "drivers/sampling/samples.h"
#include "lib/cpu.h"
#include "lib/thread.h"
#include "lib/trap.h"

#define PMI_VECTOR 0xE0
#define ALL_COUNTERS 3u

static u32 lvt_entry(const struct event_sampler* s) {
    return s->delivery == SAMPLING_NMI ? APIC_MODE_NMI : APIC_MODE_FIXED | PMI_VECTOR;
}

#define LONGEST_PERIOD (1ul << 39)

static void throttle(struct event_sampler* s, unsigned n, u64 now) {
    const u64 gap = now - s->last[n];
    s->last[n] = now;
    if (s->least_clocks == 0) return;
    if (gap < s->least_clocks) {
        if (s->counter[n].period * s->distance[n] > LONGEST_PERIOD / 2) return;
        s->distance[n] *= 2;
        ++s->throttled;
    } else if (gap > 4 * s->least_clocks && s->distance[n] > 1) {
        s->distance[n] /= 2;
    }
}

// Records one overflow of counter n, which stands at `value`.
static void record(struct event_sampler* s, unsigned n, u64 value, const struct trap_frame* f) {
    struct event_counter* c = &s->counter[n];
    const u64 periods = s->distance[n] + value / c->period;
    const u64 now = rdtsc();
    ++c->samples;
    c->missed += periods - 1;
    const struct sample sample = {f->rip,           now,   value, (u16)this_thread()->apic_id,
                                  (u8)frame_cpl(f), (u8)n, 0};
    log_add(s->log, &sample, periods, f);
    throttle(s, n, now);
}

// The numbers are the steps of the service order.
static void service(struct trap_frame* f) {
    struct event_sampler* s = this_thread()->event_sampler;  // (1) entered
    if (s == NULL) {  // The interrupt was pending when the sampler stopped.
        if (f->vector == PMI_VECTOR) apic_eoi();
        return;
    }
    ++s->interrupts;

    u32 running = ALL_COUNTERS;
    if (!s->without_stop) running = pmu_stop();  // (2)

    const u32 status = pmu_status();  // (3)
    if (status == 0) ++s->idle;
    u64 value[PMU_COUNTERS] = {0, 0};
    for (unsigned n = 0; n < PMU_COUNTERS; ++n) {
        if ((status >> n & 1) == 0 || s->counter[n].period == 0) continue;
        value[n] = pmu_read(n);
        record(s, n, value[n], f);
    }

    pmu_clear_status(status);                        // (4)
    apic_write(APIC_LVT_PERFORMANCE, lvt_entry(s));  // (5)

    for (unsigned n = 0; n < PMU_COUNTERS; ++n) {  // (6)
        const u64 period = s->counter[n].period;
        if ((status >> n & 1) != 0 && period != 0) {
            pmu_write(n, value[n] % period - period * s->distance[n]);
        }
    }
    if (log_make_room(s->log) && !s->without_stop) pmu_start(running);

    if (s->delivery == SAMPLING_FIXED) apic_eoi();  // (7)
}

void event_sampling_start(struct event_sampler* s) {
    pmu_reset();
    u64 period[PMU_COUNTERS];
    u32 select[PMU_COUNTERS];
    for (unsigned n = 0; n < PMU_COUNTERS; ++n) {
        struct event_counter* c = &s->counter[n];
        c->samples = c->missed = 0;
        s->distance[n] = 1;
        s->last[n] = rdtsc();
        if (c->period != 0) c->select |= PMU_INT;
        if (c->select != 0) pmu_select(n, c->select, 0 - c->period);
        period[n] = c->period;
        select[n] = c->select != 0 ? c->select | PMU_ENABLE : 0;
    }
    s->interrupts = s->idle = s->throttled = 0;
    if (s->log == NULL && !s->join) samples_begin(period, select);
    if (s->log != NULL) {
        s->log->interval = 0;
        for (unsigned n = 0; n < PMU_COUNTERS; ++n)
            s->log->counter[n] = (struct log_counter){.period = period[n], .evtsel = select[n]};
        log_begin(s->log);
    }
    this_thread()->event_sampler = s;
    trap_set_handler(s->delivery == SAMPLING_NMI ? TRAP_NMI : PMI_VECTOR, service);
    apic_write(APIC_LVT_PERFORMANCE, lvt_entry(s));
    pmu_start(ALL_COUNTERS);
}

void event_sampling_continue(struct event_sampler* s) {
    const u64 flags = irq_save();
    if (this_thread()->event_sampler == s && log_continue(s->log)) pmu_start(ALL_COUNTERS);
    irq_restore(flags);
}

void event_sampling_stop(struct event_sampler* s) {
    pmu_stop();
    apic_write(APIC_LVT_PERFORMANCE, lvt_entry(s) | APIC_LVT_MASKED);
    // What is pending at the local APIC comes as soon as interrupts are on.
    this_thread()->event_sampler = NULL;
    if (s->log == NULL) return;
    for (unsigned n = 0; n < PMU_COUNTERS; ++n) {
        struct log_counter* c = &s->log->counter[n];
        c->samples = s->counter[n].samples;
        c->missed = s->counter[n].missed;
        c->remainder = c->evtsel != 0 ? event_sampling_remainder(s, n) : 0;
    }
    log_end(s->log);
}

u64 event_sampling_remainder(const struct event_sampler* s, unsigned counter) {
    return (pmu_read(counter) + s->counter[counter].period * s->distance[counter]) &
           PMU_COUNTER_MASK;
}

u64 event_sampling_total(const struct event_sampler* s, unsigned counter) {
    const struct event_counter* c = &s->counter[counter];
    return c->period * (c->samples + c->missed) + event_sampling_remainder(s, counter);
}
