// A thread's own sample buffer, with call chains. One thread writes it, in its service routine, and
// one thread reads it: its own, or another one at the same time.
//
// A full buffer loses no sample. When the next samples might not fit, the service routine calls
// `drain`; if that makes no room, the thread's counters remain stopped until the sampler is told to
// continue. `lost` has the clocks of both.
//
// The chain follows frame pointers on the interrupted stack. So the code must be compiled with
// -fno-omit-frame-pointer. An interrupt in a function's first two instructions or at its return
// does not see that function's caller.
#ifndef KNC_SW_DRIVERS_SAMPLING_LOG_H
#define KNC_SW_DRIVERS_SAMPLING_LOG_H

#include "drivers/sampling/samples.h"
#include "lib/trap.h"
#include "lib/types.h"

#define LOG_CHAIN 12

struct log_record {
    struct sample sample;
    u64 weight;            // periods that it stands for
    u32 depth;             // of the chain
    u64 chain[LOG_CHAIN];  // return addresses, the innermost first
};

struct sample_log {
    struct log_record* records;
    u64 capacity;                       // at least 2: both counters may overflow at once
    void (*drain)(struct sample_log*);  // or NULL; runs in the service routine, on this thread
    volatile u64 written, read;         // both only grow
    volatile bool full;                 // the counters are stopped
    u64 stops;                          // how often
    u64 lost;                           // clocks without counting because of drain and stops
    u64 stopped_at;                     // the driver's own
};

// Appends a record of the interrupted context, to the log or, if it is NULL, to knc_samples.
void log_add(struct sample_log* log, const struct sample* s, u64 weight,
             const struct trap_frame* f);
// At the end of a service, with the counters stopped: whether they may go on. A NULL log always has
// room.
bool log_make_room(struct sample_log* log);
// True if the log was full and now has room: start the counters.
bool log_continue(struct sample_log* log);
// Takes the oldest record; false if there is none.
bool log_take(struct sample_log* log, struct log_record* to);

#endif
