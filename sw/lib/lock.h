// Atomic operations, a spinlock, a barrier. x86 keeps stores in order, so releasing is a plain
// store.
#ifndef KNC_SW_LIB_LOCK_H
#define KNC_SW_LIB_LOCK_H

#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/types.h"

// Adds `n`; returns the value before.
static inline u64 atomic_fetch_add(volatile u64* at, u64 n) {
    __asm__ volatile("lock xaddq %0, %1" : "+r"(n), "+m"(*at) : : "memory", "cc");
    return n;
}
static inline u32 atomic_exchange(volatile u32* at, u32 value) {
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*at) : : "memory");
    return value;
}
// Stores `desired` if *at equals `expected`; returns the value found.
static inline u64 atomic_compare_exchange(volatile u64* at, u64 expected, u64 desired) {
    __asm__ volatile("lock cmpxchgq %2, %1"
                     : "+a"(expected), "+m"(*at)
                     : "r"(desired)
                     : "memory", "cc");
    return expected;
}
// Orders all earlier accesses before all later ones; the core has no fence instructions.
static inline void memory_barrier(void) {
    __asm__ volatile("lock addl $0, (%%rsp)" : : : "memory", "cc");
}

// A counter on a cache line of its own.
struct counter {
    volatile u64 value;
} __attribute__((aligned(64)));

struct spinlock {
    volatile u32 held;
};

static inline void spin_lock(struct spinlock* lock) {
    while (atomic_exchange(&lock->held, 1) != 0) {
        while (lock->held != 0) platform_delay(64);
    }
}
static inline void spin_unlock(struct spinlock* lock) {
    __asm__ volatile("" : : : "memory");
    lock->held = 0;
}
// The same, with interrupts off while the lock is held.
static inline u64 spin_lock_irq(struct spinlock* lock) {
    const u64 flags = irq_save();
    spin_lock(lock);
    return flags;
}
static inline void spin_unlock_irq(struct spinlock* lock, u64 flags) {
    spin_unlock(lock);
    irq_restore(flags);
}

// A barrier for `members` threads; all zero but that.
struct barrier {
    volatile u64 arrived;
    volatile u64 round;
    u64 members;
};
// Returns when every member has called it as many times as the caller has.
static inline void barrier_wait(struct barrier* b) {
    const u64 round = b->round;
    if (atomic_fetch_add(&b->arrived, 1) + 1 == b->members) {
        b->arrived = 0;
        b->round = round + 1;
    } else {
        while (b->round == round) platform_delay(64);
    }
}

#endif
