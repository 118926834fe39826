// perf-record: samples while a command runs, into a file that `perf report` and `perf script` read.
//
//   perf-record [-a | -C CPUS] [-e EVENTS] [-c PERIOD] [-d] [-g] [-m PAGES] [-o FILE] [--] COMMAND
//   ARGUMENT...
//
//   -a, -C CPUS  all that happens on all CPUs, on these; otherwise the command and its children
//   -e EVENTS    default CPU_CLK_UNHALTED; events.h says how they are written
//   -c PERIOD    events from one sample to the next, default 100003
//   -d           with the address of the data that the sampled instruction accessed
//   -g           with call chains, by frame pointers
//   -m PAGES     of the buffer of each CPU, a power of two, default 64
//   -o FILE      default perf.data
//
// At the end it prints for each event and CPU the samples, and the count: samples * period +
// remainder. The count is read from the kernel; the remainder is what it has beyond the samples.
// Without losses, and if the command is one task, the remainder of a CPU is less than the period.
// Of events with a filter p it prints how many samples have the exact address.
//
// Exit status: that of the command, 1 if it cannot be recorded.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events.h"
#include "facts.h"
#include "perf_data.h"
#include "ring.h"
#include "tasks.h"

const char program[] = "perf-record";

#define PAGE 4096u

// events[TRACKING] counts nothing. It records on every CPU what tasks are called and map, since a
// task that is sampled on one CPU may have begun on another, and its buffer takes the samples of
// the other events.
#define TRACKING 0
static struct event events[1 + EVENTS] = {
    {.name = "dummy", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY}};
static int event_count;
static bool all_cpus, chains, addresses;
static struct cpu_list cpus;      // all that are online
static struct cpu_list selected;  // those that are sampled
static u64 period = 100003, pages = 64;
static const char *event_text = "CPU_CLK_UNHALTED", *output = "perf.data";

// An event on a CPU; file is -1 if it is not sampled there.
struct source {
    int file;
    u64 id, samples, exact;
};
static struct source* sources;  // [event][cpu]
static struct source* source_of(int event, int cpu) {
    return &sources[event * cpus.count + cpu];
}
static struct ring* rings;  // [cpu]
static struct perf_data data;
static u64 lost, throttled, other_records;

static struct perf_event_attr attr_of(int event) {
    struct perf_event_attr a = event_attr(&events[event]);
    if (event != TRACKING) a.sample_period = period;
    a.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                    PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | (addresses ? PERF_SAMPLE_ADDR : 0u) |
                    (chains ? PERF_SAMPLE_CALLCHAIN : 0u);
    a.disabled = 1;
    a.inherit = !all_cpus;
    a.enable_on_exec = !all_cpus;
    a.sample_id_all = 1;
    a.exclude_guest = 1;
    if (event == TRACKING) a.mmap = a.mmap2 = a.comm = a.comm_exec = a.task = 1;
    a.watermark = 1;  // wake the reader when a quarter is full
    a.wakeup_watermark = (u32)pages * PAGE / 4;
    return a;
}
// Bytes of the sample_id that ends each record: task, time, CPU, identifier.
#define SAMPLE_ID 32

static void open_ring(int cpu) {
    struct ring* r = &rings[cpu];
    r->size = pages * PAGE;
    void* place = mmap(NULL, PAGE + r->size, PROT_READ | PROT_WRITE, MAP_SHARED,
                       source_of(TRACKING, cpu)->file, 0);
    if (place == MAP_FAILED) die_error(errno, "cannot map the buffer of CPU %d", cpus.cpu[cpu]);
    r->control = place;
    r->data = (const u8*)place + PAGE;
}

static bool contains(const struct cpu_list* list, int cpu) {
    for (int i = 0; i < list->count; ++i)
        if (list->cpu[i] == cpu) return true;
    return false;
}

