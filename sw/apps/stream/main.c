// Bandwidth: threads that read, write or copy arrays of their own, line by line.
//
// Command line, besides cores=, step=, threads= (lib/team.h):
//   bytes=N            of each thread's array, a multiple of 256 (default 262144)
//   passes=N           over the array that are timed (default 1)
//   warm               one untimed pass first
//   touch|write|copy   per line: one load; eight stores; eight loads and eight stores to a second
//                      array. Otherwise eight loads
//   l1=N, l2=N         prefetch into the L1 so many lines ahead, and into the L2 (default 0: none;
//                      l2 only together with l1)
//
// Exit code 0 when every requested thread took part and all stores have reached memory.
// A copied line counts twice, as in STREAM.
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/heap.h"
#include "lib/printf.h"
#include "lib/team.h"

#define LINE 64ul
#define LARGE_PAGE (2ul << 20)

typedef void kernel(const u8* from, const u8* end, u64 l1, u8* to, u64 l2);
kernel read_plain, touch_plain, write_plain, copy_plain;
kernel read_near, touch_near, write_near, copy_near;
kernel read_far, touch_far, write_far, copy_far;

static const struct {
    const char* option;
    u64 lines;  // lines counted for each line of the array
    kernel *plain, *near, *far;
} operations[] = {
    {"touch", 1, touch_plain, touch_near, touch_far},
    {"write", 1, write_plain, write_near, write_far},
    {"copy", 2, copy_plain, copy_near, copy_far},
    {NULL, 1, read_plain, read_near, read_far},
};

// Set before the team starts.
static kernel* pass;
static u64 bytes, passes, l1, l2;
static bool warm;
static u8* arrays;   // of each member, and as much again, for copies
static u64 spacing;  // from one member's to the next

static u8* array_of(u64 member) {
    return arrays + member * spacing;
}

static void run_pass(u8* array) {
    pass(array, array + bytes, l1, array + bytes, l2);
}

static void prepare(u64 member) {
    u8* array = array_of(member);
    if (warm) run_pass(array);
    // Brings the code into the cache.
    pass(array, array + 4 * LINE, 0, array + bytes, 0);
}

static void work(u64 member) {
    for (u64 i = 0; i < passes; ++i) run_pass(array_of(member));
}

// Lines counted for each line of an array.
static u64 choose_operation(void) {
    u64 i = 0;
    while (operations[i].option != NULL && !option(operations[i].option)) ++i;
    pass = l2 != 0 ? operations[i].far : l1 != 0 ? operations[i].near : operations[i].plain;
    return operations[i].lines;
}

// The last word of what a pass reads, and of what it stores.
static u64* last_read(const u8* array) {
    return (u64*)(array + bytes) - 1;
}
static bool stored_right(const u8* array) {
    if (option("write")) return *last_read(array) == (u64)(array + bytes);
    if (option("copy")) return *(u64*)((u8*)last_read(array) + bytes) == *last_read(array);
    return true;
}

int main(void) {
    bytes = option_number("bytes", 256 << 10);
    passes = option_number("passes", 1);
    l1 = option_number("l1", 0) * LINE;
    l2 = option_number("l2", 0) * LINE;
    warm = option("warm");
    const u64 lines = choose_operation() * bytes / LINE * passes;
    const u64 members = team_start();
    // Two arrays each, if they copy.
    spacing = (2 * bytes + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
    arrays = heap_allocate(members * spacing, LARGE_PAGE);
    if (!CHECK(members != 0 && arrays != NULL)) return check_summary();
    for (u64 m = 0; m < members; ++m) *last_read(array_of(m)) = m + 1;
    team_run(prepare);
    const u64 clocks = team_run(work);
    for (u64 m = 0; m < members; ++m) CHECK(stored_right(array_of(m)));
    team_report("lines", lines * members, clocks);
    return check_summary();
}
