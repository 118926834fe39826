// Writes a perf.data from the contents of two buffers as the kernel would leave them: recording
// FILE
//
// Events: the tracking event (identifiers 100, 101 for CPU 0, 1) and CPU_CLK_UNHALTED (200, 201),
// with call chains. Both buffers have 4096 bytes. In that of CPU 1 reading begins at 4040, so that
// a record lies across its end.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/user/events.h"
#include "linux/user/perf_data.h"
#include "linux/user/ring.h"

const char program[] = "recording";

#define SIZE 4096

struct buffer {
    struct perf_event_mmap_page control;
    u8 data[SIZE];
};

static void put(struct buffer* b, const void* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i)
        b->data[b->control.data_head++ % SIZE] = ((const u8*)bytes)[i];
}

// Ends each record that is no sample.
struct sample_id {
    u32 pid, tid;
    u64 time;
    u32 cpu, reserved;
    u64 id;
};

static void put_comm(struct buffer* b, u32 pid, u64 time) {
    struct {
        struct perf_event_header header;
        u32 pid, tid;
        char name[8];
        struct sample_id id;
    } r = {{PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof r},
           pid,
           pid,
           "busy",
           {pid, pid, time, 0, 0, 100}};
    put(b, &r, sizeof r);
}

static void put_mapping(struct buffer* b, u32 pid, u64 time) {
    struct {
        struct perf_event_header header;
        u32 pid, tid;
        u64 address, length, offset;
        u32 major, minor;
        u64 inode, generation;
        u32 protection, flags;
        char name[16];
        struct sample_id id;
    } r = {{PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof r},
           pid,
           pid,
           0x400000,
           0x2000,
           0,
           0,
           1,
           7,
           0,
           5,
           2,
           "/bin/busy",
           {pid, pid, time, 0, 0, 100}};
    put(b, &r, sizeof r);
}

static void put_sample(struct buffer* b, u64 id, u64 ip, u32 pid, u64 time, u32 cpu, u64 period) {
    struct {
        struct perf_event_header header;
        u64 id, ip;
        u32 pid, tid;
        u64 time;
        u32 cpu, reserved;
        u64 period, chain_length, chain[3];
    } r = {{PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof r},
           id,
           ip,
           pid,
           pid,
           time,
           cpu,
           0,
           period,
           3,
           {PERF_CONTEXT_USER, ip, 0x400100}};
    put(b, &r, sizeof r);
}

static void take(const struct perf_event_header* header, void* data) {
    perf_data_write(data, header, header->size);
}

int main(int argc, char** argv) {
    const int file = argc == 2 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
    if (file < 0) die("usage: recording FILE");
    static const u64 tracking_ids[] = {100, 101}, clock_ids[] = {200, 201};
    struct event events[EVENTS];
    events_parse("CPU_CLK_UNHALTED", events);
    struct perf_event_attr clocks = event_attr(&events[0]), tracking = clocks;
    tracking.type = PERF_TYPE_SOFTWARE;
    tracking.config = PERF_COUNT_SW_DUMMY;
    clocks.sample_period = 1000;
    tracking.sample_type = clocks.sample_type =
        PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
        PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
    tracking.sample_id_all = clocks.sample_id_all = 1;
    tracking.mmap = tracking.mmap2 = tracking.comm = tracking.task = 1;
    const struct perf_data_event described[] = {{"dummy", tracking, tracking_ids, 2},
                                                {events[0].name, clocks, clock_ids, 2}};

    static struct buffer buffers[2];
    put_comm(&buffers[0], 7, 1000000000);
    put_mapping(&buffers[0], 7, 1000001000);
    put_sample(&buffers[0], 200, 0x400200, 7, 1000002000, 0, 1000);
    put_sample(&buffers[0], 200, 0x400300, 7, 1000004000, 0, 1000);
    buffers[1].control.data_head = buffers[1].control.data_tail = 5 * SIZE + 4040;
    put_sample(&buffers[1], 201, 0x400208, 7, 1000003000, 1, 1000);  // 96 bytes, 40 behind the end
    put_sample(&buffers[1], 201, 0x400308, 7, 1000005000, 1, 1000);

    static struct perf_data data;
    perf_data_begin(&data, file, described, 2);
    for (int cpu = 0; cpu < 2; ++cpu) {
        struct ring r = {&buffers[cpu].control, buffers[cpu].data, SIZE};
        ring_drain(&r, take, &data);
        if (r.control->data_tail != r.control->data_head) die("records are left on CPU %d", cpu);
    }
    static const u8 build_id[20] = {0xAB, 0xCD};
    const struct perf_data_facts facts = {.hostname = "card",
                                          .release = "6.1.0-knc",
                                          .version = "6.1.0-knc",
                                          .architecture = "x86_64",
                                          .cpu = "0b/01",
                                          .cpuid = "GenuineIntel,11,1,2",
                                          .cpus_available = 8,
                                          .cpus_online = 2,
                                          .memory_kilobytes = 262144,
                                          .command = (char*[]){"perf-record", "busy", NULL},
                                          .kernel_build_id = build_id,
                                          .kernel_build_id_size = sizeof build_id};
    perf_data_end(&data, &facts);
    printf("%llu\n", (unsigned long long)data.end);
    return 0;
}
