// TLB walks: loads from lines that lie a page apart, so that each needs a translation of its own.
// The same pattern is read with 4 KB pages and with 2 MB pages.
//
// Command line: few=N (pages that the first level of the data TLB holds, default 32), many=N (pages
// that it does not hold, default 512), large=N (2 MB pages that the second level does not hold,
// default 80). Each part is read once before it counts. The loads are at ring 3. Marks 1 and 2: few
// 4 KB pages; 3 and 4: many 4 KB pages; 5 and 6: as many lines, at the same distances, in 2 MB
// pages; 7 and 8: lines in 2 MB pages of their own.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/user.h"
#include "lib/vm.h"

#define LARGE_PAGE (2ul << 20)
#define LINE 64ul

static USER_BSS u64 array, pages, distance;

// Line n of page n, so that the lines lie in different sets of the caches.
static u64 walk(u64 unused) {
    for (u64 p = 0; p < pages; ++p)
        (void)*(const volatile u64*)(array + p * distance + p % (VM_PAGE / LINE) * LINE);
    return unused;
}

static u64 measure(u64 number, u32 first_mark) {
    pages = number;
    user_call(walk, 0);
    platform_marker(first_mark);
    const u64 begin = rdtsc();
    user_call(walk, 0);
    const u64 clocks = rdtsc() - begin;
    platform_marker(first_mark + 1);
    printf("%lu pages: %lu clocks\n", number, clocks);
    return clocks;
}

int main(void) {
    const u64 few = option_number("few", 32), many = option_number("many", 512);
    const u64 large_pages = option_number("large", 80);
    const u64 bytes = large_pages * LARGE_PAGE;
    u8* const large = heap_allocate(bytes, LARGE_PAGE);
    u8* const small = heap_allocate(many * VM_PAGE, VM_PAGE);
    if (!CHECK(large != NULL && small != NULL && many * VM_PAGE <= bytes)) return check_summary();
    CHECK(vm_protect(small, many * VM_PAGE, VM_USER | VM_WRITE));
    for (u8* p = large; p != large + bytes; p += LARGE_PAGE) {
        *vm_entry(p) |= VM_USER;
        invlpg(p);
    }
    array = (u64)small;
    distance = VM_PAGE;
    measure(few, 1);
    const u64 slow = measure(many, 3);
    array = (u64)large;
    CHECK(measure(many, 5) < slow);
    distance = LARGE_PAGE;
    measure(large_pages, 7);
    return check_summary();
}
