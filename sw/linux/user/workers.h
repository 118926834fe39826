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

// A barrier in memory that the workers share. Each waits for all others; it yields its CPU
// meanwhile.
struct barrier {
    u32 members, arrived, round;
};
void barrier_wait(struct barrier* b);

// Memory that processes forked later share, zeroed.
void* allocate_shared(size_t bytes);

// Each CPU so many times in the list, for as many processes on it.
void repeat_cpus(struct cpu_list* list, u64 times);

// Starts a process for each entry of the list, on that CPU, and waits for their end. results[i] is
// that of process i; false if a process failed.
bool workers_run(const struct cpu_list* cpus,
                 void (*work)(int process, struct work_result*, struct barrier*),
                 struct work_result* results);

#endif
