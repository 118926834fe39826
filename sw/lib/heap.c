#include "lib/heap.h"

#include "lib/boot_info.h"
#include "lib/lock.h"

#define LIMIT 0xFEC00000ul

extern char image_end[];

static struct spinlock lock;
static u64 next;
static u64 end;

void heap_init(void) {
    for (unsigned i = 0; i < memory_regions(); ++i) {
        const struct memory_region r = memory_region(i);
        const u64 low = r.base > (u64)image_end ? r.base : (u64)image_end;
        const u64 high = r.base + r.length < LIMIT ? r.base + r.length : LIMIT;
        if (r.available && high > low && high - low > end - next) {
            next = low;
            end = high;
        }
    }
}

void* heap_allocate(size_t bytes, size_t alignment) {
    const u64 flags = spin_lock_irq(&lock);
    const u64 at = (next + alignment - 1) & ~(alignment - 1);
    const bool fits = at >= next && at <= end && bytes <= end - at;
    if (fits) next = at + bytes;
    spin_unlock_irq(&lock, flags);
    return fits ? (void*)at : NULL;
}

size_t heap_free_bytes(void) {
    return end - next;
}
