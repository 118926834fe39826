// Page tables. The first 4 GB are mapped one to one, with access rights that can change for each
// 4 KB page; devices above them are mapped one to one on demand.
#ifndef KNC_SW_LIB_VM_H
#define KNC_SW_LIB_VM_H

#include "lib/types.h"

#define VM_PAGE 4096ul

#define VM_PRESENT 0x001ul
#define VM_WRITE 0x002ul
#define VM_USER 0x004ul
#define VM_UNCACHED 0x018ul
#define VM_ACCESSED 0x020ul
#define VM_DIRTY 0x040ul
#define VM_LARGE 0x080ul
#define VM_NO_EXECUTE (1ul << 63)

// Sets the rights of the image's regions as boot/image.ld lays them out. Called once at start.
void vm_init(void);
// Sets the rights of whole pages that touch [from, from + bytes): VM_PRESENT is implied unless
// `flags` is 0, which unmaps. Splits 2 MB pages where needed. False when memory for tables is short
// or the address is above 4 GB.
bool vm_protect(void* from, size_t bytes, u64 flags);
// The page table entry that maps `address` (of a 2 MB page: VM_LARGE is set); NULL above 4 GB.
u64* vm_entry(const void* address);
// Maps the 2 MB pages that touch [physical, physical + bytes), from 4 GB up, one to one: uncached,
// ring 0, no code. NULL when memory for tables is short or the address is below 4 GB.
volatile void* vm_map_device(u64 physical, size_t bytes);

#endif
