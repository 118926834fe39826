// Allocation of memory that nobody frees: the part of the largest RAM region above the image.
#ifndef KNC_SW_LIB_HEAP_H
#define KNC_SW_LIB_HEAP_H

#include "lib/types.h"

// Takes the memory map (lib/boot_info.h); called once at start.
void heap_init(void);
// `alignment`: a power of two. NULL when memory is short. Contents are not cleared. Any thread.
void* heap_allocate(size_t bytes, size_t alignment);
size_t heap_free_bytes(void);

#endif
