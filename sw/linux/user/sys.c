#include "sys.h"

#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long system_call(long n, long a, long b, long c, long d, long e) {
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}

void die(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s: ", program);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    exit(1);
}

void die_error(long error, const char* format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    die("%s: %s", text, strerror((int)(error < 0 ? -error : error)));
}

void* allocate(size_t bytes) {
    void* memory = calloc(1, bytes);
    if (memory == NULL) die("out of memory");
    return memory;
}

static u64 number_of_base(const char* text, const char* what, int base) {
    char* end;
    errno = 0;
    const u64 value = strtoull(text, &end, base);
    if (*text == '\0' || *text == '-' || *end != '\0' || errno != 0)
        die("%s is no number: %s", what, text);
    return value;
}
u64 number(const char* text, const char* what) {
    return number_of_base(text, what, 0);
}
u64 hex_number(const char* text, const char* what) {
    return number_of_base(text, what, 16);
}

u64 multiply_divide(u64 a, u64 b, u64 c) {
    u64 low = a, high = b;
    __asm__("mulq %1" : "+a"(low), "+d"(high));
    __asm__("divq %2" : "+a"(low), "+d"(high) : "r"(c));
    return low;
}

u64 now(void) {
    struct {
        i64 seconds, nanoseconds;
    } t;
    const long monotonic = 1;
    system_call(__NR_clock_gettime, monotonic, (long)&t, 0, 0, 0);
    return (u64)t.seconds * 1000000000u + (u64)t.nanoseconds;
}

long read_text(const char* path, char* text, size_t bytes) {
    const int file = open(path, O_RDONLY);
    if (file < 0) return -1;
    size_t used = 0;
    for (;;) {
        const ssize_t got = read(file, text + used, bytes - 1 - used);
        if (got <= 0) break;
        used += (size_t)got;
    }
    close(file);
    while (used != 0 && text[used - 1] == '\n') --used;
    text[used] = '\0';
    return (long)used;
}

long perf_event_open(const struct perf_event_attr* attr, pid_t pid, int cpu, int group, u64 flags) {
    return system_call(__NR_perf_event_open, (long)attr, pid, cpu, group, (long)flags);
}

long bind_to_cpus(const struct cpu_list* list) {
    u64 mask[CPUS / 64] = {0};
    for (int i = 0; i < list->count; ++i) mask[list->cpu[i] / 64] |= 1ull << list->cpu[i] % 64;
    return system_call(__NR_sched_setaffinity, 0, sizeof mask, (long)mask, 0, 0);
}

void futex_wait(u32* word, u32 value) {
    system_call(__NR_futex, (long)word, FUTEX_WAIT, (long)value, 0, 0);
}

void futex_wake(u32* word) {
    system_call(__NR_futex, (long)word, FUTEX_WAKE, INT_MAX, 0, 0);
}

int current_cpu(void) {
    u32 cpu = 0;
    system_call(__NR_getcpu, (long)&cpu, 0, 0, 0, 0);
    return (int)cpu;
}

void cpus_parse(const char* text, struct cpu_list* list) {
    list->count = 0;
    const char* at = text;
    for (;; ++at) {
        char* end;
        const unsigned long first = strtoul(at, &end, 10);
        bool good = end != at;
        unsigned long last = first;
        if (*end == '-') {
            at = end + 1;
            last = strtoul(at, &end, 10);
            good = good && end != at;
        }
        if (!good || last < first || last >= CPUS || (*end != ',' && *end != '\0'))
            die("no list of CPUs: %s", text);
        for (unsigned long cpu = first; cpu <= last; ++cpu) {
            if (list->count != 0 && list->cpu[list->count - 1] >= (int)cpu)
                die("CPUs must be in ascending order: %s", text);
            list->cpu[list->count++] = (int)cpu;
        }
        at = end;
        if (*at == '\0') return;
    }
}

void cpus_online(struct cpu_list* list) {
    char text[4096];
    if (read_text("/sys/devices/system/cpu/online", text, sizeof text) <= 0)
        die("cannot read /sys/devices/system/cpu/online");
    cpus_parse(text, list);
}

struct command prepare_command(char** arguments) {
    int ends[2];
    if (pipe(ends) != 0) die_error(errno, "pipe");
    fflush(stdout);
    struct command c = {fork(), ends[1]};
    if (c.pid < 0) die_error(errno, "fork");
    if (c.pid != 0) {
        close(ends[0]);
        return c;
    }
    char go;
    close(ends[1]);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    if (read(ends[0], &go, 1) == 1) {
        execvp(arguments[0], arguments);
        fprintf(stderr, "%s: cannot execute %s: %s\n", program, arguments[0], strerror(errno));
    }
    _exit(127);
}

void release_command(struct command* c) {
    if (write(c->go, "", 1) != 1) die_error(errno, "cannot start the command");
    close(c->go);
}

int command_status(int wait_status) {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}
