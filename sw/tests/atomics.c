// Locked instructions and XCHG between the threads of several cores: no update is lost or made
// twice.
//
// Command line: first=ID last=ID (threads that take part, default 0 to 7, beside the boot thread),
// rounds=N, uncached=1 (the counters may not be cached).
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/thread.h"
#include "lib/vm.h"

static u64 rounds;
static struct barrier barrier;

// One counter for each kind of instruction.
static struct {
    volatile u8 xadd8;
    volatile u16 xadd16;
    volatile u32 xadd32;
    volatile u64 xadd64, inc, dec, add, sub, adc, cmpxchg, flip, negations;
    volatile u64 cmpxchg8b __attribute__((aligned(8)));
    u8 lines[128] __attribute__((aligned(64)));
} __attribute__((aligned(VM_PAGE))) counters;
#define SPLIT (*(volatile u64*)(counters.lines + 60))  // lies in two cache lines

#define LOCKED(operation, memory, operand) \
    __asm__ volatile("lock " operation : "+m"(memory) : "er"((u64)(operand)) : "cc")

static void count(void) {
    u8 one8 = 1;
    u16 one16 = 1;
    u32 one32 = 1;
    __asm__ volatile("lock xaddb %0, %1" : "+q"(one8), "+m"(counters.xadd8) : : "cc");
    __asm__ volatile("lock xaddw %0, %1" : "+r"(one16), "+m"(counters.xadd16) : : "cc");
    __asm__ volatile("lock xaddl %0, %1" : "+r"(one32), "+m"(counters.xadd32) : : "cc");
    atomic_fetch_add(&counters.xadd64, 3);
    __asm__ volatile("lock incq %0" : "+m"(counters.inc) : : "cc");
    __asm__ volatile("lock decq %0" : "+m"(counters.dec) : : "cc");
    LOCKED("addq %1, %0", counters.add, 5);
    LOCKED("subq %1, %0", counters.sub, 7);
    __asm__ volatile("stc\n\tlock adcq $1, %0" : "+m"(counters.adc) : : "cc");
    LOCKED("addq %1, %0", SPLIT, 1);
    u64 seen = counters.cmpxchg;
    for (;;) {
        const u64 found = atomic_compare_exchange(&counters.cmpxchg, seen, seen + 1);
        if (found == seen) break;
        seen = found;
    }
    u64 old = counters.cmpxchg8b;
    u8 done = 0;
    while (!done) {
        const u64 next = old + 0x100000001;
        u32 low = (u32)old, high = (u32)(old >> 32);
        __asm__ volatile("lock cmpxchg8b %2\n\tsete %3"
                         : "+a"(low), "+d"(high), "+m"(counters.cmpxchg8b), "=qm"(done)
                         : "b"((u32)next), "c"((u32)(next >> 32))
                         : "cc");
        old = (u64)high << 32 | low;
    }
    // The bit ends as 1 if the number of threads times rounds is odd, else as 0.
    LOCKED("xorq %1, %0", counters.flip, 1);
    __asm__ volatile("lock negq %0" : "+m"(counters.negations) : : "cc");
}

// Threads claim bits by BTS and give them back by BTR: each bit belongs to one thread at a time.
#define BITS 64
static volatile u64 bitmap;
static volatile u32 owners[BITS];
static volatile u64 conflicts, claims;

static void claim(u32 self, u64 round) {
    const u64 bit = (self * 7 + round * 13) % BITS;
    u8 taken, held;
    __asm__ volatile("lock btsq %2, %0\n\tsetc %1" : "+m"(bitmap), "=qm"(taken) : "r"(bit) : "cc");
    if (taken) return;
    if (atomic_exchange(&owners[bit], self + 1) != 0) atomic_fetch_add(&conflicts, 1);
    atomic_fetch_add(&claims, 1);
    if (atomic_exchange(&owners[bit], 0) != self + 1) atomic_fetch_add(&conflicts, 1);
    __asm__ volatile("lock btrq %2, %0\n\tsetc %1" : "+m"(bitmap), "=qm"(held) : "r"(bit) : "cc");
    if (!held) atomic_fetch_add(&conflicts, 1);
}

// Every thread starts with a token of its own and swaps it with slots by XCHG: none is lost or
// doubled.
#define SLOTS 16
static volatile u32 slots[SLOTS];
static u32 tokens[MOST_THREADS];

static void swap_tokens(u32 self) {
    u32 token = 1000 + self;
    for (u64 i = 0; i < rounds; ++i) token = atomic_exchange(&slots[(self + i * 5) % SLOTS], token);
    tokens[self] = token;
}

static struct spinlock lock;
static u64 guarded[4];

static void work(struct thread* t) {
    while (barrier.members == 0) platform_delay(100);
    barrier_wait(&barrier);
    for (u64 i = 0; i < rounds; ++i) {
        count();
        claim(t->index, i);
        spin_lock(&lock);
        for (u32 n = 0; n < 4; ++n) ++guarded[n];
        spin_unlock(&lock);
    }
    swap_tokens(t->index);
    barrier_wait(&barrier);
}

static void check_tokens(u64 threads) {
    u64 sum = 0, empty = 0;
    u64 expected = 0;
    for (u64 i = 0; i < threads; ++i) {
        sum += tokens[i];
        empty += tokens[i] == 0;
        expected += 1000 + i;
    }
    for (u32 i = 0; i < SLOTS; ++i) {
        sum += slots[i];
        empty += slots[i] == 0;
    }
    CHECK_EQ(sum, expected);
    CHECK_EQ(empty, SLOTS);
}

int main(void) {
    rounds = option_number("rounds", 200);
    const u32 first = (u32)option_number("first", 0);
    const u32 last = (u32)option_number("last", 7);
    if (option_number("uncached", 0) != 0)
        CHECK(vm_protect(&counters, sizeof counters, VM_WRITE | VM_UNCACHED));
    counters.negations = 1;
    const u32 started = thread_boot_range(first, last, work);
    CHECK(started > 0);
    barrier.members = started + 1;
    work(this_thread());
    const u64 n = barrier.members * rounds;
    printf("%lu threads, %lu of each operation\n", barrier.members, n);
    CHECK_EQ(counters.xadd8, n & 0xFF);
    CHECK_EQ(counters.xadd16, n & 0xFFFF);
    CHECK_EQ(counters.xadd32, n);
    CHECK_EQ(counters.xadd64, 3 * n);
    CHECK_EQ(counters.inc, n);
    CHECK_EQ(counters.dec, -n);
    CHECK_EQ(counters.add, 5 * n);
    CHECK_EQ(counters.sub, -7 * n);
    CHECK_EQ(counters.adc, 2 * n);
    CHECK_EQ(SPLIT, n);
    CHECK_EQ(counters.cmpxchg, n);
    CHECK_EQ(counters.cmpxchg8b, n << 32 | n);
    CHECK_EQ(counters.flip, n & 1);
    CHECK_EQ(counters.negations, n & 1 ? -1ul : 1);
    CHECK_EQ(guarded[0], n);
    CHECK_EQ(guarded[3], n);
    CHECK_EQ(conflicts, 0);
    CHECK_EQ(bitmap, 0);
    CHECK_RANGE(claims, n / 4, n);
    check_tokens(barrier.members);
    return check_summary();
}
