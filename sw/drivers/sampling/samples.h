// The sample buffer: global symbol `knc_samples`. Tools outside the machine find it by that ELF
// symbol and read it when the run has ended. So this layout is fixed, little endian and without
// hidden padding:
//
//   offset  size  field
//        0     4  magic        0x53434E4B, the bytes "KNCS"; 0 until sampling began
//        4     4  version      1
//        8     4  record_size  bytes from one record to the next (32)
//       12     4  capacity     number of records that fit
//       16     8  count        all samples taken; the buffer has the first min(count, capacity)
//       24     8  dropped      samples taken but not stored, because the buffer was full
//       32    16  period[2]    events per sample of counter 0 and 1; 0: it does not sample
//       48     8  evtsel[2]    PerfEvtSel of counter 0 and 1 while sampling
//       56        records
//
//   record  0     8  rip       of the interrupted instruction
//           8     8  tsc       when the service routine read it
//          16     8  value     event based: events counted between the overflow and the stop of the
//                              counters. Time based: count of counter 0 since the last sample
//          24     2  thread    local APIC ID
//          26     1  cpl       of the interrupted code
//          27     1  counter   0 or 1: it overflowed; 255: time based
//          28     4  reserved  0
#ifndef KNC_SW_DRIVERS_SAMPLING_SAMPLES_H
#define KNC_SW_DRIVERS_SAMPLING_SAMPLES_H

#include "lib/types.h"

#define SAMPLES_MAGIC 0x53434E4Bu
#define SAMPLES_VERSION 1u
#define SAMPLES_CAPACITY 8192u
#define SAMPLE_TIME_BASED 255

struct sample {
    u64 rip;
    u64 tsc;
    u64 value;
    u16 thread;
    u8 cpl;
    u8 counter;
    u32 reserved;
};

struct sample_buffer {
    u32 magic;
    u32 version;
    u32 record_size;
    u32 capacity;
    volatile u64 count;
    volatile u64 dropped;
    u64 period[2];
    u32 evtsel[2];
    struct sample records[SAMPLES_CAPACITY];
};

_Static_assert(sizeof(struct sample) == 32, "layout above");
_Static_assert(offsetof(struct sample_buffer, records) == 56, "layout above");

extern struct sample_buffer knc_samples;

// Empties the buffer and records periods and events; period 0 for a counter that does not sample.
void samples_begin(const u64 period[2], const u32 evtsel[2]);
// Appends a record; any thread, interrupts off.
void samples_add(const struct sample* s);
// Number of records in the buffer.
u32 samples_stored(void);

#endif
