// Driver of the performance monitoring unit: each call acts on the calling thread's bank. Ring 0
// unless said otherwise.
#ifndef KNC_SW_DRIVERS_PMU_PMU_H
#define KNC_SW_DRIVERS_PMU_PMU_H

#include "drivers/pmu/pmu_events.h"
#include "lib/types.h"

#define PMU_COUNTERS 2u

#define MSR_TSC 0x10
#define MSR_PERF_COUNTER 0x20       // + counter
#define MSR_PERF_EVENT_SELECT 0x28  // + counter
#define MSR_PERF_SPFLT_CONTROL 0x2C
#define MSR_PERF_GLOBAL_STATUS 0x2D
#define MSR_PERF_GLOBAL_OVF_CONTROL 0x2E
#define MSR_PERF_GLOBAL_CTRL 0x2F

// PerfEvtSel beside the event code (bits 15:0).
#define PMU_USER (1u << 16)
#define PMU_OS (1u << 17)
#define PMU_EDGE (1u << 18)
#define PMU_INT (1u << 20)
#define PMU_ANY_THREAD (1u << 21)
#define PMU_ENABLE (1u << 22)
#define PMU_INVERT (1u << 23)
#define PMU_CMASK(n) ((u32)(n) << 24)

#define PMU_COUNTER_MASK ((1ul << 40) - 1)
#define PMU_USER_PREFERENCE (1ul << 63)

// Selects what counter 0 or 1 counts: event code and the bits above; the driver adds PMU_ENABLE.
// The counter starts from `from`, modulo 2^40. Counting begins with pmu_start().
void pmu_select(unsigned counter, u32 select, u64 from);
// Enables the counters of the mask (bit N: counter N); the others do not change.
void pmu_start(u32 mask);
// Stops all counters; returns the mask with which pmu_start() continues.
u32 pmu_stop(void);
u64 pmu_read(unsigned counter);
void pmu_write(unsigned counter, u64 value);
// Sticky overflow bits; clearing takes the mask of the bits.
u32 pmu_status(void);
void pmu_clear_status(u32 mask);
// Puts the counters of the mask under SPFLT control, takes the others out, and sets the user
// preference.
void pmu_set_filter(u32 mask, bool preference);
// Allows ring 3 to execute RDPMC, or forbids it.
void pmu_allow_user_read(bool allow);
// Puts everything into its reset state.
void pmu_reset(void);

#endif
