// Starts other hardware threads by INIT and SIPI. Each adds to a shared total, with and without a
// lock; then all meet at a barrier many times.
//
// Command line: first=ID last=ID (APIC IDs to start, default 0 to 7, the boot thread left out),
// rounds=N, phases=N. Exit code 0 when every thread has started and done its part.
#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/thread.h"

static volatile u64 total;
static volatile u64 finished;
static u64 plain;
static struct spinlock lock;
static u64 rounds, phases;
static struct barrier barrier;
static volatile u64 reached[MOST_THREADS];  // phase each thread is in, by index
static volatile u64 early;                  // threads seen in a phase before their time

// Between two barriers every thread is in the same phase.
static void walk_phases(u32 index) {
    for (u64 phase = 1; phase <= phases; ++phase) {
        reached[index] = phase;
        barrier_wait(&barrier);
        for (u64 i = 0; i < barrier.members; ++i)
            if (reached[i] != phase) atomic_fetch_add(&early, 1);
        barrier_wait(&barrier);
    }
}

static void work(struct thread* t) {
    for (u64 i = 0; i < rounds; ++i) {
        atomic_fetch_add(&total, 1);
        spin_lock(&lock);
        ++plain;
        spin_unlock(&lock);
    }
    printf("thread %u counted, APIC ID %u\n", t->index, t->apic_id);
    while (barrier.members == 0) platform_delay(1000);
    walk_phases(t->index);
    atomic_fetch_add(&finished, 1);
}

int main(void) {
    rounds = option_number("rounds", 100);
    phases = option_number("phases", 5);
    const u32 first = (u32)option_number("first", 0);
    const u32 last = (u32)option_number("last", 7);
    u64 started = 0;
    for (u32 id = first; id <= last; ++id) {
        if (id == apic_id()) continue;
        const struct thread* t = thread_boot(id, work);
        if (!CHECK(t != NULL)) {
            printf("no thread with APIC ID %u\n", id);
            continue;
        }
        CHECK_EQ(t->apic_id, id);
        ++started;
    }
    barrier.members = started + 1;
    walk_phases(0);
    while (finished < started) platform_delay(1000);
    printf("%lu threads started, total %lu\n", started, total);
    CHECK_EQ(total, started * rounds);
    CHECK_EQ(plain, started * rounds);
    CHECK_EQ(barrier.round, 2 * phases);
    CHECK_EQ(early, 0);
    return check_summary();
}
