// The buffer that the kernel fills with records of perf_event_open, and its reader.
#ifndef KNC_SW_LINUX_USER_RING_H
#define KNC_SW_LINUX_USER_RING_H

#include "sys.h"

struct ring {
    struct perf_event_mmap_page* control;
    const u8* data;
    u64 size;  // of data, a power of two
};

// Calls `take` with each record that is there, whole even if it lies across the end of the buffer,
// and gives its place back to the kernel.
void ring_drain(struct ring* r, void (*take)(const struct perf_event_header*, void*),
                void* argument);

#endif
