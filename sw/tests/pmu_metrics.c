// Metrics from rows made by hand: values, bounds, sums and limits, each worked out beside its
// check.
#include "drivers/pmu/metrics.h"

#include "lib/check.h"
#include "lib/printf.h"
#include "lib/string.h"

#define BIT(event) (1ul << PMU_NUMBER_##event)

static struct pmu_row row;

static void set(struct pmu_row* r, u32 event, u64 count, u64 least, u64 most) {
    r->of[event] = (struct pmu_estimate){count, least, most};
    r->has |= 1ul << event;
}
#define SET(event, count, least, most) set(&row, PMU_NUMBER_##event, count, least, most)
#define EXACT(event, count) SET(event, count, count, count)

static struct pmu_metric_value value(const char* metric, const struct pmu_row* r) {
    const struct pmu_metric* m = pmu_metric_by_name(metric);
    const struct pmu_metric_value none = {0};
    if (!CHECK(m != NULL) || !CHECK(pmu_metric_exists(m, r))) return none;
    return pmu_metric_value(m, r);
}
static bool beyond(const char* metric, const struct pmu_row* r) {
    return pmu_metric_beyond(pmu_metric_by_name(metric), r);
}

static void check_value(const char* metric, i64 wanted, i64 least, i64 most, const char* text) {
    const struct pmu_metric_value v = value(metric, &row);
    char shown[PMU_METRIC_TEXT];
    bool right = CHECK(v.defined);
    right = CHECK_EQ(v.value, wanted) && right;
    right = CHECK_EQ(v.least, least) && right;
    right = CHECK_EQ(v.most, most) && right;
    pmu_metric_text(shown, pmu_metric_by_name(metric), v.value);
    right = CHECK(strcmp(shown, text) == 0) && right;
    if (!right) printf("%s is %s\n", metric, shown);
}
static void check_exact(const char* metric, i64 wanted, const char* text) {
    check_value(metric, wanted, wanted, wanted, text);
}

static void check_tables(void) {
    // Not made of events alone: clocks of the TSC, the controllers, the ring, the time.
    static const char* const absent[] = {"EXEC", "FREQ", "UTIL", "READ", "RING%", "EBW", "BW", ""};
    for (u32 i = 0; i < sizeof absent / sizeof *absent; ++i)
        CHECK(pmu_metric_by_name(absent[i]) == NULL);
    u64 all = 0;
    for (u32 n = 0; n < pmu_metric_number; ++n) {
        CHECK(pmu_metric_by_name(pmu_metrics[n].name) == &pmu_metrics[n]);
        all |= pmu_metric_events(&pmu_metrics[n]);
    }
    CHECK_EQ(pmu_all_metrics_events(), all);
    CHECK_EQ(pmu_metric_events(pmu_metric_by_name("PAIR")),
             BIT(INSTRUCTIONS_EXECUTED) | BIT(INSTRUCTIONS_EXECUTED_V_PIPE));
    CHECK_EQ(pmu_metric_events(pmu_metric_by_name("L1MISS")), BIT(DATA_READ_MISS_OR_WRITE_MISS));

    static struct pmu_count counts[PMU_EVENT_NUMBERS];
    CHECK_EQ(pmu_group_number, 24);
    for (u32 n = 0; n < pmu_group_number; ++n) {
        CHECK(pmu_group_by_name(pmu_groups[n].name) == &pmu_groups[n]);
        CHECK_RANGE(pmu_metric_counts(pmu_groups[n].events, PMU_USER, counts), 1, PMU_COUNTERS);
    }
    CHECK(pmu_group_by_name("CP") == NULL);

    CHECK_EQ(pmu_metric_counts(pmu_group_by_name("CPI")->events, PMU_USER, counts), 2);
    CHECK_EQ(counts[0].what.select, PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER);
    CHECK_EQ(counts[1].what.select, PMU_EVENT_CPU_CLK_UNHALTED | PMU_USER);
    CHECK(!counts[0].what.spflt);
}

