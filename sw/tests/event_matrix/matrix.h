// The event matrix: for each event of the PMU a kernel that raises it a predicted number of times,
// and a kernel close to it that does not raise it (the silent neighbour).
//
// Every line of the tables runs at ring 0 and at ring 3, on both counters, on the measuring thread
// and on another thread of its core.
#ifndef KNC_SW_TESTS_EVENT_MATRIX_MATRIX_H
#define KNC_SW_TESTS_EVENT_MATRIX_MATRIX_H

#include "drivers/pmu/event.h"
#include "lib/types.h"
#include "tests/event_matrix/job.h"

// The memory of the kernels: two regions of 2 MB in pages of 4 KB that every ring may use, each
// line of which has the way back from a visit. An area is an offset in the first.
#define REGION 0x200000ul
enum area {
    AREA_LINES = 0x00000,
    AREA_SHARED = 0x10000,  // with the other tile
    AREA_STREAM = 0x18000,
    AREA_UNCACHED = 0x20000,
    AREA_PAGES = 0x30000,
    AREA_CODE = 0x48000,
    AREA_SHARED_CODE = 0x50000,
    AREA_CODE_PAGES = 0x60000,
    AREA_OTHER_TILE = 0x78000  // where the other tile rehearses
};
// Where a kernel rehearses: on the same memory, on lines of the same page, in the other region.
enum rehearsal { SAME = 0, LINES = 0x800, OTHER_REGION = (int)REGION };

struct half {
    const char* what;
    kernel run;
    void (*prepare)(u64 at);  // by the thread that executes, at ring 0; NULL: nothing to do
    u32 area;
    u32 rehearsal;
    kernel on_other_tile;  // at the same time; NULL: nothing
    // 0 counts as 1. Round n has `first` + n as the distance of its target (job.target).
    u32 rounds;
    i32 first;
    // Clocks of the kernel in which its thread is not stalled (FE_STALLED alone needs them).
    u32 unstalled;
};

struct row {
    u32 event;
    u64 count;
    const char* formula;
    struct half loud, silent;
    const char* why;
};
extern const struct row pipeline_rows[], cache_rows[], fill_rows[], vector_rows[];
extern const u32 pipeline_row_number, cache_row_number, fill_row_number, vector_row_number;

// kernels_*.S
#define KERNEL(name) u64 kernel_##name(u64 job);
#include "tests/event_matrix/kernels.def"
#undef KERNEL

// frame.c: what a counter has after a kernel that raises the event `count` times.
enum mode { OWN, ANY, OTHER_CORE };
struct window {
    enum mode mode;
    u64 clocks;     // ANY: of the DELAYs of the watching thread
    u64 unstalled;  // half.unstalled
};
u64 expected_count(u32 event, u64 count, const struct window* w);
// What the watching thread adds itself to that.
u64 watch_count(u32 event, const struct window* w);
// A line for each event to which the frame adds something.
void print_frame(void);

// others.c: the other thread of the core, and the other tile.
bool others_start(void);
void other_tile_begin(kernel run, u64 at, u64 start, u64 target);
void other_tile_wait(void);
// Executes `run` on the other tile, with the memory at `at`.
void other_tile_now(kernel run, u64 at);
// `order` runs on the other thread of the core.
void other_thread_begin(void (*order)(void));
void other_thread_wait(void);

// prepare.c
bool memory_init(void);
u64 memory_at(u32 area);
void prepare_absent(u64 at);
void prepare_in_l1(u64 at);
void prepare_in_l2(u64 at);
void prepare_modified(u64 at);
void prepare_modified_in_l2(u64 at);
void prepare_absent_everywhere(u64 at);
void prepare_here(u64 at);
void prepare_modified_here(u64 at);
void prepare_there(u64 at);
void prepare_shared_in_l2(u64 at);
void prepare_stream_in_l2(u64 at);
void prepare_directory_known(u64 at);
void prepare_directory_unknown(u64 at);

// engine.c: measures a line in all ways, checks it, prints it.
void run_row(const struct row* row);
// The count of one run of the thread's own at ring 0, and the clocks that the kernel took.
u64 measure_alone(const struct half* h, u32 select, u64* clocks);

// halt.c
void check_halt(void);

#endif
