// Events of the PMU by name. The table is generated from models/knc/base/events.def.
#ifndef KNC_SW_DRIVERS_PMU_EVENT_H
#define KNC_SW_DRIVERS_PMU_EVENT_H

#include "drivers/pmu/pmu.h"
#include "lib/types.h"

struct pmu_event {
    const char* name;  // in capitals
    u16 code;          // bits 15:0 of PerfEvtSel
    bool of_core;      // has no thread context: every thread that selects it counts it
    const char* meaning;
};
extern const struct pmu_event pmu_events[];
extern const u32 pmu_event_number;

// NULL when there is no such event. Small and capital letters are the same.
const struct pmu_event* pmu_event_by_name(const char* name);
// Bits 31:16 of `select` do not matter.
const struct pmu_event* pmu_event_by_code(u32 select);

// What a counter shall count.
struct pmu_selection {
    u32 select;  // pmu_select()
    bool spflt;  // only where the thread's user preference is set
};
// Reads NAME[:WORD]...; WORD is u (ring 3), k (ring 0), any (all threads of the core), edge, inv,
// cmask=N (1-255) or spflt. Without u and k both rings count. Returns NULL, or what is wrong.
const char* pmu_event_parse(const char* text, struct pmu_selection* s);

// The count of a whole core from those of its threads: the sum, or for an event of the core, which
// every thread counts, the count of the first thread.
u64 pmu_core_count(u32 select, const u64 of_thread[], u32 threads);

#endif
