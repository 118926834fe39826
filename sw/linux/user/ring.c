#include "ring.h"

#include <string.h>

static void copy_out(const struct ring* r, u64 at, void* to, size_t size) {
    const u64 offset = at & (r->size - 1);
    const u64 first = size < r->size - offset ? size : r->size - offset;
    memcpy(to, r->data + offset, first);
    memcpy((u8*)to + first, r->data, size - first);
}

void ring_drain(struct ring* r, void (*take)(const struct perf_event_header*, void*),
                void* argument) {
    static union {
        struct perf_event_header header;
        u8 bytes[65536];
    } whole;
    // The kernel writes a record, then the head; on x86 loads are not reordered with each other,
    // nor a store with an earlier load.
    const u64 head = __atomic_load_n(&r->control->data_head, __ATOMIC_ACQUIRE);
    u64 tail = r->control->data_tail;
    while (tail != head) {
        struct perf_event_header header;
        copy_out(r, tail, &header, sizeof header);
        if (header.size < sizeof header || header.size > head - tail)
            die("the kernel's buffer has a record of %u bytes", header.size);
        copy_out(r, tail, whole.bytes, header.size);
        take(&whole.header, argument);
        tail += header.size;
    }
    __atomic_store_n(&r->control->data_tail, tail, __ATOMIC_RELEASE);
}
