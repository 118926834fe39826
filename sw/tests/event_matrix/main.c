// The event matrix (matrix.h), for a card of two tiles. docs/events.awk makes docs/events.md of
// what it prints: lines of fields with | between them.
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "tests/event_matrix/matrix.h"

static const struct {
    const char* title;
    const struct row* rows;
    const u32* number;
} tables[] = {{"Pipelines and translations", pipeline_rows, &pipeline_row_number},
              {"Data accesses and prefetches", cache_rows, &cache_row_number},
              {"Code misses, fills and snoops", fill_rows, &fill_row_number},
              {"Vector unit", vector_rows, &vector_row_number}};

// Every event of the PMU has exactly one row.
static void check_complete(void) {
    for (u32 e = 0; e < pmu_event_number; ++e) {
        u32 rows = 0;
        for (u32 t = 0; t < sizeof tables / sizeof *tables; ++t)
            for (u32 i = 0; i < *tables[t].number; ++i)
                rows += tables[t].rows[i].event == pmu_events[e].code;
        if (!CHECK_EQ(rows, 1)) printf("  %s has %u rows\n", pmu_events[e].name, rows);
    }
}

int main(void) {
    check_complete();
    irq_enable();
    if (!CHECK(memory_init()) || !others_start()) return check_summary();
    print_frame();
    for (u32 t = 0; t < sizeof tables / sizeof *tables; ++t) {
        printf("unit|%s\n", tables[t].title);
        for (u32 i = 0; i < *tables[t].number; ++i) run_row(&tables[t].rows[i]);
    }
    check_halt();
    return check_summary();
}
