// perf-stat: counts events while a command runs.
//
//   perf-stat [-a | -C CPUS] [-A] [-e EVENTS] [-r N] [--two] [--list] [--] COMMAND ARGUMENT...
//
//   -a, -C CPUS  all that happens on all CPUs, on these; otherwise the command and its children
//   -A           with -a or -C: the counts of each CPU
//   -e EVENTS    events.h says how they are written
//   -r N         runs the command N times; prints mean, least and most
//   --two        runs the command once for each pair of events, so that each counts all the time;
//   otherwise the
//                kernel shares the two counters of a thread among the events and the count is
//                scaled
//   --list       prints the hardware's events
//
// Exit status: that of the command's last run, 1 if it cannot be counted.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events.h"

const char program[] = "perf-stat";

static const char default_events[] =
    "task-clock,CPU_CLK_UNHALTED,INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED_V_PIPE,BRANCHES,"
    "BRANCHES_MISPREDICTED,DATA_READ_OR_WRITE,DATA_READ_MISS_OR_WRITE_MISS";

static struct event events[EVENTS];
static int event_count;
static bool all_cpus, per_cpu, in_pairs;
static struct cpu_list cpus;  // without -a and -C one, number -1
static u64 runs = 1;

// What read() returns for an event with read_format TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING.
struct reading {
    u64 value, enabled, running;
};
// Of an event on a CPU, over all runs.
struct result {
    int file;
    long error;  // of its opening
    struct reading sum;
    u64 least, most;  // of the scaled counts of a run
};
static struct result* results;  // [event][cpu]
static struct result* result_of(int event, int cpu) {
    return &results[event * cpus.count + cpu];
}

static u64 scaled(const struct reading* r) {
    if (r->running == 0 || r->running >= r->enabled) return r->value;
    return multiply_divide(r->value, r->enabled, r->running);
}

static void open_event(int event, int cpu, pid_t pid, int* leader) {
    struct result* r = result_of(event, cpu);
    struct perf_event_attr a = event_attr(&events[event]);
    a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const bool first = *leader < 0;
    a.disabled = first;
    a.inherit = !all_cpus;
    a.enable_on_exec = !all_cpus && first;
    const long file =
        perf_event_open(&a, all_cpus ? -1 : pid, cpus.cpu[cpu], *leader, PERF_FLAG_FD_CLOEXEC);
    r->file = file < 0 ? -1 : (int)file;
    r->error = file < 0 ? file : 0;
    if (in_pairs && file >= 0) *leader = r->file;
}

static void read_event(int event, int cpu) {
    struct result* r = result_of(event, cpu);
    if (r->file < 0) return;
    struct reading now_read;
    if (read(r->file, &now_read, sizeof now_read) != (ssize_t)sizeof now_read)
        die_error(errno, "cannot read %s", events[event].name);
    close(r->file);
    r->sum.value += now_read.value;
    r->sum.enabled += now_read.enabled;
    r->sum.running += now_read.running;
    const u64 count = scaled(&now_read);
    if (r->least > count) r->least = count;
    if (r->most < count) r->most = count;
}

// Runs the command once and counts the events of the list.
static int run_once(char** command, const int* list, int count) {
    struct command c = prepare_command(command);
    for (int cpu = 0; cpu < cpus.count; ++cpu) {
        int leader = -1;
        for (int i = 0; i < count; ++i) open_event(list[i], cpu, c.pid, &leader);
    }
    for (int cpu = 0; all_cpus && cpu < cpus.count; ++cpu)
        for (int i = 0; i < count; ++i) {
            const int file = result_of(list[i], cpu)->file;
            if (file >= 0) ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
        }
    release_command(&c);
    int status;
    while (waitpid(c.pid, &status, 0) < 0)
        if (errno != EINTR) die_error(errno, "cannot wait for the command");
    for (int cpu = 0; all_cpus && cpu < cpus.count; ++cpu)
        for (int i = 0; i < count; ++i) {
            const int file = result_of(list[i], cpu)->file;
            if (file >= 0) ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
        }
    for (int cpu = 0; cpu < cpus.count; ++cpu)
        for (int i = 0; i < count; ++i) read_event(list[i], cpu);
    return command_status(status);
}

// Takes the next pair that the counters can hold at the same time from the events that are left.
static int next_pair(bool* taken, int* pair) {
    int count = 0;
    for (int i = 0; i < event_count && count < 2; ++i) {
        if (taken[i]) continue;
        if (count == 1 && events[i].counter0_only && events[pair[0]].counter0_only) continue;
        taken[i] = true;
        pair[count++] = i;
    }
    return count;
}

