#include "perf_data.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MAGIC 0x32454C4946524550ull   // "PERFILE2"
#define TEXT_ALIGNMENT 64             // of strings in features
#define BUILD_ID_RECORD_SIZED 0x8000  // PERF_RECORD_MISC_BUILD_ID_SIZE

enum feature {
    BUILD_ID = 2,
    HOSTNAME = 3,
    OSRELEASE = 4,
    VERSION = 5,
    ARCH = 6,
    NRCPUS = 7,
    CPUDESC = 8,
    CPUID = 9,
    TOTAL_MEM = 10,
    CMDLINE = 11,
    EVENT_DESC = 12,
    FEATURES = 256
};

struct section {
    u64 offset, size;
};
struct attribute {
    struct perf_event_attr attr;
    struct section ids;
};
struct header {
    u64 magic, size, attribute_size;
    struct section attributes, data, event_types;
    u64 features[FEATURES / 64];
};

static void flush(struct perf_data* d) {
    for (u32 at = 0; at < d->buffered;) {
        const ssize_t written = write(d->file, d->buffer + at, d->buffered - at);
        if (written <= 0) die_error(errno, "cannot write the file");
        at += (u32)written;
    }
    d->buffered = 0;
}

void perf_data_write(struct perf_data* d, const void* bytes, size_t size) {
    const u8* from = bytes;
    d->end += size;
    while (size != 0) {
        const size_t space = sizeof d->buffer - d->buffered;
        const size_t part = size < space ? size : space;
        memcpy(d->buffer + d->buffered, from, part);
        d->buffered += (u32)part;
        from += part;
        size -= part;
        if (d->buffered == sizeof d->buffer) flush(d);
    }
}

static void write_u32(struct perf_data* d, u32 value) {
    perf_data_write(d, &value, sizeof value);
}

static void write_padding(struct perf_data* d, size_t size) {
    static const u8 zeros[TEXT_ALIGNMENT];
    perf_data_write(d, zeros, size);
}

// Text with its end, filled up to a multiple of TEXT_ALIGNMENT; returns that size.
static size_t text_space(const char* text) {
    return (strlen(text) + TEXT_ALIGNMENT) / TEXT_ALIGNMENT * TEXT_ALIGNMENT;
}
static void write_text_filled(struct perf_data* d, const char* text) {
    const size_t length = strlen(text);
    perf_data_write(d, text, length);
    write_padding(d, text_space(text) - length);
}
static void write_text(struct perf_data* d, const char* text) {
    write_u32(d, (u32)text_space(text));
    write_text_filled(d, text);
}

void perf_data_begin(struct perf_data* d, int file, const struct perf_data_event* events,
                     u32 count) {
    memset(d, 0, sizeof *d);
    d->file = file;
    d->events = events;
    d->event_count = count;
    write_padding(d, sizeof(struct header) - TEXT_ALIGNMENT);  // written at the end
    write_padding(d, TEXT_ALIGNMENT);
    u64 ids = sizeof(struct header) + count * sizeof(struct attribute);
    for (u32 i = 0; i < count; ++i) {
        const struct section at = {ids, events[i].id_count * sizeof(u64)};
        const struct attribute a = {events[i].attr, at};
        perf_data_write(d, &a, sizeof a);
        ids += at.size;
    }
    for (u32 i = 0; i < count; ++i)
        perf_data_write(d, events[i].ids, events[i].id_count * sizeof(u64));
    d->data_begin = d->end;
}

static void write_build_id(struct perf_data* d, const struct perf_data_facts* f) {
    static const char name[] = "[kernel.kallsyms]";
    struct {
        struct perf_event_header header;
        i32 pid;
        u8 id[20], size, reserved[3];
    } r = {.header = {.misc = PERF_RECORD_MISC_KERNEL | BUILD_ID_RECORD_SIZED}, .pid = -1};
    r.header.size = (u16)(sizeof r + text_space(name));
    r.size = (u8)f->kernel_build_id_size;
    memcpy(r.id, f->kernel_build_id, r.size);
    perf_data_write(d, &r, sizeof r);
    write_text_filled(d, name);
}

static void write_command(struct perf_data* d, char** command) {
    u32 count = 0;
    while (command[count] != NULL) ++count;
    write_u32(d, count);
    for (u32 i = 0; i < count; ++i) write_text(d, command[i]);
}

static void write_events(struct perf_data* d) {
    write_u32(d, d->event_count);
    write_u32(d, sizeof(struct perf_event_attr));
    for (const struct perf_data_event* e = d->events; e != d->events + d->event_count; ++e) {
        perf_data_write(d, &e->attr, sizeof e->attr);
        write_u32(d, e->id_count);
        write_text(d, e->name);
        perf_data_write(d, e->ids, e->id_count * sizeof(u64));
    }
}

static void write_feature(struct perf_data* d, enum feature feature,
                          const struct perf_data_facts* f) {
    switch (feature) {
        case BUILD_ID:
            write_build_id(d, f);
            break;
        case HOSTNAME:
            write_text(d, f->hostname);
            break;
        case OSRELEASE:
            write_text(d, f->release);
            break;
        case VERSION:
            write_text(d, f->version);
            break;
        case ARCH:
            write_text(d, f->architecture);
            break;
        case NRCPUS:
            write_u32(d, f->cpus_available);
            write_u32(d, f->cpus_online);
            break;
        case CPUDESC:
            write_text(d, f->cpu);
            break;
        case CPUID:
            write_text(d, f->cpuid);
            break;
        case TOTAL_MEM:
            perf_data_write(d, &f->memory_kilobytes, sizeof(u64));
            break;
        case CMDLINE:
            write_command(d, f->command);
            break;
        default:
            write_events(d);
            break;
    }
}

static void overwrite(struct perf_data* d, u64 at, const void* bytes, size_t size) {
    if (lseek(d->file, (off_t)at, SEEK_SET) < 0) die_error(errno, "cannot seek in the file");
    perf_data_write(d, bytes, size);
    flush(d);
}

void perf_data_end(struct perf_data* d, const struct perf_data_facts* f) {
    struct header h = {MAGIC, sizeof h, sizeof(struct attribute), {0}, {0}, {0}, {0}};
    h.attributes.offset = sizeof h;
    h.attributes.size = d->event_count * sizeof(struct attribute);
    h.data.offset = d->data_begin;
    h.data.size = d->end - d->data_begin;

    const enum feature first = f->kernel_build_id_size != 0 ? BUILD_ID : HOSTNAME;
    struct section sections[EVENT_DESC + 1];
    const u64 table = d->end;
    const size_t table_size = (EVENT_DESC + 1 - first) * sizeof *sections;
    for (size_t left = table_size; left != 0; left -= sizeof *sections)
        write_padding(d, sizeof *sections);
    for (enum feature i = first; i <= EVENT_DESC; ++i) {
        h.features[0] |= 1ull << i;
        sections[i].offset = d->end;
        write_feature(d, i, f);
        sections[i].size = d->end - sections[i].offset;
    }
    flush(d);
    const u64 end = d->end;
    overwrite(d, table, sections + first, table_size);
    overwrite(d, 0, &h, sizeof h);
    d->end = end;
}
