// The shortest periods at which an interrupted program goes on, by fixed vector and NMI, with a
// minimal service routine and with the driver's, and what happens below them: the interrupt comes
// back before the program's next instruction, for ever. The service routine gives up after
// some number of interrupts; the driver's throttling ends the state.
//
// A counter of ring 3 counts nothing of the service, so every period makes progress. One of all
// rings counts E instructions from the handler's first one to the WRMSR that stops it, and X from
// the WRMSR that starts it to IRET. An overflow among those X is pending when IRET ends.
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "drivers/sampling/event_based.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/trap.h"
#include "lib/user.h"

#define GATE_RING0 0x8E
#define VECTOR 0xE0  // the driver's
#define INSTRUCTIONS PMU_EVENT_INSTRUCTIONS_EXECUTED
#define CLOCKS PMU_EVENT_CPU_CLK_UNHALTED
#define ALL (PMU_USER | PMU_OS)
#define CHAIN 400u
#define LIMIT 1000u             // interrupts of the minimal routine
#define PATIENCE 20u            // interrupts of the driver without progress
#define FIRST_INSTRUCTION 150u  // most of it on the way to ring 3
#define FIRST_CLOCK 400u

u64 periods_program(u64);
extern char periods_begin[], periods_end[], periods_fixed[], periods_nmi[];
u32 periods_number, periods_limit, periods_entry, periods_reload;
u64 periods_log[PATIENCE * CHAIN + LIMIT];

static bool stuck(void) {
    return periods_number >= LIMIT;
}

static void set_up(bool nmi) {
    periods_number = 0;
    periods_limit = LIMIT;
    periods_entry = nmi ? APIC_MODE_NMI : VECTOR;
}

// --- The minimal routine sets the counter to -period, so each turn is alike.

static void run_minimal(u32 select, u32 period, bool nmi) {
    set_up(nmi);
    periods_reload = 0 - period;
    trap_set_code(nmi ? TRAP_NMI : VECTOR, nmi ? periods_nmi : periods_fixed, GATE_RING0);
    pmu_reset();
    apic_write(APIC_LVT_PERFORMANCE, periods_entry);
    // The first overflow comes in the middle of the chain.
    const bool clocks = (select & 0xFFFF) == CLOCKS;
    const u64 first = (select & PMU_OS) == 0 ? 50 : clocks ? FIRST_CLOCK : FIRST_INSTRUCTION;
    pmu_select(0, select | PMU_INT, 0 - first);
    pmu_start(1);
    user_call(periods_program, 0);
    pmu_reset();
    apic_write(APIC_LVT_PERFORMANCE, APIC_LVT_MASKED);
}

// Instructions of the program between two interrupts in the chain; ~0: none, or not always the
// same.
static u64 step(void) {
    u64 found = ~0ul;
    for (u32 n = 1; n < periods_number; ++n) {
        const u64 a = periods_log[n - 1], b = periods_log[n];
        if (a < (u64)periods_begin || b >= (u64)periods_end || b < a) continue;
        const u64 d = (b - a) / 2;
        if (found != ~0ul && d != found) return ~0ul;
        found = d;
    }
    return found;
}

// The three POPs and IRETQ.
#define MINIMAL_EXIT 4u

static void check_minimal_instructions(bool nmi) {
    for (u32 period = 1; period < 40; ++period) {
        run_minimal(INSTRUCTIONS | ALL, period, nmi);
        const bool progress = period > MINIMAL_EXIT;
        CHECK(stuck() == !progress);
        CHECK_EQ(step(), progress ? period - MINIMAL_EXIT : 0);
        run_minimal(INSTRUCTIONS | PMU_USER, period, nmi);
        CHECK_EQ(step(), period);
    }
    printf("minimal routine, %s: %u instructions of all rings, 1 of ring 3\n",
           nmi ? "NMI" : "fixed vector", MINIMAL_EXIT + 1);
}

// The clock after the WRMSR, a slot of two clocks for two of the POPs and one for the third, ten
// clocks of IRETQ: then the program issues. One that issues before the request has arrived makes
// progress.
#define MINIMAL_EXIT_CLOCKS (1u + 2 + 2 + 10)

