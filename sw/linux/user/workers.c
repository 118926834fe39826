#include "workers.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void* allocate_shared(size_t bytes) {
    void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) die_error(errno, "no memory to share");
    return memory;
}

// How often a process looks before it sleeps: some 10000 clocks.
static const u32 most_spins = 2000;

void barrier_wait(struct barrier* b) {
    const u32 round = __atomic_load_n(&b->round, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&b->arrived, 1, __ATOMIC_ACQ_REL) == b->members) {
        b->arrived = 0;
        __atomic_add_fetch(&b->round, 1, __ATOMIC_ACQ_REL);
        futex_wake(&b->round);
        return;
    }
    for (u32 spins = 0; __atomic_load_n(&b->round, __ATOMIC_ACQUIRE) == round; ++spins)
        if (spins >= most_spins) futex_wait(&b->round, round);
}

void usage_error(const char* usage) {
    fprintf(stderr, "usage: %s %s\n", program, usage);
    exit(2);
}

int workers_options(int argc, char** argv, const char* usage, u64 processes,
                    struct cpu_list* list) {
    struct cpu_list once;
    cpus_online(&once);
    for (int option; (option = getopt(argc, argv, "C:n:")) != -1;) {
        if (option == 'C')
            cpus_parse(optarg, &once);
        else if (option == 'n')
            processes = number(optarg, "-n");
        else
            usage_error(usage);
    }
    if (processes == 0 || processes > (u64)(CPUS / once.count))
        die("%llu processes on each CPU", (unsigned long long)processes);
    list->count = 0;
    for (u64 i = 0; i < processes; ++i)
        for (int cpu = 0; cpu < once.count; ++cpu) list->cpu[list->count++] = once.cpu[cpu];
    return optind;
}

bool workers_run(const struct cpu_list* cpus,
                 void (*work)(int process, struct work_result*, struct barrier*),
                 struct work_result* results) {
    const size_t count = (size_t)cpus->count;
    struct shared {
        struct barrier barrier;
        struct work_result results[];
    }* shared = allocate_shared(sizeof *shared + count * sizeof *results);
    shared->barrier.members = (u32)count;
    fflush(stdout);
    pid_t* pids = allocate(count * sizeof *pids);
    for (size_t i = 0; i < count; ++i) {
        pids[i] = fork();
        if (pids[i] < 0) die_error(errno, "fork");
        if (pids[i] != 0) continue;
        const long error = bind_to_cpus(&(struct cpu_list){1, {cpus->cpu[i]}});
        if (error < 0) die_error(error, "cannot run on CPU %d", cpus->cpu[i]);
        work((int)i, &shared->results[i], &shared->barrier);
        _exit(0);
    }
    bool good = true;
    // A worker that fails never reaches the barrier: the others must not wait for it.
    for (size_t left = count; left != 0; --left) {
        int status;
        if (waitpid(-1, &status, 0) < 0) die_error(errno, "cannot wait for the workers");
        if (status == 0 || !good) continue;
        good = false;
        for (size_t i = 0; i < count; ++i) kill(pids[i], SIGKILL);
    }
    memcpy(results, shared->results, count * sizeof *results);
    return good;
}
