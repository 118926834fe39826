#include "lib/vm.h"

#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/string.h"

#define FRAME 0x000FFFFFFFFFF000ul
#define LARGE_PAGE 0x200000ul
#define LIMIT (4ul << 30)

extern u64 boot_pml4[512], boot_pdpt[512], boot_pd[4 * 512];
extern char shared_end[], user_start[], user_end[];

// Replaces the 2 MB entry by a table of 512 pages with the same rights.
static bool split(u64* large) {
    u64* pages = heap_allocate(VM_PAGE, VM_PAGE);
    if (pages == NULL) return false;
    const u64 rights = *large & (FRAME ^ ~VM_LARGE);
    const u64 base = *large & FRAME & ~(LARGE_PAGE - 1);
    for (u64 i = 0; i < 512; ++i) pages[i] = (base + i * VM_PAGE) | rights;
    // Rights are the intersection over the levels: the table grants all, the pages restrict.
    *large = (u64)pages | VM_PRESENT | VM_WRITE | VM_USER;
    return true;
}

u64* vm_entry(const void* address) {
    const u64 a = (u64)address;
    if (a >= LIMIT) return NULL;
    u64* large = &boot_pd[a / LARGE_PAGE];
    if ((*large & VM_LARGE) != 0) return large;
    return (u64*)(*large & FRAME) + a / VM_PAGE % 512;
}

bool vm_protect(void* from, size_t bytes, u64 flags) {
    if (bytes == 0) return true;
    const u64 first = (u64)from & ~(VM_PAGE - 1);
    const u64 end = (u64)from + bytes;
    if (end > LIMIT) return false;
    for (u64 a = first; a < end; a += VM_PAGE) {
        u64* large = &boot_pd[a / LARGE_PAGE];
        if ((*large & VM_LARGE) != 0 && !split(large)) return false;
        *vm_entry((void*)a) = a | (flags != 0 ? flags | VM_PRESENT : 0);
        invlpg((void*)a);
    }
    return true;
}

// The table `entry` points at; an empty one if there was none.
static u64* next_level(u64* entry) {
    if ((*entry & VM_PRESENT) == 0) {
        u64* table = heap_allocate(VM_PAGE, VM_PAGE);
        if (table == NULL) return NULL;
        memset(table, 0, VM_PAGE);
        *entry = (u64)table | VM_PRESENT | VM_WRITE;
    }
    return (u64*)(*entry & FRAME);
}

volatile void* vm_map_device(u64 physical, size_t bytes) {
    if (physical < LIMIT) return NULL;
    for (u64 a = physical & ~(LARGE_PAGE - 1); a < physical + bytes; a += LARGE_PAGE) {
        u64* const pdpt = next_level(&boot_pml4[a >> 39 & 511]);
        u64* const pd = pdpt != NULL ? next_level(&pdpt[a >> 30 & 511]) : NULL;
        if (pd == NULL) return NULL;
        pd[a / LARGE_PAGE & 511] =
            a | VM_PRESENT | VM_WRITE | VM_LARGE | VM_UNCACHED | VM_NO_EXECUTE;
    }
    return (volatile void*)physical;
}

void vm_init(void) {
    char* const image = (char*)0x100000;
    // Upper levels grant ring 3 what the pages grant it.
    boot_pml4[0] |= VM_USER;
    for (int i = 0; i < 4; ++i) boot_pdpt[i] |= VM_USER;
    vm_protect(image, (size_t)(shared_end - image), VM_USER);
    vm_protect(user_start, (size_t)(user_end - user_start), VM_USER | VM_WRITE);
}