static void check_minimal_clocks(bool nmi) {
    for (u32 period = 1; period < 100; ++period) {
        run_minimal(CLOCKS | ALL, period, nmi);
        const bool progress = period >= MINIMAL_EXIT_CLOCKS;
        CHECK(stuck() == !progress);
        CHECK_EQ(step(), progress ? (period - MINIMAL_EXIT_CLOCKS) / 2 + 1 : 0);
    }
    // At ring 3 the request arrives with or before the next issue, after the clock that overflowed.
    for (u32 period = 1; period < 100; ++period) {
        run_minimal(CLOCKS | PMU_USER, period, nmi);
        CHECK(!stuck());
    }
    printf("minimal routine, %s: %u clocks of all rings\n", nmi ? "NMI" : "fixed vector",
           MINIMAL_EXIT_CLOCKS);
}

// --- The driver keeps the events since the overflow: the counter starts at value % period -
// period.

static struct event_sampler sampler;
static trap_handler service;
static u32 same, interrupts;
static u64 last_rip;

// As many instructions at every interrupt but the one at which it gives up.
static void watch(struct trap_frame* f) {
    periods_log[interrupts] = f->rip;
    ++interrupts;
    same = (same + 1) * (f->rip == last_rip);
    last_rip = f->rip;
    if (same == PATIENCE) wrmsr(MSR_PERF_EVENT_SELECT, 0);
    service(f);
}

// Returns whether it made progress up to the end. Counter 1 counts the same events.
static bool run_driver(u32 event, u64 period, bool nmi, u64 least_clocks) {
    const unsigned vector = nmi ? TRAP_NMI : VECTOR;
    trap_set_gate(vector, GATE_RING0, nmi ? TRAP_IST_NMI : 0);
    sampler = (struct event_sampler){.delivery = nmi ? SAMPLING_NMI : SAMPLING_FIXED,
                                     .least_clocks = least_clocks};
    sampler.counter[0] = (struct event_counter){.select = event | PMU_USER, .period = period};
    sampler.counter[1] = (struct event_counter){.select = event | PMU_USER};
    same = interrupts = 0;
    last_rip = 0;
    event_sampling_start(&sampler);
    service = trap_set_handler(vector, watch);
    // Nothing counts at ring 0 yet; the first overflow comes in the middle of the chain.
    const u64 first = event == CLOCKS ? FIRST_CLOCK : FIRST_INSTRUCTION;
    pmu_write(0, 0 - first);
    pmu_write(1, period - first);
    pmu_stop();
    wrmsr(MSR_PERF_EVENT_SELECT + 1, event | ALL | PMU_ENABLE);
    wrmsr(MSR_PERF_EVENT_SELECT, event | ALL | PMU_INT | PMU_ENABLE);
    pmu_start(3);
    user_call(periods_program, 0);
    event_sampling_stop(&sampler);
    const bool progress = same < PATIENCE;
    if (progress) CHECK_EQ(event_sampling_total(&sampler, 0), pmu_read(1));
    return progress;
}

// Instructions of the service that are counted before the counters stop, and after they start.
static u64 entry_instructions, exit_instructions;

static void measure_driver(bool nmi) {
    const u64 never = 1ul << 38;
    CHECK(run_driver(INSTRUCTIONS, never, nmi, 0));
    CHECK_EQ(interrupts, 1);
    entry_instructions = knc_samples.records[0].value;
    const u64 with = pmu_read(1);
    pmu_reset();
    pmu_select(1, INSTRUCTIONS | ALL, 0);
    pmu_start(3);
    user_call(periods_program, 0);
    event_sampling_stop(&sampler);
    const u64 without = pmu_read(1);
    exit_instructions = with - (never - FIRST_INSTRUCTION) - without - entry_instructions;
}