static void open_source(int event, int cpu, pid_t pid) {
    const struct perf_event_attr a = attr_of(event);
    struct source* s = source_of(event, cpu);
    s->file = -1;
    if (event != TRACKING && !contains(&selected, cpus.cpu[cpu])) return;
    const long file =
        perf_event_open(&a, all_cpus ? -1 : pid, cpus.cpu[cpu], -1, PERF_FLAG_FD_CLOEXEC);
    if (file < 0) die_error(file, "cannot sample %s on CPU %d", events[event].name, cpus.cpu[cpu]);
    s->file = (int)file;
    if (ioctl(s->file, PERF_EVENT_IOC_ID, &s->id) != 0)
        die_error(errno, "cannot read the identifier of %s", events[event].name);
    if (event == TRACKING)
        open_ring(cpu);
    else if (ioctl(s->file, PERF_EVENT_IOC_SET_OUTPUT,
                   (void*)(long)source_of(TRACKING, cpu)->file) != 0)
        die_error(errno, "cannot share the buffer of CPU %d", cpus.cpu[cpu]);
}

static void open_all(pid_t pid) {
    for (int cpu = 0; cpu < cpus.count; ++cpu)
        for (int e = 0; e < event_count; ++e) open_source(e, cpu, pid);
}

static void switch_all(unsigned request) {
    for (int i = 0; i < event_count * cpus.count; ++i)
        if (sources[i].file >= 0) ioctl(sources[i].file, (int)request, 0);
}

static void take(const struct perf_event_header* header, void* argument) {
    const int cpu = *(const int*)argument;
    const u64* fields = (const u64*)(header + 1);
    switch (header->type) {
        case PERF_RECORD_SAMPLE:
            for (int e = 0; e < event_count; ++e) {
                struct source* s = source_of(e, cpu);
                if (s->id != fields[0]) continue;
                ++s->samples;
                s->exact += (header->misc & PERF_RECORD_MISC_EXACT_IP) != 0;
            }
            break;
        case PERF_RECORD_LOST:
            lost += fields[1];
            break;
        case PERF_RECORD_THROTTLE:
            ++throttled;
            break;
        default:
            ++other_records;
            break;
    }
    perf_data_write(&data, header, header->size);
}
static void drain_all(void) {
    for (int cpu = 0; cpu < cpus.count; ++cpu) ring_drain(&rings[cpu], take, &cpu);
}

// Writes records to the file until the command ends.
static int record_until_end(pid_t pid) {
    struct pollfd* files = allocate((size_t)cpus.count * sizeof *files);
    for (int cpu = 0; cpu < cpus.count; ++cpu) {
        files[cpu].fd = source_of(TRACKING, cpu)->file;
        files[cpu].events = POLLIN;
    }
    int status;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        poll(files, (nfds_t)cpus.count, 50);
        for (int cpu = 0; cpu < cpus.count; ++cpu) {
            if ((files[cpu].revents & POLLIN) != 0) ring_drain(&rings[cpu], take, &cpu);
            // An event whose task has ended would end each poll at once.
            if ((files[cpu].revents & (POLLHUP | POLLERR)) != 0) files[cpu].fd = -1;
        }
    }
    if (all_cpus) switch_all(PERF_EVENT_IOC_DISABLE);
    drain_all();
    free(files);
    return command_status(status);
}

static u64 read_count(const struct source* s) {
    u64 count;
    if (read(s->file, &count, sizeof count) != (ssize_t)sizeof count)
        die_error(errno, "cannot read a count");
    return count;
}

static void print_row(const char* cpu, u64 samples, u64 count, const char* name) {
    printf("%3s %12llu %12llu %12lld %16llu  %s\n", cpu, (unsigned long long)samples,
           (unsigned long long)period, (long long)(count - samples * period),
           (unsigned long long)count, name);
}

