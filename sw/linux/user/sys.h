// What the programs need of the kernel beyond klibc, and how they fail. x86-64 only; builds with
// klibc for the card and with glibc for tests on the host.
#ifndef KNC_SW_LINUX_USER_SYS_H
#define KNC_SW_LINUX_USER_SYS_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "lib/types.h"

// The name that messages begin with; each program defines it.
extern const char program[];

// "PROGRAM: TEXT" on standard error, status 1. die_error() adds what the error number means.
void die(const char* format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void die_error(long error, const char* format, ...) __attribute__((noreturn, format(printf, 2, 3)));

void* allocate(size_t bytes);  // zeroed

// The whole of `text` as a number, decimal or with 0x; `what` is for the message if it is none.
u64 number(const char* text, const char* what);
u64 hex_number(const char* text, const char* what);
// a * b / c without overflow in between; the quotient must fit.
u64 multiply_divide(u64 a, u64 b, u64 c);

// Clocks in nanoseconds.
u64 now(void);

// A small file as text, without the line end; the result is its length, or -1. At most bytes - 1
// are read.
long read_text(const char* path, char* text, size_t bytes);

// A file, or a negative error number.
long perf_event_open(const struct perf_event_attr* attr, pid_t pid, int cpu, int group, u64 flags);
// CPU numbers, ascending.
#define CPUS 1024
struct cpu_list {
    int count;
    int cpu[CPUS];
};
// "0-3,7", as the kernel writes them.
void cpus_parse(const char* text, struct cpu_list* list);
void cpus_online(struct cpu_list* list);
int current_cpu(void);
// Sleeps while a word that processes share has this value, until futex_wake(); may return earlier.
void futex_wait(u32* word, u32 value);
// Wakes all that wait for the word to change.
void futex_wake(u32* word);
// Lets the calling process, and those that it starts, run on these only; a negative error number if
// it cannot.
long bind_to_cpus(const struct cpu_list* list);

// Starts a command that waits; release_command() lets it run.
struct command {
    pid_t pid;
    int go;
};
struct command prepare_command(char** arguments);
void release_command(struct command* c);
// Waits for the end: the exit status, or 128 and the signal's number.
int command_status(int wait_status);

#endif
