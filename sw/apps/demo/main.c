// Event-based sampling end to end: runs the workload at ring 3 with counter 0 taking a sample every
// `period` instructions executed there and counter 1 counting the same instructions without
// sampling; then prints the profile and checks that nothing was lost. Exit code 0 only if every
// result of the workload is right and the accounts agree.
//
// Command line: period=N (default 2003, a prime, so that no loop has the same period), nmi (the PMI
// comes as NMI).
#include "apps/demo/workload.h"
#include "drivers/sampling/event_based.h"
#include "drivers/sampling/samples.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/user.h"

#define EVENT (PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER)

struct row {
    const char* name;
    u64 begin;
    u64 samples;
};
// Row 0: code outside the workload functions, the calls and returns around them.
static struct row rows[WORKLOADS + 1] = {{"(around)", 0, 0}};

static void attribute(u64 rip) {
    struct row* hit = &rows[0];
    if (rip >= (u64)workload_start && rip < (u64)workload_end) {
        for (u32 i = 1; i <= WORKLOADS; ++i) {
            if (rows[i].begin <= rip && rows[i].begin > hit->begin) hit = &rows[i];
        }
    }
    ++hit->samples;
}

static void sort_rows(void) {
    for (u32 i = 1; i <= WORKLOADS; ++i) {
        const struct row r = rows[i];
        u32 j = i;
        for (; j > 0 && rows[j - 1].samples < r.samples; --j) rows[j] = rows[j - 1];
        rows[j] = r;
    }
}

static void print_profile(void) {
    for (u32 i = 0; i < WORKLOADS; ++i) {
        rows[i + 1].name = workloads[i].name;
        rows[i + 1].begin = workloads[i].code;
    }
    const u32 stored = samples_stored();
    for (u32 i = 0; i < stored; ++i) attribute(knc_samples.records[i].rip);
    sort_rows();
    printf("%-20s %8s %7s\n", "function", "samples", "share");
    for (u32 i = 0; i <= WORKLOADS; ++i) {
        if (rows[i].samples == 0) continue;
        const u64 share = (rows[i].samples * 1000 + stored / 2) / stored;
        printf("%-20s %8lu %5lu.%lu%%\n", rows[i].name, rows[i].samples, share / 10, share % 10);
    }
}

static void check_accounts(const struct event_sampler* s) {
    const u64 period = s->counter[0].period;
    const u64 samples = s->counter[0].samples;
    const u64 remainder = event_sampling_remainder(s, 0);
    const u64 sampled = event_sampling_total(s, 0);
    const u64 counted = event_sampling_total(s, 1);
    printf("PMIs serviced %lu, samples %lu, counter remainder %lu\n", s->interrupts, samples,
           remainder);
    printf("%lu x %lu + %lu = %lu instructions at ring 3, counter 1 says %lu\n", period, samples,
           remainder, sampled, counted);
    CHECK_EQ(sampled, counted);
    CHECK_EQ(samples, counted / period);
    CHECK_EQ(s->interrupts, samples);
    CHECK_EQ(s->idle, 0);
    CHECK_EQ(s->counter[0].missed, 0);
    CHECK_EQ(knc_samples.count, samples);
    CHECK_EQ(knc_samples.dropped, 0);
    // Some millions of instructions must give samples: an empty profile is an error.
    CHECK(samples > WORKLOADS);
    u64 user = 0;
    for (u32 i = 0; i < samples_stored(); ++i) user += knc_samples.records[i].cpl == 3;
    CHECK_EQ(user, samples);
}

int main(void) {
    static struct event_sampler sampler;
    sampler.counter[0] = (struct event_counter){EVENT, option_number("period", 2003), 0, 0};
    sampler.counter[1] = (struct event_counter){EVENT, 0, 0, 0};
    sampler.delivery = option("nmi") ? SAMPLING_NMI : SAMPLING_FIXED;
    if (sampler.counter[0].period == 0) {
        printf("period must not be 0\n");
        return 1;
    }
    workload_prepare();

    irq_enable();
    platform_marker(1);
    event_sampling_start(&sampler);
    user_call(workload_run_all, 0);
    event_sampling_stop(&sampler);
    platform_marker(2);

    for (u32 i = 0; i < WORKLOADS; ++i) {
        if (!CHECK(workloads[i].verify())) printf("wrong result: %s\n", workloads[i].name);
    }
    if (samples_stored() != 0) print_profile();
    check_accounts(&sampler);
    return check_summary();
}