static void check_values(void) {
    pmu_row_clear(&row, PMU_ROW_CORE);
    EXACT(INSTRUCTIONS_EXECUTED, 3000);
    EXACT(CPU_CLK_UNHALTED, 7000);
    check_exact("IPC", 428571, "0.428571");   // 0.42857142...
    check_exact("CPI", 2333333, "2.333333");  // 2.33333333...
    check_exact("INST", 3000, "3000");
    CHECK(!pmu_metric_exists(pmu_metric_by_name("L1MPI"), &row));
    EXACT(EXEC_STAGE_CYCLES, 6000);
    EXACT(DATA_READ_OR_WRITE, 1350);
    EXACT(DATA_READ_MISS_OR_WRITE_MISS, 100);
    check_exact("ELI", -3500000, "-3.500000");  // (7000 - 6000 - 1350) / 100
    check_exact("L1HIT", 925925, "0.925925");   // 1250 / 1350
    EXACT(VPU_ELEMENTS_ACTIVE, 1200);
    EXACT(VPU_INSTRUCTIONS_EXECUTED, 100);
    check_exact("VPI", 12000000, "12.000000");
    check_exact("VFILL", 750000, "0.750000");
    EXACT(DATA_READ_MISS, 1000000000);
    EXACT(HWP_L2MISS, 562500000);
    check_exact("EREAD", 100000000, "100.000000");  // 1562500000 * 64 / 10^9

    EXACT(CPU_CLK_UNHALTED, 0);
    CHECK(!value("IPC", &row).defined);
    // The product with 10^6 needs 75 bits.
    EXACT(INSTRUCTIONS_EXECUTED, 1ul << 55);
    EXACT(CPU_CLK_UNHALTED, 1ul << 55);
    check_exact("IPC", 1000000, "1.000000");
    // 2^55 * 10^6 does not fit.
    EXACT(CPU_CLK_UNHALTED, 1);
    check_exact("IPC", PMU_UNLIMITED, "-");
}

static void check_bounds(void) {
    pmu_row_clear(&row, PMU_ROW_CARD);
    // Both formulas have the same count, so the least is not (900 - 150) / 1100.
    SET(DATA_READ_OR_WRITE, 1000, 900, 1100);
    SET(DATA_READ_MISS_OR_WRITE_MISS, 100, 50, 150);
    check_value("L1HIT", 900000, 833333, 954545, "0.900000");  // 750 / 900, 1050 / 1100
    SET(L2_READ_HIT_E, 15, 10, 20);
    EXACT(L2_READ_HIT_M, 0);
    EXACT(L2_READ_HIT_S, 0);
    SET(L2_READ_MISS, 5, 5, 10);
    check_value("L2HIT", 750000, 500000, 800000, "0.750000");  // 10 / 20, 20 / 25
    SET(INSTRUCTIONS_EXECUTED, 110, 100, 120);
    SET(INSTRUCTIONS_EXECUTED_V_PIPE, 44, 40, 50);
    check_value("PAIR", 666666, 500000, 1000000, "0.666666");  // 40 / 80, 50 / 50
    // The denominator may be 0 within the bounds.
    SET(INSTRUCTIONS_EXECUTED, 110, 50, 120);
    check_value("PAIR", 666666, -PMU_UNLIMITED, PMU_UNLIMITED, "0.666666");
    // There is no upper bound of a count.
    SET(CPU_CLK_UNHALTED, 220, 100, ~0ul);
    check_value("CPI", 2000000, 0, PMU_UNLIMITED, "2.000000");
    // A zero that may be none.
    SET(CPU_CLK_UNHALTED, 0, 0, 100);
    CHECK(!value("IPC", &row).defined);
}

