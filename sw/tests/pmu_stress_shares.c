// The error of sampling: a load whose parts have known shares of its instructions and of its
// clocks, sampled by events and by time. The place of every sample of an event is predicted
// exactly.
//
// Each share is tested against the bound that independent samples would keep with probability
// 99.7 %: three times (z) the deviation of a binomial distribution.
#include "drivers/apic/apic.h"
#include "drivers/sampling/event_based.h"
#include "drivers/sampling/time_based.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/user.h"

#define INSTRUCTIONS (PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER)
#define CLOCKS (PMU_EVENT_CPU_CLK_UNHALTED | PMU_USER)

u64 shares(u64 rounds);
extern char shares_begin[], shares_last[];

// A thread alone issues in every second clock: two clocks for each instruction of a chain, one for
// each of a pair. Together 2000 instructions and 3200 clocks; the loop's own two instructions
// belong to the last part.
#define PARTS 4
static const struct {
    u32 instructions, clocks;
} parts[PARTS] = {{200, 400}, {400, 800}, {600, 1200}, {800, 800}};
#define CHAINED (200u + 400 + 600)
#define BODY 2000u
#define BODY_CLOCKS 3200u
#define ROUND (BODY + 2)
// Instructions at ring 3 before the first round: those of user_call(), and one of shares().
#define BEFORE 4u

// The instruction of a round at which a sample points; ROUND: none.
static u32 place(u64 rip) {
    const u64 offset = rip - (u64)shares_begin;
    if (rip == (u64)shares_last) return BODY;
    if (rip > (u64)shares_last) return BODY + 1;
    return offset % 2 == 0 && offset < 2 * BODY ? (u32)(offset / 2) : ROUND;
}
static u32 part_of(u32 instruction) {
    u32 end = 0;
    for (u32 n = 0; n < PARTS; ++n) {
        end += parts[n].instructions;
        if (instruction < end) return n;
    }
    return PARTS - 1;
}

#define CAPACITY 64
static struct log_record records[CAPACITY];
static u64 found[PARTS], samples;
#define LONGEST 8
static u64 histogram[LONGEST];  // of the skid
static u64 period;
static enum { BY_INSTRUCTIONS, BY_CLOCKS, BY_TIME } what;

// The overflow is that of instruction number samples * period, counted from 1. The instruction of
// the sample is the next one; the one after that if the two at the overflow are a pair and the
// first of it overflowed.
static void check_place(u64 rip, u64 skid) {
    const u64 last = samples * period - BEFORE - 1;  // from 0, from the first round on
    const u32 overflowed = (u32)(last % ROUND);
    const bool first_of_pair = overflowed >= CHAINED && overflowed % 2 == 0;
    CHECK_EQ(skid, first_of_pair ? 1 : 0);
    CHECK_EQ(place(rip), (overflowed + 1 + first_of_pair) % ROUND);
}

static void drain(struct sample_log* log) {
    struct log_record r;
    while (log_take(log, &r)) {
        ++samples;
        CHECK_EQ(r.weight, 1);
        const u32 at = place(r.sample.rip);
        if (at < ROUND) ++found[part_of(at)];
        if (what != BY_TIME) ++histogram[r.sample.value < LONGEST ? r.sample.value : LONGEST - 1];
        if (what == BY_INSTRUCTIONS) check_place(r.sample.rip, r.sample.value);
    }
}

static struct sample_log* empty_log(void) {
    static struct sample_log log;
    for (u32 n = 0; n < PARTS; ++n) found[n] = 0;
    for (u32 n = 0; n < LONGEST; ++n) histogram[n] = 0;
    samples = 0;
    log = (struct sample_log){.records = records, .capacity = CAPACITY, .drain = drain};
    return &log;
}

