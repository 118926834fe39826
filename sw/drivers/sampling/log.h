// A thread's own sample buffer, with call chains. One thread writes it, in its service routine, and
// one thread reads it: its own, or another one at the same time.
//
// A full buffer loses no sample. When the next samples might not fit, the service routine calls
// `drain`; if that makes no room, the thread's counters remain stopped until the sampler is told to
// continue. `lost` has the clocks of both.
//
// The host sees the last log of each thread: the table `knc_sample_logs` points to them, by APIC
// ID. It finds the table by its ELF symbol, as it finds `knc_samples`. So these layouts are fixed,
// little endian and without hidden padding; addresses are physical, which ring 0's are too:
//
//   table    0     4  magic        0x4C434E4B, the bytes "KNCL"; 0 until a log was used
//            4     4  version      1
//            8     4  record_size  bytes from one record to the next (144)
//           12     4  chain        return addresses that a record has room for (12)
//           16     4  threads      entries of `log`
//           20     4  reserved     0
//           24        log[]        8 bytes each: address of the thread's log; 0: it has none
//
//   log      0     8  records      address
//            8     8  capacity     in records
//           16     8  written      records so far. Record n is at n % capacity
//           24     8  read         records that a program of the card has taken
//           32     8  lost         clocks without counting, because the log was full or drained
//           40     8  stops        times that the counters were stopped because it was full
//           48     4  thread       APIC ID
//           52     4  state        0 unused, 1 sampling, 2 stopped
//           56     8  interval     time based: clocks from one sample to the next; else 0
//           64  2x40  counter      0 and 1:
//     counter      0     8  period     events per sample; 0: it does not sample
//                  8     8  samples    taken
//                 16     8  missed     further periods (see event_based.h)
//                 24     8  remainder  events since the last sample; without a period, all events
//                 32     4  evtsel     PerfEvtSel
//                 36     4  reserved   0
//     `samples`, `missed` and `remainder` are valid while the state is 2.
//
//   record   0    32  sample       as in samples.h
//           32     8  weight       periods that it stands for
//           40     4  depth        return addresses
//           44     4  reserved     0
//           48  8x12  chain        return addresses, the innermost first
//
// The chain follows frame pointers on the interrupted stack. So the code must be compiled with
// -fno-omit-frame-pointer. An interrupt in a function's first two instructions or at its return
// does not see that function's caller.
#ifndef KNC_SW_DRIVERS_SAMPLING_LOG_H
#define KNC_SW_DRIVERS_SAMPLING_LOG_H

#include "drivers/pmu/pmu.h"
#include "drivers/sampling/samples.h"
#include "lib/trap.h"
#include "lib/types.h"

#define LOG_CHAIN 12
#define LOGS_MAGIC 0x4C434E4Bu
#define LOGS_VERSION 1u
#define MOST_APIC_IDS 256

struct log_record {
    struct sample sample;
    u64 weight;  // periods that it stands for
    u32 depth;   // of the chain
    u32 reserved;
    u64 chain[LOG_CHAIN];  // return addresses, the innermost first
};

enum log_state { LOG_UNUSED, LOG_SAMPLING, LOG_STOPPED };

struct log_counter {
    u64 period, samples, missed, remainder;
    u32 evtsel;
    u32 reserved;
};

struct sample_log {
    struct log_record* records;
    u64 capacity;                // at least 2: both counters may overflow at once
    volatile u64 written, read;  // both only grow
    u64 lost;                    // clocks without counting because of drain and stops
    u64 stops;                   // how often the counters were stopped
    // What the sampler says of itself.
    u32 thread;
    volatile u32 state;
    u64 interval;
    struct log_counter counter[PMU_COUNTERS];
    // Not part of the layout above.
    void (*drain)(struct sample_log*);  // or NULL; runs in the service routine, on this thread
    volatile bool full;                 // the counters are stopped
    u64 stopped_at;                     // the driver's own
};

struct sample_log_table {
    volatile u32 magic;
    u32 version, record_size, chain, threads, reserved;
    struct sample_log* volatile log[MOST_APIC_IDS];
};

_Static_assert(sizeof(struct log_record) == 144, "layout above");
_Static_assert(offsetof(struct log_record, chain) == 48, "layout above");
_Static_assert(offsetof(struct sample_log, counter) == 64, "layout above");
_Static_assert(sizeof(struct log_counter) == 40, "layout above");
_Static_assert(offsetof(struct sample_log_table, log) == 24, "layout above");

extern struct sample_log_table knc_sample_logs;

// A sampler of the calling thread begins to write the log, which has `counter` and `interval`: it
// empties the log and shows it to the host. NULL: nothing to do.
void log_begin(struct sample_log* log);
// The sampler has stopped and filled in `counter`.
void log_end(struct sample_log* log);

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
