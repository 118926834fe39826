// Writes perf.data, the file of perf record, as perf 6.1 reads it: header, attributes, records,
// features. Source: tools/perf/Documentation/perf.data-file-format.txt of Linux 6.1, and
// include/uapi/linux/perf_event.h. Left out: compression, pipes, traces of processors, groups.
#ifndef KNC_SW_LINUX_USER_PERF_DATA_H
#define KNC_SW_LINUX_USER_PERF_DATA_H

#include "sys.h"

// An event and the identifiers that its records carry, one for each file that counts it.
struct perf_data_event {
    const char* name;
    struct perf_event_attr attr;
    const u64* ids;
    u32 id_count;
};

// What the header says of the machine.
struct perf_data_facts {
    const char *hostname, *release, *version, *architecture, *cpu, *cpuid;
    u32 cpus_available, cpus_online;
    u64 memory_kilobytes;
    char** command;  // of the recording, NULL behind the last
    const u8* kernel_build_id;
    u32 kernel_build_id_size;  // 0: not known; at most 20
};

struct perf_data {
    int file;
    const struct perf_data_event* events;
    u32 event_count;
    u64 data_begin, end;  // offsets in the file; end is where the next byte goes
    u32 buffered;
    u8 buffer[16384];
};

// begin, any number of records, end. The file must be empty and allow seeking; errors end the
// program.
void perf_data_begin(struct perf_data* d, int file, const struct perf_data_event* events,
                     u32 count);
void perf_data_write(struct perf_data* d, const void* bytes, size_t size);
void perf_data_end(struct perf_data* d, const struct perf_data_facts* facts);

#endif
