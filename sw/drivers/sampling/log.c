#include "drivers/sampling/log.h"

#include "lib/cpu.h"
#include "lib/thread.h"

struct sample_log_table knc_sample_logs;

void log_begin(struct sample_log* log) {
    if (log == NULL) return;
    const u32 id = this_thread()->apic_id;
    log->written = log->read = log->lost = log->stops = 0;
    log->full = false;
    log->thread = id;
    log->state = LOG_SAMPLING;
    // All threads write the same.
    knc_sample_logs.version = LOGS_VERSION;
    knc_sample_logs.record_size = sizeof(struct log_record);
    knc_sample_logs.chain = LOG_CHAIN;
    knc_sample_logs.threads = MOST_APIC_IDS;
    if (id < MOST_APIC_IDS) knc_sample_logs.log[id] = log;
    knc_sample_logs.magic = LOGS_MAGIC;
}

void log_end(struct sample_log* log) {
    if (log == NULL || log->state != LOG_SAMPLING) return;
    if (log->full) log->lost += rdtsc() - log->stopped_at;
    log->state = LOG_STOPPED;
}

// Bounds of the stack that the interrupted code uses. A chain never leaves them, so following it
// reads nothing but this thread's stack, whatever the registers contain.
struct bounds {
    u64 begin, end;
};
static struct bounds stack_of(const struct trap_frame* f) {
    const struct thread* t = this_thread();
    if (frame_cpl(f) == 3)
        return (struct bounds){t->user_stack_top - USER_STACK, t->user_stack_top};
    return (struct bounds){(u64)t + sizeof *t, (u64)t + THREAD_STACK_TOP};
}

static u32 follow(const struct trap_frame* f, u64 chain[LOG_CHAIN]) {
    const struct bounds stack = stack_of(f);
    u64 frame = f->rbp;
    u64 lowest = f->rsp > stack.begin ? f->rsp : stack.begin;
    u32 depth = 0;
    while (depth < LOG_CHAIN && frame % 8 == 0 && frame >= lowest && frame + 16 <= stack.end) {
        const u64* at = (const u64*)frame;
        chain[depth++] = at[1];
        // A caller's frame lies above: the chain ends.
        lowest = frame + 16;
        frame = at[0];
    }
    return depth;
}

void log_add(struct sample_log* log, const struct sample* s, u64 weight,
             const struct trap_frame* f) {
    if (log == NULL) {
        samples_add(s);
        return;
    }
    struct log_record* r = &log->records[log->written % log->capacity];
    r->sample = *s;
    r->weight = weight;
    r->reserved = 0;
    r->depth = follow(f, r->chain);
    // A reader on another thread sees the record before the number.
    __asm__ volatile("" : : : "memory");
    ++log->written;
}

static bool has_room(const struct sample_log* log) {
    return log->written - log->read + PMU_COUNTERS <= log->capacity;
}

bool log_make_room(struct sample_log* log) {
    if (log == NULL || has_room(log)) return true;
    if (log->full) return false;
    const u64 begin = rdtsc();
    if (log->drain != NULL) log->drain(log);
    if (has_room(log)) {
        log->lost += rdtsc() - begin;
        return true;
    }
    log->full = true;
    ++log->stops;
    log->stopped_at = begin;
    return false;
}

bool log_continue(struct sample_log* log) {
    if (log == NULL || !log->full || !has_room(log)) return false;
    log->full = false;
    log->lost += rdtsc() - log->stopped_at;
    return true;
}

bool log_take(struct sample_log* log, struct log_record* to) {
    if (log->read == log->written) return false;
    *to = log->records[log->read % log->capacity];
    __asm__ volatile("" : : : "memory");
    ++log->read;
    return true;
}
