// Interprocessor interrupts in every destination and delivery mode, to threads of several cores:
// compares the threads that receive them with those that should.
//
// Command line: last=ID (threads 0 to ID take part, at most 15, default 7).
#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/trap.h"

#define MOST 16
#define VECTOR 0x60
#define HIGHER_VECTOR 0x80
#define BROADCAST_VECTOR 0x90

static volatile u64 fixed[MOST], higher[MOST], nmis[MOST];  // by APIC ID
static volatile u32 last_vector[MOST];
static u32 threads, self;  // threads: APIC IDs 0 .. threads - 1
static volatile u32 logical_id[MOST], format[MOST], priority[MOST];
static volatile u64 round;  // the others set up their APICs when it changes
static volatile u64 ready;  // how often they have done so, all threads together
static volatile bool stop;

static u32 here(void) {
    return this_thread()->apic_id;
}
static void on_fixed(struct trap_frame* f) {
    (void)f;
    last_vector[here()] = VECTOR;
    atomic_fetch_add(&fixed[here()], 1);
    apic_eoi();
}
static void on_higher(struct trap_frame* f) {
    (void)f;
    last_vector[here()] = HIGHER_VECTOR;
    atomic_fetch_add(&higher[here()], 1);
    apic_eoi();
}
static void on_nmi(struct trap_frame* f) {
    (void)f;
    atomic_fetch_add(&nmis[here()], 1);
}

static void set_up(void) {
    const u32 id = here();
    apic_write(APIC_DFR, format[id]);
    apic_write(APIC_LDR, logical_id[id] << 16);
    apic_write(APIC_TPR, priority[id]);
}

static void receiver(struct thread* t) {
    (void)t;
    u64 done = 0;
    irq_enable();
    while (!stop) {
        if (round != done) {
            done = round;
            set_up();
            memory_barrier();
            atomic_fetch_add(&ready, 1);
        }
        platform_delay(50);
    }
    irq_disable();
}

// Sets up all APICs as the arrays say.
static void apply(void) {
    ready = 0;
    ++round;
    set_up();
    while (ready < threads - 1) platform_delay(50);
}

static void settle(void) {
    for (u32 i = 0; i < 12; ++i) platform_delay(500);
}

// Sends, and compares the set of receivers, as bits by APIC ID, with `expected`.
static void send_and_compare(int line, u32 destination, u32 command, u32 expected) {
    const bool nmi = (command & 0x700) == APIC_MODE_NMI;
    volatile u64* const counters = nmi ? nmis : fixed;
    u64 before[MOST];
    for (u32 id = 0; id < threads; ++id) before[id] = counters[id];
    apic_send(destination, command | APIC_ICR_ASSERT | (nmi ? 0 : VECTOR));
    settle();
    u32 got = 0;
    for (u32 id = 0; id < threads; ++id) {
        if (counters[id] == before[id]) continue;
        got |= 1u << id;
        CHECK_EQ(counters[id], before[id] + 1);
    }
    if (!check_equal(__FILE__, line, "receivers", got, expected))
        printf("  destination 0x%x command 0x%x\n", destination, command);
}
#define SEND(destination, command, expected) \
    send_and_compare(__LINE__, destination, command, expected)

static const u32 kinds[] = {APIC_MODE_FIXED, APIC_MODE_NMI};
static u32 everybody, others;

static void check_physical(void) {
    for (u32 k = 0; k < 2; ++k) {
        for (u32 id = 0; id < threads; ++id) SEND(id, kinds[k], 1u << id);
        SEND(threads + 20, kinds[k], 0);  // nobody
        SEND(0xFFFF, kinds[k], everybody);
        // Narrower broadcasts are IDs like any other.
        SEND(0xFF, kinds[k], 0);
    }
}

static void check_shorthands(void) {
    for (u32 k = 0; k < 2; ++k) {
        SEND(0, kinds[k] | APIC_ICR_SELF, 1u << self);
        SEND(0, kinds[k] | APIC_ICR_ALL, everybody);
        SEND(0, kinds[k] | APIC_ICR_OTHERS, others);
    }
}

// Flat model: one bit of sixteen for each thread.
static void check_flat(void) {
    for (u32 id = 0; id < threads; ++id) {
        format[id] = 0xFFFFFFFF;
        logical_id[id] = 1u << id;
    }
    apply();
    for (u32 k = 0; k < 2; ++k) {
        const u32 command = kinds[k] | APIC_ICR_LOGICAL;
        for (u32 id = 0; id < threads; ++id) SEND(1u << id, command, 1u << id);
        SEND(0x0005, command, 0x0005 & everybody);
        SEND(0x00AA, command, 0x00AA & everybody);
        SEND(0, command, 0);
        SEND(0xFFFF, command, everybody);
    }
    // Threads may share a bit and have several.
    for (u32 id = 0; id < threads; ++id) logical_id[id] = 0x8000 | (id % 2 == 0 ? 1 : 2);
    apply();
    SEND(0x8000, APIC_ICR_LOGICAL, everybody);
    SEND(0x0001, APIC_ICR_LOGICAL, 0x5555 & everybody);
    SEND(0x0002, APIC_ICR_LOGICAL, 0xAAAA & everybody);
    SEND(0x7FFC, APIC_ICR_LOGICAL, 0);
}

