// The workload of the demo: functions of clearly different weight, run at ring 3.
#ifndef KNC_SW_APPS_DEMO_WORKLOAD_H
#define KNC_SW_APPS_DEMO_WORKLOAD_H

#include "lib/types.h"

struct workload {
    const char* name;      // of the function that does the work
    void (*run)(void);     // ring 3
    u64 code;              // where the function `name` begins
    bool (*verify)(void);  // ring 0, after the run
};

#define WORKLOADS 8
extern const struct workload workloads[WORKLOADS];

// Fills the inputs; ring 0, before the run.
void workload_prepare(void);
// Runs all of them in order; ring 3.
u64 workload_run_all(u64 unused);

// Bounds of the code of the run functions (boot/image.ld).
extern char workload_start[], workload_end[];

#endif
