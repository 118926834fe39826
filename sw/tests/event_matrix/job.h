// One execution of a kernel: what the frame around it (frame.inc, frame.S) is told, and the numbers
// that assembly and C share.
#ifndef KNC_SW_TESTS_EVENT_MATRIX_JOB_H
#define KNC_SW_TESTS_EVENT_MATRIX_JOB_H

#define WATCH_DELAYS 3

#define JOB_START 8
#define JOB_OPEN_DELAY 16
#define JOB_CLOSE_DELAY 24
#define JOB_REAL 32
#define JOB_REHEARSAL 40
#define JOB_TARGET 48
#define JOB_WATCH 56
#define JOB_BEGIN 80
#define JOB_END 88

#ifndef __ASSEMBLER__
#include "lib/types.h"

struct job {
    u64 pass;                 // 0: rehearsal, 1: the execution that counts
    u64 start;                // clock of the time-stamp counter at which pass 1 begins
    u64 open_delay;           // clocks before the kernel, after `start`
    u64 close_delay;          // clocks after it
    u64 real;                 // memory of the kernel
    u64 rehearsal;            // the memory in its place in pass 0
    u64 target;               // clock for which a kernel waits exactly
    u64 watch[WATCH_DELAYS];  // clocks of the watching thread's DELAYs (kernel_watch)
    u64 begin, end;           // clocks before open_delay and after close_delay
} __attribute__((aligned(64)));

// Executes at any ring; the argument is a struct job*.
typedef u64 (*kernel)(u64 job);
#endif

#endif
