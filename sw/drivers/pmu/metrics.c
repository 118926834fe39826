#include "drivers/pmu/metrics.h"

#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/string.h"

const struct pmu_metric pmu_metrics[] = {
#include "drivers/pmu/pmu_metrics.inc"
};
const u32 pmu_metric_number = sizeof pmu_metrics / sizeof *pmu_metrics;

#define MILLION 1000000
// A bound from here on says nothing.
#define MOST_COUNT (1ul << 56)

const struct pmu_metric* pmu_metric_by_name(const char* name) {
    for (u32 n = 0; n < pmu_metric_number; ++n)
        if (strcmp(pmu_metrics[n].name, name) == 0) return &pmu_metrics[n];
    return NULL;
}

static u64 events_of(const struct pmu_term terms[]) {
    u64 set = 0;
    for (u32 i = 0; i < PMU_MOST_TERMS && terms[i].factor != 0; ++i)
        if (terms[i].event != PMU_ONE) set |= 1ul << terms[i].event;
    return set;
}

u64 pmu_metric_events(const struct pmu_metric* m) {
    return events_of(m->numerator) | events_of(m->denominator);
}

u64 pmu_all_metrics_events(void) {
    u64 set = 0;
    for (u32 n = 0; n < pmu_metric_number; ++n) set |= pmu_metric_events(&pmu_metrics[n]);
    return set;
}

u32 pmu_metric_counts(u64 events, u32 rings, struct pmu_count counts[]) {
    u32 number = 0;
    for (u32 e = 0; e < pmu_event_number; ++e)
        if ((events >> e & 1) != 0) counts[number++].what.select = pmu_events[e].code | rings;
    for (u32 i = 0; i < number; ++i) counts[i].what.spflt = false;
    return number;
}

void pmu_row_clear(struct pmu_row* r, enum pmu_row_kind kind) {
    memset(r, 0, sizeof *r);
    r->kind = kind;
}

void pmu_row_of_session(struct pmu_row* thread, const struct pmu_session* s) {
    pmu_row_clear(thread, PMU_ROW_THREAD);
    for (u32 i = 0; i < s->number; ++i) {
        const u32 e = (u32)(pmu_event_by_code(s->counts[i].what.select) - pmu_events);
        thread->of[e] = pmu_estimate(&s->counts[i]);
        thread->has |= 1ul << e;
    }
}

void pmu_row_add(struct pmu_row* sum, const struct pmu_row* part) {
    // An event of the core comes from the first thread.
    const bool threads = part->kind == PMU_ROW_THREAD;
    for (u32 e = 0; e < pmu_event_number; ++e) {
        if ((part->has >> e & 1) == 0) continue;
        if (threads && pmu_events[e].of_core && (sum->has >> e & 1) != 0) continue;
        const struct pmu_estimate* p = &part->of[e];
        struct pmu_estimate* s = &sum->of[e];
        s->count += p->count;
        s->least += p->least;
        s->most = s->most < MOST_COUNT && p->most < MOST_COUNT ? s->most + p->most : ~0ul;
    }
    sum->has |= part->has;
}

// What the formulas read of a row: the estimates, or the bounds: the most of the events in
// `at_most`, the least of the others.
struct reading {
    const struct pmu_row* row;
    bool bounds;
    u64 at_most;
};

static i64 sum_of(const struct pmu_term terms[], const struct reading* r) {
    i64 sum = 0;
    for (u32 i = 0; i < PMU_MOST_TERMS && terms[i].factor != 0; ++i) {
        u64 count = 1;
        if (terms[i].event != PMU_ONE) {
            const struct pmu_estimate* e = &r->row->of[terms[i].event];
            const bool most = (r->at_most >> terms[i].event & 1) != 0;
            count = !r->bounds ? e->count : (most ? e->most : e->least);
        }
        sum += terms[i].factor * (i64)count;
    }
    return sum;
}

static u64 magnitude(i64 x) {
    return x < 0 ? -(u64)x : (u64)x;
}

// a * b / c, rounded to zero.
static i64 scaled(i64 a, u64 b, u64 c) {
    const u64 high = (u64)((unsigned __int128)magnitude(a) * b >> 64);
    const u64 value = high < c ? multiply_divide(magnitude(a), b, c) : ~0ul;
    const i64 limited = value < PMU_UNLIMITED ? (i64)value : PMU_UNLIMITED;
    return a < 0 ? -limited : limited;
}

