// The memory of the kernels, and what is done to it before one runs.
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/platform.h"
#include "lib/vm.h"
#include "tests/event_matrix/matrix.h"

#define PAGE_LINES 64
#define LINE 64u
#define STEP 0x80u  // frame.inc, LINES
#define STEPS 4
#define PAGE_STEP 0x1000u  // frame.inc, PAGES

#define CODE_SETS 8u  // of the TLB for code

static u8* memory;

// The threads of a core share the TLB for code: the pages to jump to, in 4 sets, must not take the
// place of the two kernels that are running meanwhile, which are in one page or two neighbours.
u64 memory_at(u32 area) {
    u64 at = (u64)memory + area;
    if (area == AREA_CODE_PAGES)
        at += ((u64)kernel_visit_pages / VM_PAGE + 2) % CODE_SETS * VM_PAGE;
    return at;
}

bool memory_init(void) {
    memory = heap_allocate(2 * REGION, REGION);
    if (memory == NULL || !vm_protect(memory, 2 * REGION, VM_USER | VM_WRITE)) return false;
    // jmp *%rdi
    for (u64 at = 0; at < 2 * REGION; at += REGION)
        for (u64 line = AREA_CODE; line < AREA_OTHER_TILE + 0x8000; line += LINE)
            *(u16*)(memory + at + line) = 0xE7FF;
    u8* const uncached = memory + AREA_UNCACHED;
    return vm_protect(uncached, VM_PAGE, VM_USER | VM_WRITE | VM_UNCACHED);
}

static void load(u64 at) {
    (void)*(volatile u32*)at;
}
static void store(u64 at) {
    *(volatile u32*)at = 0;
}
static void evict0(u64 at) {
    __asm__ volatile("clevict0 (%0)" : : "r"(at) : "memory");
}
static void evict1(u64 at) {
    __asm__ volatile("clevict1 (%0)" : : "r"(at) : "memory");
}
static void prefetch1(u64 at) {
    __asm__ volatile("vprefetch1 (%0)" : : "r"(at) : "memory");
}

// No fill, eviction or write takes as long.
static void settle(void) {
    platform_delay(1000);
}

static void each_line(u64 at, void (*fn)(u64)) {
    for (u32 i = 0; i < STEPS; ++i) fn(at + i * STEP);
    settle();
}

void prepare_absent(u64 at) {
    for (u32 i = 0; i < PAGE_LINES; ++i) {
        evict1(at + i * LINE);
        if (i % 32 == 31) settle();
    }
}

void prepare_in_l1(u64 at) {
    prepare_absent(at);
    each_line(at, load);
}

void prepare_in_l2(u64 at) {
    prepare_in_l1(at);
    each_line(at, evict0);
}

void prepare_modified(u64 at) {
    prepare_absent(at);
    each_line(at, store);
}

void prepare_modified_in_l2(u64 at) {
    prepare_modified(at);
    each_line(at, evict0);
}

void prepare_absent_everywhere(u64 at) {
    other_tile_now(kernel_evict1, at);
    prepare_absent(at);
}

void prepare_here(u64 at) {
    prepare_absent_everywhere(at);
    each_line(at, load);
}

void prepare_modified_here(u64 at) {
    prepare_absent_everywhere(at);
    each_line(at, store);
}

void prepare_there(u64 at) {
    prepare_absent_everywhere(at);
    other_tile_now(kernel_loads, at);
}

void prepare_shared_in_l2(u64 at) {
    prepare_here(at);
    other_tile_now(kernel_loads, at);
    each_line(at, evict0);
}

// The four lines that the stream asks for.
void prepare_stream_in_l2(u64 at) {
    prepare_absent(at);
    for (u32 i = 2; i < 6; ++i) prefetch1(at + i * LINE);
    settle();
}

// INVLPG drops the page's translation and the directory entries of all regions.
void prepare_directory_unknown(u64 at) {
    for (u32 i = 0; i < STEPS; ++i) invlpg((void*)(at + i * PAGE_STEP));
}

// A walk to a neighbour leaves the directory entry at the second level.
void prepare_directory_known(u64 at) {
    const u64 neighbour = at + STEPS * PAGE_STEP;
    prepare_directory_unknown(at);
    invlpg((void*)neighbour);
    load(neighbour);
}
