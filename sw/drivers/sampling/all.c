#include "drivers/sampling/all.h"

#include "drivers/apic/apic.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/lock.h"
#include "lib/string.h"
#include "lib/trap.h"

#define ORDER_VECTOR 0xE3
#define PATIENCE 20000000ul
#define LINE 64

static struct sampling_all* volatile active;

static void start(struct sampling_member* m, const struct sampling_all* all) {
    if (all->events != NULL) event_sampling_start(&m->events);
    if (all->time != NULL) time_sampling_start(&m->time);
    if (all->session != NULL) pmu_session_start(&m->session);
}

static void stop(struct sampling_member* m, const struct sampling_all* all) {
    if (all->events != NULL) event_sampling_stop(&m->events);
    if (all->time != NULL) time_sampling_stop(&m->time);
    if (all->session != NULL) pmu_session_stop(&m->session);
}

// The calling thread does what the last call said; interrupts are off.
static void obey(void) {
    struct sampling_all* all = active;
    struct sampling_member* m = all->member[this_thread()->index];
    if (m == NULL || m->on == all->on) return;
    if (all->on) {
        start(m, all);
    } else {
        stop(m, all);
    }
    // A reader that sees the answer sees the results: stores remain in order.
    __asm__ volatile("" : : : "memory");
    m->on = all->on;
}

static void on_order(struct trap_frame* f) {
    (void)f;
    obey();
    apic_eoi();
}

static struct sampling_member* new_member(const struct sampling_all* all) {
    struct sampling_member* m = heap_allocate(sizeof *m, LINE);
    struct log_record* records = NULL;
    if (all->capacity != 0) records = heap_allocate(all->capacity * sizeof *records, LINE);
    struct pmu_count* counts = NULL;
    if (all->session != NULL) counts = heap_allocate(all->session->number * sizeof *counts, LINE);
    if (m == NULL || (all->capacity != 0 && records == NULL) ||
        (all->session != NULL && counts == NULL))
        return NULL;
    memset(m, 0, sizeof *m);
    m->log.records = records;
    m->session.counts = counts;
    return m;
}

// A copy of what every thread does.
static void prepare(struct sampling_member* m, const struct sampling_all* all, u32 apic_id) {
    m->apic_id = apic_id;
    m->log.capacity = all->capacity;
    m->log.drain = all->drain;
    if (all->events != NULL) {
        m->events = *all->events;
        m->events.log = &m->log;
    }
    if (all->time != NULL) {
        m->time = *all->time;
        m->time.log = &m->log;
    }
    if (all->session != NULL) {
        struct pmu_count* counts = m->session.counts;
        m->session = *all->session;
        m->session.counts = counts;
        for (u32 i = 0; i < all->session->number; ++i) counts[i] = all->session->counts[i];
    }
}

static bool make_members(struct sampling_all* all) {
    const u32 counts = all->session != NULL ? all->session->number : 0;
    const bool reusable = all->capacity <= all->records_room && counts <= all->counts_room;
    for (u32 i = 0; i < thread_count(); ++i) {
        const struct thread* t = thread_at(i);
        if (all->takes != NULL && !all->takes(t)) {
            all->member[i] = NULL;
            continue;
        }
        if (all->member[i] == NULL || !reusable) all->member[i] = new_member(all);
        if (all->member[i] == NULL) return false;
        if (!all->member[i]->on) prepare(all->member[i], all, t->apic_id);
    }
    if (!reusable) {
        all->records_room = all->capacity;
        all->counts_room = counts;
    }
    return true;
}

static u32 obeyed(const struct sampling_all* all) {
    u32 n = 0;
    for (u32 i = 0; i < MOST_THREADS; ++i)
        n += all->member[i] != NULL && all->member[i]->on == all->on;
    return n;
}

// Tells every member, and waits for the answers.
static u32 tell(struct sampling_all* all, bool on) {
    const u64 flags = irq_save();
    active = all;
    all->on = on;
    obey();
    irq_restore(flags);
    u32 members = 0;
    for (u32 i = 0; i < MOST_THREADS; ++i) {
        const struct sampling_member* m = all->member[i];
        if (m == NULL) continue;
        ++members;
        if (m->on != on) apic_send_fixed(m->apic_id, ORDER_VECTOR);
    }
    const u64 patience = all->patience != 0 ? all->patience : PATIENCE;
    const u64 begin = rdtsc();
    while (obeyed(all) != members && rdtsc() - begin < patience) platform_delay(1000);
    return obeyed(all);
}

u32 sampling_all_start(struct sampling_all* all) {
    if (!make_members(all)) return 0;
    trap_set_handler(ORDER_VECTOR, on_order);
    return tell(all, true);
}

u32 sampling_all_stop(struct sampling_all* all) {
    return tell(all, false);
}