// Cluster model: a core is a cluster, its threads are the members.
static void check_cluster(void) {
    for (u32 id = 0; id < threads; ++id) {
        format[id] = 0x0FFFFFFF;
        logical_id[id] = (id / 4) << 4 | 1u << id % 4;
    }
    apply();
    for (u32 core = 0; core < threads / 4; ++core) {
        for (u32 members = 0; members < 16; ++members)
            SEND(core << 4 | members, APIC_ICR_LOGICAL, members << 4 * core);
    }
    SEND(0x7771, APIC_ICR_LOGICAL, 0);
    SEND(0xFFF1, APIC_ICR_LOGICAL, 0x1111 & everybody);
    SEND(0xFFFF, APIC_ICR_LOGICAL, everybody);
}

// Lowest priority: of the addressed threads, the one with the lowest priority receives.
static void check_lowest_priority(void) {
    const u32 command = APIC_MODE_LOWEST | APIC_ICR_LOGICAL;
    for (u32 id = 0; id < threads; ++id) {
        format[id] = 0xFFFFFFFF;
        logical_id[id] = 1u << id;
        priority[id] = 0x10 + 0x10 * (id % 4);
    }
    priority[2] = 0;
    apply();
    SEND(0xFFFF, command, 1u << 2);
    SEND(everybody & ~(1u << 2), command, 1u << 0);  // 0 and 4 alike: the lower ID
    SEND(0x000A, command, 1u << 1);
    SEND(0x0008, command, 1u << 3);
    priority[2] = 0x50;
    priority[threads - 1] = 0x05;
    apply();
    SEND(0xFFFF, command, 1u << (threads - 1));
    // Physical: to the one named.
    SEND(3, APIC_MODE_LOWEST, 1u << 3);
    // All others by shorthand: the boot thread is no candidate even with the lowest priority.
    for (u32 id = 0; id < threads; ++id) priority[id] = id == self ? 0 : 0x20;
    priority[5] = 0x10;
    apply();
    SEND(0, APIC_MODE_LOWEST | APIC_ICR_OTHERS, 1u << 5);
    for (u32 id = 0; id < threads; ++id) priority[id] = 0;
    apply();
}

// A task priority holds back interrupts that are not above it; they come later, highest first.
static void check_held_back(void) {
    const u32 to = threads - 1;
    priority[to] = 0x80;
    apply();
    const u64 before = fixed[to], before_higher = higher[to];
    apic_send_fixed(to, VECTOR);
    apic_send_fixed(to, VECTOR);  // merges with the request that waits
    apic_send_fixed(to, HIGHER_VECTOR);
    settle();
    CHECK_EQ(fixed[to], before);
    CHECK_EQ(higher[to], before_higher);
    priority[to] = 0x70;
    apply();
    settle();
    CHECK_EQ(higher[to], before_higher + 1);
    CHECK_EQ(fixed[to], before);
    priority[to] = 0;
    apply();
    settle();
    CHECK_EQ(fixed[to], before + 1);
    CHECK_EQ(higher[to], before_higher + 1);
    CHECK_EQ(last_vector[to], VECTOR);
}

// Many broadcasts in a row: every thread takes each of them.
static volatile u64 arrivals;
static void check_broadcasts(void) {
    const u64 before = arrivals;
    for (u32 i = 0; i < 20; ++i) {
        const u64 sum = arrivals;
        apic_send(0, APIC_MODE_FIXED | APIC_ICR_ASSERT | APIC_ICR_OTHERS | BROADCAST_VECTOR);
        for (u32 patience = 0; patience < 2000 && arrivals < sum + threads - 1; ++patience)
            platform_delay(50);
    }
    CHECK_EQ(arrivals, before + 20 * (threads - 1));
}
static void on_broadcast(struct trap_frame* f) {
    (void)f;
    atomic_fetch_add(&arrivals, 1);
    apic_eoi();
}

int main(void) {
    trap_set_handler(VECTOR, on_fixed);
    trap_set_handler(HIGHER_VECTOR, on_higher);
    trap_set_handler(BROADCAST_VECTOR, on_broadcast);
    trap_set_handler(TRAP_NMI, on_nmi);
    const u32 last = (u32)option_number("last", 7);
    self = apic_id();
    threads = last + 1;
    everybody = (1u << threads) - 1;
    others = everybody & ~(1u << self);
    for (u32 id = 0; id < threads; ++id) format[id] = 0xFFFFFFFF;
    if (!CHECK(last < MOST && last % 4 == 3 && last > 4 && self < threads)) return check_summary();
    if (!CHECK_EQ(thread_boot_range(0, last, receiver), last)) return check_summary();
    irq_enable();
    apply();
    check_physical();
    check_shorthands();
    check_flat();
    check_cluster();
    check_lowest_priority();
    check_held_back();
    check_broadcasts();
    stop = true;
    return check_summary();
}
