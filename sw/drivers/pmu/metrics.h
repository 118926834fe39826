// Metrics of threads, cores and the card from what sessions have counted. There is no floating
// point: values are whole numbers of millionths; those of metrics that are counts are in ones.
//
// The table is generated from models/knc/monitor/metrics.def: all metrics made of nothing but
// events. The formulas and where they come from: docs/monitor.md.
//
// A ratio is exact if all its events had a counter all the time, in a session of two events. With
// more, the events of a formula are counted in different turns, and the value is an estimate.
#ifndef KNC_SW_DRIVERS_PMU_METRICS_H
#define KNC_SW_DRIVERS_PMU_METRICS_H

#include "drivers/pmu/session.h"
#include "lib/types.h"

// Numbers of the events, as in pmu_events[]. A set of events has bit N for event N.
enum {
#define PMU_NUMBER(name, of_core, meaning) PMU_NUMBER_##name,
    PMU_EVENTS(PMU_NUMBER)
#undef PMU_NUMBER
        PMU_EVENT_NUMBERS
};
_Static_assert(PMU_EVENT_NUMBERS <= 64, "a set of events has 64 bits");
#define PMU_ONE 255  // no event: the term is its factor

struct pmu_term {
    int8_t factor;  // 0: no further term
    u8 event;
};
#define PMU_MOST_TERMS 6
struct pmu_metric {
    const char* name;
    struct pmu_term numerator[PMU_MOST_TERMS], denominator[PMU_MOST_TERMS];
    u64 multiplier, divisor;  // value = numerator * multiplier / (denominator * divisor)
    bool is_count;            // in ones, not millionths
    bool of_threads;          // it has a value for a thread
    struct {
        enum { PMU_NO_LIMIT, PMU_LIMIT_ABOVE, PMU_LIMIT_BELOW } beyond;
        i64 of[3];          // by enum pmu_row_kind; 0: none
        const char* times;  // the limit is a multiple of this metric, unless ""
    } limit;
    const char* meaning;
};
extern const struct pmu_metric pmu_metrics[];
extern const u32 pmu_metric_number;

// NULL when there is no such metric.
const struct pmu_metric* pmu_metric_by_name(const char* name);
// The set of its events, and that of all metrics.
u64 pmu_metric_events(const struct pmu_metric* m);
u64 pmu_all_metrics_events(void);

// LIKWID's groups for this processor: the events that it counts together, two at most.
struct pmu_group {
    const char* name;
    u64 events;
};
extern const struct pmu_group pmu_groups[];
extern const u32 pmu_group_number;
const struct pmu_group* pmu_group_by_name(const char* name);

// Writes what a session must count for these events: `rings` is PMU_USER, PMU_OS or both. Returns
// the number of counts, at most 64.
u32 pmu_metric_counts(u64 events, u32 rings, struct pmu_count counts[]);

enum pmu_row_kind { PMU_ROW_THREAD, PMU_ROW_CORE, PMU_ROW_CARD };
struct pmu_row {
    enum pmu_row_kind kind;
    u64 has;                                    // the events that were counted
    struct pmu_estimate of[PMU_EVENT_NUMBERS];  // `most` is ~0 when there is no upper bound
};
// The row of a thread whose session has stopped.
void pmu_row_of_session(struct pmu_row* thread, const struct pmu_session* s);
// A core's row is the sum of its threads; an event of the core, which each of them counts, is that
// of the first thread added. The card's row is the sum of its cores. Ratios are made of these sums.
void pmu_row_clear(struct pmu_row* r, enum pmu_row_kind kind);
void pmu_row_add(struct pmu_row* sum, const struct pmu_row* part);

#define PMU_UNLIMITED INT64_MAX
struct pmu_metric_value {
    bool defined;  // false: division by zero. The other fields then mean nothing.
    i64 value;     // rounded to zero; PMU_UNLIMITED if it does not fit
    // The least and the most value for any counts within their bounds. -PMU_UNLIMITED and
    // PMU_UNLIMITED: there is no such bound.
    i64 least, most;
};
// Whether the row has the counts. As events of the core have no thread, a thread's row has none of
// them but CPU_CLK_UNHALTED.
bool pmu_metric_exists(const struct pmu_metric* m, const struct pmu_row* r);
// Of a metric that exists in the row.
struct pmu_metric_value pmu_metric_value(const struct pmu_metric* m, const struct pmu_row* r);
// Whether the value deserves a closer look.
bool pmu_metric_beyond(const struct pmu_metric* m, const struct pmu_row* r);

// Writes the value in decimals, "-" if it is unlimited, and returns `text`.
#define PMU_METRIC_TEXT 24
const char* pmu_metric_text(char text[PMU_METRIC_TEXT], const struct pmu_metric* m, i64 value);

#endif
