// Kernels of the caches: 4 lines, every other one, so that no stream of misses begins.
#include "tests/event_matrix/frame.inc"

#define LOAD(at) movl at(%rsi), %eax;
#define STORE(at) movl %eax, at(%rsi);
#define LEA(at) leal at(%rsi), %eax;
#define NEXT_LOAD(at) movl at + 0x40(%rsi), %eax;
#define PREFETCH0(at) vprefetch0 at(%rsi);
#define PREFETCH1(at) vprefetch1 at(%rsi);
#define PREFETCH2(at) vprefetch2 at(%rsi);
#define EVICT0(at) clevict0 at(%rsi);
#define EVICT1(at) clevict1 at(%rsi);

    .section .text.event_matrix, "ax"

    KERNEL(loads)
    LINES(LOAD)
    END

    KERNEL(stores)
    LINES(STORE)
    END

// The lines have arrived at the end.
    KERNEL(stores_and_wait)
    LINES(STORE)
    delay %r14
    END

#define LOAD_STORE(at) LOAD(at) STORE(at + 4)
    KERNEL(loads_and_stores)
    LINES(LOAD_STORE)
    END

// Two lines each.
    KERNEL(loads_or_stores)
    LOAD(0x000) LOAD(0x080) STORE(0x100) STORE(0x180)
    END

    KERNEL(addresses)
    LINES(LEA)
    END

    KERNEL(prefetch0)
    LINES(PREFETCH0)
    END

    KERNEL(prefetch1)
    LINES(PREFETCH1)
    END

    KERNEL(prefetch2)
    LINES(PREFETCH2)
    END

#define TWICE(at) PREFETCH0(at) PREFETCH0(at)
    KERNEL(prefetch0_twice)
    LINES(TWICE)
    END

#define PREFETCH0_LOAD(at) PREFETCH0(at) LOAD(at)
    KERNEL(prefetch0_load)
    LINES(PREFETCH0_LOAD)
    END

#define PREFETCH0_NEXT(at) PREFETCH0(at) NEXT_LOAD(at)
    KERNEL(prefetch0_load_next)
    LINES(PREFETCH0_NEXT)
    END

#define PREFETCH1_LOAD(at) PREFETCH1(at) LOAD(at)
    KERNEL(prefetch1_load)
    LINES(PREFETCH1_LOAD)
    END

#define PREFETCH2_LOAD(at) PREFETCH2(at) LOAD(at)
    KERNEL(prefetch2_load)
    LINES(PREFETCH2_LOAD)
    END

    KERNEL(evict0)
    LINES(EVICT0)
    END

    KERNEL(evict1)
    LINES(EVICT1)
    END

// Neighbours: the second miss makes the stream prefetcher ask for the next 4 lines.
    KERNEL(stream)
    LOAD(0x00) LOAD(0x40)
    END

    KERNEL(no_stream)
    LOAD(0x00) LOAD(0x80)
    END

// 2000 clocks, in which another tile acts.
    KERNEL(pause)
    delay %r14
    delay %r14
    END

// In clock r13, or a constant number of clocks later.
    KERNEL(load_at_target)
    rdtsc
    movl %r13d, %ecx
    subl %eax, %ecx
    delay %rcx
    movl (%rsi), %eax
    END

    KERNEL(evict0_at_target)
    rdtsc
    movl %r13d, %ecx
    subl %eax, %ecx
    delay %rcx
    clevict0 (%rsi)
    delay %r14
    END

    .section .note.GNU-stack, "", @progbits
