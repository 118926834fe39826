// A team: hardware threads that do the same work at the same time, and how long it takes them.
//
// Command line: cores=N, step=S    cores that take part (default 1), distance from one to the next
//                                  (default 1); the first is core 0
//               threads=T          of each of them (default 1)
#ifndef KNC_SW_LIB_TEAM_H
#define KNC_SW_LIB_TEAM_H

#include "lib/types.h"

// Starts the threads that the command line asks for; the boot thread takes part if it is one of
// them. A CHECK fails for a thread that does not start. Returns the number of members. What is
// allocated afterwards lies in pages of 2 MB.
u64 team_start(void);

// Every member calls work(0), work(1), ... with its own number; members 0 to threads - 1 belong to
// core 0. Returns the clocks from the begin of the first to the end of the last, when their stores
// have reached the caches. Only the boot thread may call it.
u64 team_run(void (*work)(u64 member));

// In work(): waits until every member has called it as often.
void team_wait(void);

// Prints "measured AMOUNT UNIT in CLOCKS clocks: R per clock, R of each core". `unit` is one word.
void team_report(const char* unit, u64 amount, u64 clocks);
// The rate of one core in hundredths, as printed by it.
u64 team_core_rate(u64 amount, u64 clocks);

#endif