static i64 quotient(const struct pmu_metric* m, i64 above, i64 below) {
    u64 divisor;
    if (__builtin_mul_overflow(magnitude(below), m->divisor, &divisor)) return 0;
    return scaled(below < 0 ? -above : above, m->multiplier, divisor);
}

// For given counts of all other events, a metric rises or falls with an event all the way, as long
// as the denominator does not pass 0. So its extremes are at those of the events.
static void find_bounds(const struct pmu_metric* m, const struct pmu_row* row,
                        struct pmu_metric_value* v) {
    const u64 events = pmu_metric_events(m);
    bool limited = true, positive = true;
    for (u32 e = 0; e < pmu_event_number; ++e)
        if ((events >> e & 1) != 0 && row->of[e].most >= MOST_COUNT) limited = false;
    v->least = PMU_UNLIMITED;
    v->most = -PMU_UNLIMITED;
    u64 at_most = 0;
    do {
        const struct reading r = {row, true, at_most};
        const i64 below = limited ? sum_of(m->denominator, &r) : 0;
        if (below <= 0) {
            limited = false;
            break;
        }
        const i64 value = quotient(m, sum_of(m->numerator, &r), below);
        if (value < v->least) v->least = value;
        if (value > v->most) v->most = value;
        at_most = (at_most - events) & events;  // the next subset
    } while (at_most != 0);
    if (limited) return;
    for (u32 i = 0; i < PMU_MOST_TERMS; ++i)
        if (m->numerator[i].factor < 0 || m->denominator[i].factor < 0) positive = false;
    v->least = positive ? 0 : -PMU_UNLIMITED;
    v->most = PMU_UNLIMITED;
}

bool pmu_metric_exists(const struct pmu_metric* m, const struct pmu_row* r) {
    const u64 events = pmu_metric_events(m);
    if ((events & ~r->has) != 0) return false;
    if (r->kind != PMU_ROW_THREAD) return true;
    if (!m->of_threads) return false;
    for (u32 e = 0; e < pmu_event_number; ++e)
        if ((events >> e & 1) != 0 && pmu_events[e].of_core && e != PMU_NUMBER_CPU_CLK_UNHALTED)
            return false;
    return true;
}

struct pmu_metric_value pmu_metric_value(const struct pmu_metric* m, const struct pmu_row* r) {
    struct pmu_metric_value v = {0};
    const struct reading estimate = {.row = r};
    const i64 below = sum_of(m->denominator, &estimate);
    v.defined = below != 0;
    if (!v.defined) return v;
    v.value = quotient(m, sum_of(m->numerator, &estimate), below);
    find_bounds(m, r, &v);
    return v;
}

bool pmu_metric_beyond(const struct pmu_metric* m, const struct pmu_row* r) {
    i64 limit = m->limit.of[r->kind];
    if (m->limit.beyond == PMU_NO_LIMIT || limit == 0 || !pmu_metric_exists(m, r)) return false;
    const struct pmu_metric_value v = pmu_metric_value(m, r);
    if (m->limit.times[0] != '\0') {
        const struct pmu_metric* other = pmu_metric_by_name(m->limit.times);
        if (other == NULL || !pmu_metric_exists(other, r)) return false;
        const struct pmu_metric_value o = pmu_metric_value(other, r);
        if (!o.defined) return false;
        limit = scaled(o.value, (u64)limit, MILLION);
    }
    if (!v.defined) return false;
    return m->limit.beyond == PMU_LIMIT_ABOVE ? v.value > limit : v.value < limit;
}

const char* pmu_metric_text(char text[PMU_METRIC_TEXT], const struct pmu_metric* m, i64 value) {
    const u64 size = magnitude(value);
    const char* sign = value < 0 ? "-" : "";
    if (size == PMU_UNLIMITED)
        snprintf(text, PMU_METRIC_TEXT, "-");
    else if (m->is_count)
        snprintf(text, PMU_METRIC_TEXT, "%s%lu", sign, size);
    else
        snprintf(text, PMU_METRIC_TEXT, "%s%lu.%06lu", sign, size / MILLION, size % MILLION);
    return text;
}
