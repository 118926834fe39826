#include "drivers/sampling/samples.h"

#include "lib/lock.h"

struct sample_buffer knc_samples;

void samples_begin(const u64 period[2], const u32 evtsel[2]) {
    knc_samples.magic = SAMPLES_MAGIC;
    knc_samples.version = SAMPLES_VERSION;
    knc_samples.record_size = sizeof(struct sample);
    knc_samples.capacity = SAMPLES_CAPACITY;
    knc_samples.count = 0;
    knc_samples.dropped = 0;
    for (int n = 0; n < 2; ++n) {
        knc_samples.period[n] = period[n];
        knc_samples.evtsel[n] = evtsel[n];
    }
}

void samples_add(const struct sample* s) {
    const u64 slot = atomic_fetch_add(&knc_samples.count, 1);
    if (slot < SAMPLES_CAPACITY) {
        knc_samples.records[slot] = *s;
    } else {
        atomic_fetch_add(&knc_samples.dropped, 1);
    }
}

u32 samples_stored(void) {
    return knc_samples.count < SAMPLES_CAPACITY ? (u32)knc_samples.count : SAMPLES_CAPACITY;
}
