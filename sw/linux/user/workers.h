// Processes that do the same work at the same time, each bound to a CPU.
#ifndef KNC_SW_LINUX_USER_WORKERS_H
#define KNC_SW_LINUX_USER_WORKERS_H

#include "sys.h"

// What a worker hands back.
struct work_result {
    u64 start, end;  // nanoseconds, of its work alone
    u64 checksum;
    bool correct;
};

// A barrier in memory that the workers share. Each waits for all others; those that wait long
// sleep, so that a card of many CPUs is not busy with waiting.
struct barrier {
    u32 members, arrived, round;
};
void barrier_wait(struct barrier* b);

// Memory that processes forked later share, zeroed.
void* allocate_shared(size_t bytes);

// Reads the options of a load: -C CPUS (default: all that are online) and -n PROCESSES on each of
// them, for which its CPU stands so many times in the list. Returns the index of the first argument
// behind them; ends the program with the usage where they are wrong.
int workers_options(int argc, char** argv, const char* usage, u64 processes, struct cpu_list* list);
void usage_error(const char* usage) __attribute__((noreturn));

// Starts a process for each entry of the list, on that CPU, and waits for their end. results[i] is
// that of process i; false if a process failed.
bool workers_run(const struct cpu_list* cpus,
                 void (*work)(int process, struct work_result*, struct barrier*),
                 struct work_result* results);

#endif