static void print_counts(void) {
    printf("%3s %12s %12s %12s %16s  %s\n", "cpu", "samples", "period", "remainder", "count",
           "event");
    for (int e = TRACKING + 1; e < event_count; ++e) {
        u64 samples = 0, counts = 0, exact = 0;
        for (int cpu = 0; cpu < cpus.count; ++cpu) {
            const struct source* s = source_of(e, cpu);
            if (s->file < 0) continue;
            const u64 count = read_count(s);
            samples += s->samples;
            counts += count;
            exact += s->exact;
            char text[16];
            snprintf(text, sizeof text, "%d", cpus.cpu[cpu]);
            if (count != 0) print_row(text, s->samples, count, events[e].name);
        }
        print_row("all", samples, counts, events[e].name);
        if (events[e].precise != 0)
            printf("exact addresses in %llu of %llu samples of %s\n", (unsigned long long)exact,
                   (unsigned long long)samples, events[e].name);
    }
    printf("lost %llu, throttled %llu, other records %llu; %llu bytes in %s\n",
           (unsigned long long)lost, (unsigned long long)throttled,
           (unsigned long long)other_records, (unsigned long long)data.end, output);
}

static void usage(void) {
    fprintf(
        stderr,
        "usage: perf-record [-a | -C CPUS] [-e EVENTS] [-c PERIOD] [-d] [-g] [-m PAGES] [-o FILE] "
        "[--] COMMAND ARGUMENT...\n");
    exit(2);
}

static char** options(char** at) {
    for (++at; *at != NULL && **at == '-'; ++at) {
        const char* option = *at;
        if (strcmp(option, "--") == 0) {
            ++at;
            break;
        } else if (strcmp(option, "-a") == 0) {
            all_cpus = true;
        } else if (strcmp(option, "-d") == 0) {
            addresses = true;
        } else if (strcmp(option, "-g") == 0) {
            chains = true;
        } else if (*++at == NULL) {
            usage();
        } else if (strcmp(option, "-C") == 0) {
            all_cpus = true;
            cpus_parse(*at, &selected);
        } else if (strcmp(option, "-e") == 0) {
            event_text = *at;
        } else if (strcmp(option, "-c") == 0) {
            period = number(*at, "-c");
        } else if (strcmp(option, "-m") == 0) {
            pages = number(*at, "-m");
        } else if (strcmp(option, "-o") == 0) {
            output = *at;
        } else {
            usage();
        }
    }
    if (*at == NULL || period == 0 || pages == 0 || (pages & (pages - 1)) != 0 || pages > 0x10000)
        usage();
    cpus_online(&cpus);
    if (selected.count == 0) selected = cpus;
    for (int i = 0; i < selected.count; ++i)
        if (!contains(&cpus, selected.cpu[i])) die("CPU %d is not online", selected.cpu[i]);
    event_count = 1 + events_parse(event_text, events + 1);
    return at;
}

// The attributes and identifiers of the file's header.
static void begin_data(void) {
    struct perf_data_event* header = allocate((size_t)event_count * sizeof *header);
    for (int e = 0; e < event_count; ++e) {
        u64* ids = allocate((size_t)cpus.count * sizeof *ids);
        u32 count = 0;
        for (int cpu = 0; cpu < cpus.count; ++cpu)
            if (source_of(e, cpu)->file >= 0) ids[count++] = source_of(e, cpu)->id;
        header[e] = (struct perf_data_event){events[e].name, attr_of(e), ids, count};
    }
    const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0) die_error(errno, "cannot open %s", output);
    perf_data_begin(&data, file, header, (u32)event_count);
}

int main(int argc, char** argv) {
    (void)argc;
    char** command = options(argv);
    sources = allocate((size_t)(event_count * cpus.count) * sizeof *sources);
    rings = allocate((size_t)cpus.count * sizeof *rings);

    struct command c = prepare_command(command);
    open_all(c.pid);
    begin_data();
    if (!tasks_write_kernel(&data, SAMPLE_ID))
        fprintf(stderr, "%s: the kernel does not tell its addresses\n", program);
    tasks_write(&data, SAMPLE_ID);
    signal(SIGINT, SIG_IGN);  // ends the command; what was recorded is kept
    if (all_cpus) switch_all(PERF_EVENT_IOC_ENABLE);
    release_command(&c);
    const int status = record_until_end(c.pid);

    struct perf_data_facts facts = {.command = argv};
    facts_read(&facts);
    perf_data_end(&data, &facts);
    print_counts();
    return status;
}