// |found - samples * share| <= 3 * sqrt(samples * share * (1 - share)), in integers.
static bool within(u64 hits, u64 number, u64 part, u64 whole) {
    const u64 a = hits * whole, b = number * part;
    const u64 distance = a > b ? a - b : b - a;
    return distance * distance <= 9 * number * part * (whole - part);
}
static bool all_within(const char* method, bool of_clocks) {
    const u64 whole = of_clocks ? BODY_CLOCKS : BODY;
    bool good = true;
    printf("%s, period %lu, %lu samples:", method, period, samples);
    for (u32 n = 0; n < PARTS; ++n) {
        const u64 part = of_clocks ? parts[n].clocks : parts[n].instructions;
        printf(" %lu (%lu)", found[n], samples * part / whole);
        good = good && within(found[n], samples, part, whole);
    }
    printf("%s\n", good ? "" : ": out of bounds");
    return good;
}
static void print_histogram(const char* unit) {
    printf("skid in %s:", unit);
    for (u32 n = 0; n < LONGEST; ++n) printf(" %lu", histogram[n]);
    printf("\n");
}

static void sample_events(u32 select, u64 distance, enum sampling_delivery delivery, u64 rounds) {
    static struct event_sampler s;
    what = (select & 0xFFFF) == PMU_EVENT_CPU_CLK_UNHALTED ? BY_CLOCKS : BY_INSTRUCTIONS;
    period = distance;
    s = (struct event_sampler){.delivery = delivery, .log = empty_log()};
    s.counter[0] = (struct event_counter){.select = select, .period = distance};
    event_sampling_start(&s);
    user_call(shares, rounds);
    event_sampling_stop(&s);
    drain(s.log);
    CHECK_EQ(samples, s.counter[0].samples);
    CHECK_EQ(s.counter[0].missed, 0);
}

static void check_instructions(u64 prime, enum sampling_delivery delivery, u64 rounds) {
    sample_events(INSTRUCTIONS, prime, delivery, rounds);
    // The instructions after the rounds: XOR, RET, and two of user_call().
    const u64 all = rounds * ROUND + BEFORE + 2 + 2 + 1;
    CHECK_EQ(samples, all / prime);
    CHECK(all_within("by instructions", false));
    print_histogram("instructions");
    CHECK_EQ(histogram[0] + histogram[1], samples);
}

static void check_clocks(u64 prime, enum sampling_delivery delivery, u64 rounds) {
    sample_events(CLOCKS, prime, delivery, rounds);
    CHECK(all_within("by clocks", true));
    print_histogram("clocks");
    // The local APIC has the request in the clock after the overflow. The thread accepts it there,
    // or one clock later, in its next issue slot; ring 3 counts the clocks before.
    CHECK_EQ(histogram[0] + histogram[1], samples);
}

static void check_time(u32 interval, u64 rounds) {
    static struct time_sampler s;
    what = BY_TIME;
    period = interval;
    s = (struct time_sampler){.interval = interval, .divide = 1, .log = empty_log()};
    s.select[0] = INSTRUCTIONS;
    time_sampling_start(&s);
    user_call(shares, rounds);
    time_sampling_stop(&s);
    drain(s.log);
    CHECK_EQ(samples, s.ticks);
    CHECK(all_within("by time", true));
}

int main(void) {
    irq_enable();
    user_call(shares, 2);  // code comes into the caches
    static const u64 primes[] = {101, 251, 499};
    for (u32 i = 0; i < sizeof primes / sizeof *primes; ++i) {
        check_instructions(primes[i], SAMPLING_FIXED, 2 * primes[i]);
        check_instructions(primes[i], SAMPLING_NMI, 2 * primes[i]);
    }
    check_clocks(499, SAMPLING_FIXED, 600);
    check_clocks(2003, SAMPLING_NMI, 1000);
    check_time(1999, 1000);
    check_time(4001, 2000);
    // A period of the loop's length meets the same instruction again and again: no sampling at all.
    sample_events(INSTRUCTIONS, ROUND, SAMPLING_FIXED, 1000);
    CHECK(!all_within("in step", false));
    CHECK_EQ(found[PARTS - 1], samples);
    return check_summary();
}
