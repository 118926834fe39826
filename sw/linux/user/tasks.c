#include "tasks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PATH 256

// A record under construction.
struct record {
    union {
        struct perf_event_header header;
        u8 bytes[1024];
    };
};
static void append(struct record* r, const void* bytes, size_t size) {
    memcpy(r->bytes + r->header.size, bytes, size);
    r->header.size = (u16)(r->header.size + size);
}
static struct record record_of(u32 type, u16 misc) {
    struct record r;
    memset(&r, 0, sizeof r);
    r.header.type = type;
    r.header.misc = misc;
    r.header.size = sizeof r.header;
    return r;
}
static void append_pair(struct record* r, i32 pid, i32 tid) {
    append(r, &pid, sizeof pid);
    append(r, &tid, sizeof tid);
}
// Text with its end, filled up to a multiple of 8; then the record is complete.
static void finish(struct perf_data* d, struct record* r, const char* text, size_t trailer) {
    const size_t length = strnlen(text, PATH - 1);
    append(r, text, length);
    r->header.size = (u16)((r->header.size + 8) / 8 * 8 + trailer);
    perf_data_write(d, r->bytes, r->header.size);
}

struct mapping {
    u64 start, size, offset;
    u32 major, minor;
    u64 inode, generation;
    u32 protection, flags;
};

// A line of /proc/PID/maps: START-END PERMISSIONS OFFSET MAJOR:MINOR INODE PATH
static bool parse_mapping(char* line, struct mapping* m, const char** path) {
    char* at;
    memset(m, 0, sizeof *m);
    m->start = strtoull(line, &at, 16);
    if (*at++ != '-') return false;
    m->size = strtoull(at, &at, 16) - m->start;
    if (*at++ != ' ' || strlen(at) < 5) return false;
    if (at[2] != 'x') return false;
    m->protection = (at[0] == 'r' ? PROT_READ : 0) | (at[1] == 'w' ? PROT_WRITE : 0) | PROT_EXEC;
    m->flags = at[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
    m->offset = strtoull(at + 5, &at, 16);
    m->major = (u32)strtoul(at, &at, 16);
    if (*at++ != ':') return false;
    m->minor = (u32)strtoul(at, &at, 16);
    m->inode = strtoull(at, &at, 10);
    while (*at == ' ') ++at;
    *path = *at != '\0' ? at : "//anon";
    return true;
}

static void write_mappings(struct perf_data* d, i32 pid, size_t trailer) {
    char path[64], line[PATH + 128];
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE* maps = fopen(path, "r");
    if (maps == NULL) return;  // the task has ended
    while (fgets(line, sizeof line, maps) != NULL) {
        struct mapping m;
        const char* name;
        line[strcspn(line, "\n")] = '\0';
        if (!parse_mapping(line, &m, &name)) continue;
        struct record r = record_of(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
        append_pair(&r, pid, pid);
        append(&r, &m, sizeof m);
        finish(d, &r, name, trailer);
    }
    fclose(maps);
}

static void write_name(struct perf_data* d, i32 pid, i32 tid, size_t trailer) {
    char path[64], name[32];
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", pid, tid);
    if (read_text(path, name, sizeof name) < 0) return;
    struct record r = record_of(PERF_RECORD_COMM, 0);
    append_pair(&r, pid, tid);
    finish(d, &r, name, trailer);
}

// Calls `visit` with each number among the names of a directory.
static void visit_numbers(struct perf_data* d, const char* path, i32 pid, size_t trailer,
                          void (*visit)(struct perf_data*, i32, i32, size_t)) {
    DIR* directory = opendir(path);
    if (directory == NULL) return;
    for (struct dirent* e; (e = readdir(directory)) != NULL;) {
        const int n = atoi(e->d_name);
        if (n > 0) visit(d, pid, n, trailer);
    }
    closedir(directory);
}

static void write_process(struct perf_data* d, i32 unused, i32 pid, size_t trailer) {
    (void)unused;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    visit_numbers(d, path, pid, trailer, write_name);
    write_mappings(d, pid, trailer);
}

void tasks_write(struct perf_data* d, size_t trailer) {
    visit_numbers(d, "/proc", 0, trailer, write_process);
}

// The address of _text. It is among the first symbols; to read all would take the kernel long.
static u64 kernel_start(void) {
    FILE* symbols = fopen("/proc/kallsyms", "r");
    char line[PATH];
    u64 start = 0;
    if (symbols == NULL) return 0;
    while (start == 0 && fgets(line, sizeof line, symbols) != NULL) {
        char* name;
        const u64 address = strtoull(line, &name, 16);
        if (strlen(name) > 3 && strcmp(name + 3, "_text\n") == 0) start = address;
    }
    fclose(symbols);
    return start;
}

// The length from _text to _etext, by the kernel's physical memory: "FIRST-LAST : Kernel code".
static u64 kernel_length(void) {
    FILE* memory = fopen("/proc/iomem", "r");
    char line[PATH];
    u64 length = 0;
    if (memory == NULL) return 0;
    while (length == 0 && fgets(line, sizeof line, memory) != NULL) {
        char* at;
        const u64 first = strtoull(line, &at, 16);
        if (strstr(line, " : Kernel code") != NULL && *at == '-')
            length = strtoull(at + 1, NULL, 16) + 1 - first;
    }
    fclose(memory);
    return length;
}

bool tasks_write_kernel(struct perf_data* d, size_t trailer) {
    const u64 start = kernel_start(), length = kernel_length();
    if (start == 0 || length <= 1) return false;
    struct record r = record_of(PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
    const u64 place[3] = {start, length, start};
    append_pair(&r, -1, 0);
    append(&r, place, sizeof place);
    finish(d, &r, "[kernel.kallsyms]_text", trailer);
    return true;
}