// Two threads of a core with 100 instructions in 1000 clocks and 300 in 1010; another core with one
// thread, 500 in 500. An average of the threads' CPI would be 10, 3.3 and 1.
static void check_sums(void) {
    static struct pmu_row thread, core, card;
    static const struct {
        u64 instructions, clocks, victims;
    } of[3] = {{100, 1000, 7}, {300, 1010, 8}, {500, 500, 2}};
    pmu_row_clear(&card, PMU_ROW_CARD);
    pmu_row_clear(&core, PMU_ROW_CORE);
    const struct pmu_metric* written = pmu_metric_by_name("EWRITE");
    for (u32 t = 0; t < 3; ++t) {
        struct pmu_count counts[4] = {
            {.value = of[t].instructions, .enabled = 5000, .running = 5000},
            {.value = of[t].clocks, .enabled = 5000, .running = 5000},
            {.value = of[t].victims, .enabled = 5000, .running = 5000},
            {.enabled = 5000, .running = 5000}};
        const u64 events = BIT(INSTRUCTIONS_EXECUTED) | BIT(CPU_CLK_UNHALTED) |
                           BIT(L2_VICTIM_REQ_WITH_DATA) | BIT(SNP_HITM_L2);
        struct pmu_session s = {.counts = counts};
        s.number = pmu_metric_counts(events, PMU_USER, counts);
        CHECK_EQ(s.number, 4);
        pmu_row_of_session(&thread, &s);
        CHECK_EQ(thread.has, events);
        CHECK_EQ(value("ACYC", &thread).value, of[t].clocks);
        CHECK(!pmu_metric_exists(written, &thread));
        pmu_row_add(&core, &thread);
        if (t == 0) continue;
        if (t == 1) {
            CHECK_EQ(value("INST", &core).value, 400);
            CHECK_EQ(value("ACYC", &core).value, 1000);
            CHECK_EQ(value("CPI", &core).value, 2500000);
            CHECK_EQ(value("EWRITE", &core).value, 0);  // 7 * 64 bytes
        }
        pmu_row_add(&card, &core);
        pmu_row_clear(&core, PMU_ROW_CORE);
    }
    CHECK_EQ(value("CPI", &card).value, 1666666);  // 1500 / 900
    CHECK_EQ(card.of[PMU_NUMBER_L2_VICTIM_REQ_WITH_DATA].count, 9);
    // One part without an upper bound: the sum has none.
    pmu_row_clear(&core, PMU_ROW_CORE);
    set(&core, PMU_NUMBER_INSTRUCTIONS_EXECUTED, 100, 90, ~0ul);
    pmu_row_add(&card, &core);
    CHECK_EQ(card.of[PMU_NUMBER_INSTRUCTIONS_EXECUTED].count, 1000);
    CHECK_EQ(card.of[PMU_NUMBER_INSTRUCTIONS_EXECUTED].least, 990);
    CHECK_EQ(card.of[PMU_NUMBER_INSTRUCTIONS_EXECUTED].most, ~0ul);
}

static void check_limits(void) {
    pmu_row_clear(&row, PMU_ROW_THREAD);
    EXACT(CPU_CLK_UNHALTED, 4000);
    EXACT(INSTRUCTIONS_EXECUTED, 1000);
    CHECK(!beyond("CPI", &row));  // above 4 for a thread
    EXACT(CPU_CLK_UNHALTED, 4001);
    CHECK(beyond("CPI", &row));
    EXACT(CPU_CLK_UNHALTED, 1001);
    CHECK(!beyond("CPI", &row));
    row.kind = PMU_ROW_CORE;  // above 1
    CHECK(beyond("CPI", &row));
    CHECK(!beyond("IPC", &row));

    EXACT(DATA_READ_OR_WRITE, 1000);
    EXACT(DATA_READ_MISS_OR_WRITE_MISS, 50);
    CHECK(!beyond("L1HIT", &row));  // below 0.95
    EXACT(DATA_READ_MISS_OR_WRITE_MISS, 51);
    CHECK(beyond("L1HIT", &row));

    // CTD1 below VPI: elements per access below elements per vector instruction.
    EXACT(VPU_ELEMENTS_ACTIVE, 16000);
    CHECK(!beyond("CTD1", &row));  // VPI is not known
    EXACT(VPU_INSTRUCTIONS_EXECUTED, 1000);
    CHECK(!beyond("CTD1", &row));
    EXACT(VPU_INSTRUCTIONS_EXECUTED, 999);
    CHECK(beyond("CTD1", &row));
    // CTD2 below 100 * CTD1: more than one access of 100 misses.
    CHECK(beyond("CTD2", &row));
    EXACT(DATA_READ_MISS_OR_WRITE_MISS, 10);
    CHECK(!beyond("CTD2", &row));

    // (clocks - 0 - 1000) / 10 above 145, not for threads.
    EXACT(EXEC_STAGE_CYCLES, 0);
    EXACT(CPU_CLK_UNHALTED, 2450);
    CHECK(!beyond("ELI", &row));
    EXACT(CPU_CLK_UNHALTED, 2451);
    CHECK(beyond("ELI", &row));
    row.kind = PMU_ROW_THREAD;
    CHECK(!beyond("ELI", &row));
    CHECK(!pmu_metric_exists(pmu_metric_by_name("ELI"), &row));
}

int main(void) {
    check_tables();
    check_values();
    check_bounds();
    check_sums();
    check_limits();
    return check_summary();
}