// Whether the driver makes progress, by the rules; checks every step in the chain.
static bool predicted(u64 period) {
    u64 value = entry_instructions;
    u32 standing = 0, n = 1;
    for (u64 at = periods_log[0]; n < interrupts; ++n) {
        const u64 left = period - value % period;
        if (left <= exit_instructions) {
            value = exit_instructions - left + entry_instructions;
            if (++standing == PATIENCE) return false;
        } else {
            at += 2 * (left - exit_instructions);
            value = entry_instructions;
            standing = 0;
            if (at >= (u64)periods_end) return true;
        }
        if (!CHECK_EQ(periods_log[n], at)) return false;
    }
    return true;
}

static void check_driver_instructions(bool nmi) {
    measure_driver(nmi);
    u64 first = 0, last_stuck = 0;
    const u64 all = entry_instructions + exit_instructions;
    for (u64 period = 1; period < all + 50; ++period) {
        const bool progress = run_driver(INSTRUCTIONS, period, nmi, 0);
        // It may also stop behind the chain, which is not predicted.
        const bool chain_done = last_rip < (u64)periods_begin || last_rip >= (u64)periods_end;
        CHECK_EQ(progress || chain_done, predicted(period));
        if (progress && first == 0) first = period;
        if (!progress) last_stuck = period;
    }
    printf(
        "driver, %s: %lu instructions before the stop, %lu after the start, first progress at "
        "%lu, always from %lu\n",
        nmi ? "NMI" : "fixed vector", entry_instructions, exit_instructions, first, last_stuck + 1);
    // A period that holds the whole service, and one instruction of the program.
    CHECK_EQ(last_stuck, all);
    CHECK(first > exit_instructions);
}

static void check_driver_clocks(bool nmi) {
    u64 first = 0, last_stuck = 0;
    for (u64 period = 1; period < 1500; ++period) {
        const bool progress = run_driver(CLOCKS, period, nmi, 0);
        if (progress && first == 0) first = period;
        if (!progress) last_stuck = period;
    }
    printf("driver, %s: first progress at %lu clocks, always from %lu\n",
           nmi ? "NMI" : "fixed vector", first, last_stuck + 1);
    CHECK(last_stuck > MINIMAL_EXIT_CLOCKS && last_stuck < 1000);
}

// Throttling makes the distance of samples longer than the service, from any period on.
static void check_throttled(bool nmi) {
    for (u64 period = 1; period <= 64; period *= 4) {
        CHECK(!run_driver(INSTRUCTIONS, period, nmi, 0) || period > exit_instructions);
        CHECK(run_driver(INSTRUCTIONS, period, nmi, 3000));
        CHECK(sampler.throttled >= 1);
        CHECK(run_driver(CLOCKS, period, nmi, 3000));
        CHECK(sampler.throttled >= 1);
    }
}

// At ring 3 a period of 1 samples every instruction of the chain, once.
static void check_every_instruction(bool nmi) {
    sampler = (struct event_sampler){.delivery = nmi ? SAMPLING_NMI : SAMPLING_FIXED};
    sampler.counter[0] = (struct event_counter){.select = INSTRUCTIONS | PMU_USER, .period = 1};
    event_sampling_start(&sampler);
    u64 clocks = rdtsc();
    user_call(periods_program, 0);
    clocks = rdtsc() - clocks;
    event_sampling_stop(&sampler);
    u64 at = (u64)periods_begin;
    u32 hits = 0;
    for (u32 n = 0; n < samples_stored(); ++n) {
        if (knc_samples.records[n].rip != at || at == (u64)periods_end) continue;
        ++hits;
        at += 2;
    }
    CHECK_EQ(hits, CHAIN);
    CHECK_EQ(sampler.counter[0].missed + sampler.counter[0].samples, CHAIN + 8);
    printf("driver, %s: %lu clocks for each of %lu samples\n", nmi ? "NMI" : "fixed vector",
           (clocks - 2 * CHAIN) / sampler.interrupts, sampler.interrupts);
}

int main(void) {
    irq_enable();
    for (u32 nmi = 0; nmi < 2; ++nmi) {
        check_minimal_instructions(nmi == 1);
        check_minimal_clocks(nmi == 1);
        check_driver_instructions(nmi == 1);
        check_driver_clocks(nmi == 1);
        check_throttled(nmi == 1);
        check_every_instruction(nmi == 1);
    }
    return check_summary();
}
