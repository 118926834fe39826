// Starts other hardware threads by INIT and SIPI; each counts to a shared total and says who it is.
//
// Command line: first=ID last=ID (APIC IDs to start, default 0 to 7, the boot thread left out),
// rounds=N. Exit code 0 when every thread that started has done its rounds and none is missing.
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
static u64 rounds;

static void count(struct thread* t) {
    for (u64 i = 0; i < rounds; ++i) {
        atomic_fetch_add(&total, 1);
        spin_lock(&lock);
        ++plain;
        spin_unlock(&lock);
    }
    printf("thread %u done, APIC ID %u\n", t->index, t->apic_id);
    atomic_fetch_add(&finished, 1);
}

int main(void) {
    rounds = option_number("rounds", 100);
    const u32 first = (u32)option_number("first", 0);
    const u32 last = (u32)option_number("last", 7);
    u64 started = 0;
    for (u32 id = first; id <= last; ++id) {
        if (id == apic_id()) continue;
        const struct thread* t = thread_boot(id, count);
        if (!CHECK(t != NULL)) {
            printf("no thread with APIC ID %u\n", id);
            continue;
        }
        CHECK_EQ(t->apic_id, id);
        ++started;
    }
    while (finished < started) platform_delay(1000);
    printf("%lu threads started, total %lu\n", started, total);
    CHECK_EQ(total, started * rounds);
    CHECK_EQ(plain, started * rounds);
    return check_summary();
}