static int run_all(char** command) {
    int status = 0;
    if (in_pairs) {
        bool taken[EVENTS] = {false};
        int pair[2], count;
        while ((count = next_pair(taken, pair)) != 0) status = run_once(command, pair, count);
    } else {
        int list[EVENTS];
        for (int i = 0; i < event_count; ++i) list[i] = i;
        status = run_once(command, list, event_count);
    }
    return status;
}

static void print_result(const char* where, const struct event* e, const struct result* r) {
    char count[32];
    const bool counted = r->error == 0 && (r->sum.running != 0 || r->sum.enabled == 0);
    const struct reading mean = {r->sum.value / runs, r->sum.enabled / runs, r->sum.running / runs};
    if (r->error != 0)
        snprintf(count, sizeof count, "%s", strerror((int)-r->error));
    else if (!counted)
        snprintf(count, sizeof count, "not counted");
    else
        snprintf(count, sizeof count, "%llu", (unsigned long long)scaled(&mean));
    printf("%s%18s  %-46s %12llu %12llu", where, count, e->name, (unsigned long long)mean.enabled,
           (unsigned long long)mean.running);
    if (counted && mean.running < mean.enabled) {
        const u64 share = multiply_divide(1000, mean.running, mean.enabled);
        printf("  scaled, %u.%u %%", (unsigned)(share / 10), (unsigned)(share % 10));
    }
    if (counted && runs > 1)
        printf("  %llu to %llu", (unsigned long long)r->least, (unsigned long long)r->most);
    printf("\n");
}

// Adds up an event's CPUs.
static struct result total(int event) {
    struct result t = *result_of(event, 0);
    for (int cpu = 1; cpu < cpus.count; ++cpu) {
        const struct result* r = result_of(event, cpu);
        if (r->error != 0) t.error = r->error;
        t.sum.value += r->sum.value;
        t.sum.enabled += r->sum.enabled;
        t.sum.running += r->sum.running;
        t.least += r->least;
        t.most += r->most;
    }
    return t;
}

static void print_all(char** command, u64 nanoseconds) {
    printf("counts of '%s", command[0]);
    for (int i = 1; command[i] != NULL; ++i) printf(" %s", command[i]);
    printf("'%s, %llu run%s of %llu ns\n", all_cpus ? " and all else on its CPUs" : "",
           (unsigned long long)runs, runs == 1 ? "" : "s", (unsigned long long)nanoseconds);
    printf("%s%18s  %-46s %12s %12s\n", per_cpu ? "cpu  " : "", "count", "event", "enabled ns",
           "running ns");
    for (int e = 0; e < event_count; ++e) {
        if (!per_cpu) {
            const struct result t = total(e);
            print_result("", &events[e], &t);
            continue;
        }
        for (int cpu = 0; cpu < cpus.count; ++cpu) {
            char where[8];
            snprintf(where, sizeof where, "%3d  ", cpus.cpu[cpu]);
            print_result(where, &events[e], result_of(e, cpu));
        }
    }
}

static void usage(void) {
    fprintf(stderr,
            "usage: perf-stat [-a | -C CPUS] [-A] [-e EVENTS] [-r N] [--two] [--list] [--] "
            "COMMAND ARGUMENT...\n");
    exit(2);
}

static char** options(char** at) {
    const char* list = default_events;
    cpus.count = 1;
    cpus.cpu[0] = -1;
    for (++at; *at != NULL && **at == '-'; ++at) {
        const char* option = *at;
        if (strcmp(option, "--") == 0) {
            ++at;
            break;
        } else if (strcmp(option, "-a") == 0) {
            all_cpus = true;
            cpus_online(&cpus);
        } else if (strcmp(option, "-A") == 0) {
            per_cpu = true;
        } else if (strcmp(option, "--two") == 0) {
            in_pairs = true;
        } else if (strcmp(option, "--list") == 0) {
            events_list();
            exit(0);
        } else if (*++at == NULL) {
            usage();
        } else if (strcmp(option, "-C") == 0) {
            all_cpus = true;
            cpus_parse(*at, &cpus);
        } else if (strcmp(option, "-e") == 0) {
            list = *at;
        } else if (strcmp(option, "-r") == 0) {
            runs = number(*at, "-r");
            if (runs == 0) usage();
        } else {
            usage();
        }
    }
    if (*at == NULL || (per_cpu && !all_cpus)) usage();
    event_count = events_parse(list, events);
    return at;
}

int main(int argc, char** argv) {
    (void)argc;
    char** command = options(argv);
    const size_t count = (size_t)(event_count * cpus.count);
    results = allocate(count * sizeof *results);
    for (size_t i = 0; i < count; ++i) results[i].least = ~0ull;
    int status = 0;
    const u64 start = now();
    for (u64 run = 0; run < runs; ++run) status = run_all(command);
    print_all(command, (now() - start) / runs);
    return status;
}
