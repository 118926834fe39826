// What the frame around a kernel counts itself (frame.inc), by the rules of docs/pipeline.md: SPFLT
// has 4 clocks of microcode in the E stage, in 3 of which the front end stalls; DELAY n one clock
// and n in which it stalls.
#include "lib/printf.h"
#include "tests/event_matrix/matrix.h"

struct cost {
    u32 event;
    u32 own;    // SPFLT 0
    u32 watch;  // DELAYs and SPFLT 0 of the watching thread
    u32 other;  // SPFLT 1, SPFLT 0 and DELAY of the thread that runs the kernel under watch
    const char* why;
};
static const struct cost costs[] = {
    {PMU_EVENT_INSTRUCTIONS_EXECUTED, 1, WATCH_DELAYS + 1, 3,
     "alone SPFLT; watched 3 DELAYs and SPFLT of one thread, 2 SPFLT and DELAY of the other"},
    {PMU_EVENT_EXEC_STAGE_CYCLES, 4, WATCH_DELAYS + 4, 4 + 4 + 1,
     "the same instructions: 4 clocks of SPFLT, 1 of DELAY"},
    {PMU_EVENT_MICROCODE_CYCLES, 4, 4, 4 + 4, "SPFLT is microcode of 4 clocks"},
    {PMU_EVENT_FE_STALLED, 3, 3, 0,
     "SPFLT stalls in 3 of its clocks; watched, one thread is in DELAY in nearly all clocks of the "
     "window, and so is the other when the kernel does not run"},
    {PMU_EVENT_CPU_CLK_UNHALTED, 4, 0, 0,
     "SPFLT has 4 clocks; watched, the count is the clocks of the window, whatever runs in it"},
};

// Clocks of the watching thread's window.
static u64 window_clocks(const struct window* w) {
    return w->clocks + WATCH_DELAYS + 4;
}

static const struct cost* cost_of(u32 event) {
    static const struct cost none;
    for (u32 i = 0; i < sizeof costs / sizeof *costs; ++i)
        if (costs[i].event == event) return &costs[i];
    return &none;
}

u64 watch_count(u32 event, const struct window* w) {
    return cost_of(event)->watch + (event == PMU_EVENT_FE_STALLED ? w->clocks : 0);
}

u64 expected_count(u32 event, u64 count, const struct window* w) {
    const struct cost* const c = cost_of(event);
    if (w->mode == OWN) return count + c->own;
    // The clocks of the core are those of the window, whatever its threads do in them.
    if (event == PMU_EVENT_CPU_CLK_UNHALTED) return window_clocks(w);
    // The kernel's thread is stalled by DELAYs in all clocks of the window in which the kernel does
    // not run, and one clock of each instruction of the frame is none of a stall.
    if (event == PMU_EVENT_FE_STALLED)
        return watch_count(event, w) + window_clocks(w) - w->unstalled - 3;
    return count + watch_count(event, w) + c->other;
}

void print_frame(void) {
    for (u32 i = 0; i < sizeof costs / sizeof *costs; ++i)
        printf("frame|%s|%s\n", pmu_event_by_code(costs[i].event)->name, costs[i].why);
}
