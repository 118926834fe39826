// Metrics of threads, cores and the card from the PMU's counters. Each thread runs the same loads
// at ring 3 between marks 1 and 2 of the report, and counts them with a session of its own.
//
// Command line, besides cores=, step=, threads= (lib/team.h):
//   integer, chase, vector  which loads, one after the other (default: all)
//   amount=N      of each load (default 20; 1 takes about 20000 clocks with four threads on a core)
//   group=NAME    the events of one of LIKWID's groups; metric=NAME: those of one metric.
//                 Default: those of all metrics
//   interval=N    clocks of a turn at the counters, if there are more than two events (default
//   20000) both          counts at both rings (default: ring 3 only) rows=N        1 prints the
//   card, 2 also the cores, 3 (default) also the threads
//
// Prints a line for each row of the table and event, then for each row and metric:
//   card|core C|thread C.T  name  value  least  most  [!]
// "-": division by zero, or no bound. !: deserves a closer look.
#include "apps/metrics/loads.h"
#include "drivers/apic/apic.h"
#include "drivers/pmu/metrics.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "lib/team.h"
#include "lib/thread.h"
#include "lib/user.h"
#include "lib/vm.h"

#define THREADS_PER_CORE 4
enum { ROWS_CARD = 1, ROWS_CORES, ROWS_THREADS };

struct member {
    u32 apic_id;
    struct pmu_session session;
    struct pmu_count counts[PMU_EVENT_NUMBERS];
};

// Set before the team starts.
static u64 amount, interval, rows, events;
static u32 sets, rings;
static struct load_data* data;
static struct member* members;

// group=NAME or metric=NAME.
static void read_word(const char* word) {
    static const char group[] = "group=", metric[] = "metric=";
    const size_t g = sizeof group - 1, m = sizeof metric - 1;
    if (strncmp(word, group, g) == 0) {
        const struct pmu_group* found = pmu_group_by_name(word + g);
        if (CHECK(found != NULL)) events |= found->events;
    } else if (strncmp(word, metric, m) == 0) {
        const struct pmu_metric* found = pmu_metric_by_name(word + m);
        if (CHECK(found != NULL)) events |= pmu_metric_events(found);
    }
}

static bool read_command_line(void) {
    amount = option_number("amount", 20);
    interval = option_number("interval", 20000);
    rows = option_number("rows", ROWS_THREADS);
    rings = option("both") ? PMU_USER | PMU_OS : PMU_USER;
    for (u32 l = 0; l < LOADS; ++l) sets |= (u32)option(load_names[l]) << l;
    if (sets == 0) sets = (1u << LOADS) - 1;
    char word[64];
    size_t length = 0;
    for (const char* c = command_line();; ++c) {
        if (*c != ' ' && *c != '\0') {
            if (length + 1 < sizeof word) word[length++] = *c;
            continue;
        }
        word[length] = '\0';
        read_word(word);
        length = 0;
        if (*c == '\0') break;
    }
    if (events == 0) events = pmu_all_metrics_events();
    return CHECK_RANGE(interval, 1000, UINT32_MAX);
}

static void prepare(u64 m) {
    struct load_data* d = &data[m];
    load_prepare(d, m + 1);
    // Brings code, data and page tables to where the loads keep them. Ring 0 is not counted.
    d->sets = sets;
    d->amount = amount / 4 + 1;
    load_run((u64)d);
    d->amount = amount;
    members[m].apic_id = apic_id();
    members[m].session = (struct pmu_session){
        .counts = members[m].counts,
        .number = pmu_metric_counts(events, rings, members[m].counts),
        .interval = (u32)interval,
    };
    irq_enable();
}

// The marks are set while no session counts.
static void measure(u64 m) {
    team_wait();
    if (m == 0) platform_marker(1);
    team_wait();
    pmu_session_start(&members[m].session);
    user_call(load_run, (u64)&data[m]);
    pmu_session_stop(&members[m].session);
    team_wait();
    if (m == 0) platform_marker(2);
}

static void print_events(const char* name, const struct pmu_row* r) {
    for (u32 e = 0; e < pmu_event_number; ++e) {
        if ((r->has >> e & 1) == 0) continue;
        const struct pmu_estimate* c = &r->of[e];
        char most[24] = "-";
        if (c->most != ~0ul) snprintf(most, sizeof most, "%lu", c->most);
        printf("%-11s %-32s %16lu %16lu %16s\n", name, pmu_events[e].name, c->count, c->least,
               most);
    }
}

static void print_metrics(const char* name, const struct pmu_row* r) {
    for (u32 n = 0; n < pmu_metric_number; ++n) {
        const struct pmu_metric* m = &pmu_metrics[n];
        if (!pmu_metric_exists(m, r)) continue;
        struct pmu_metric_value v = pmu_metric_value(m, r);
        if (!v.defined) v.value = v.least = v.most = PMU_UNLIMITED;
        char value[PMU_METRIC_TEXT], least[PMU_METRIC_TEXT], most[PMU_METRIC_TEXT];
        printf("%-11s %-32s %16s %16s %16s%s\n", name, m->name, pmu_metric_text(value, m, v.value),
               pmu_metric_text(least, m, v.least), pmu_metric_text(most, m, v.most),
               pmu_metric_beyond(m, r) ? " !" : "");
    }
}

static void print_row(u64 from, const struct pmu_row* r, u32 apic) {
    if (rows < from) return;
    char name[16] = "card";
    if (from == ROWS_CORES) snprintf(name, sizeof name, "core %u", apic / THREADS_PER_CORE);
    if (from == ROWS_THREADS)
        snprintf(name, sizeof name, "thread %u.%u", apic / THREADS_PER_CORE,
                 apic % THREADS_PER_CORE);
    print_events(name, r);
    print_metrics(name, r);
}

static void print_table(u64 size) {
    static struct pmu_row thread, core, card;
    pmu_row_clear(&card, PMU_ROW_CARD);
    pmu_row_clear(&core, PMU_ROW_CORE);
    for (u64 m = 0; m < size; ++m) {
        const u32 apic = members[m].apic_id;
        pmu_row_of_session(&thread, &members[m].session);
        print_row(ROWS_THREADS, &thread, apic);
        pmu_row_add(&core, &thread);
        // The members of a core follow each other.
        if (m + 1 < size && members[m + 1].apic_id / THREADS_PER_CORE == apic / THREADS_PER_CORE)
            continue;
        print_row(ROWS_CORES, &core, apic);
        pmu_row_add(&card, &core);
        pmu_row_clear(&core, PMU_ROW_CORE);
    }
    print_row(ROWS_CARD, &card, 0);
}

int main(void) {
    if (!read_command_line()) return check_summary();
    const u64 size = team_start();
    data = heap_allocate(size * sizeof *data, VM_PAGE);
    members = heap_allocate(size * sizeof *members, 64);
    if (!CHECK(size != 0 && data != NULL && members != NULL)) return check_summary();
    if (!CHECK(vm_protect(data, size * sizeof *data, VM_WRITE | VM_USER))) return check_summary();
    team_run(prepare);
    const u64 clocks = team_run(measure);
    for (u64 m = 0; m < size; ++m) CHECK(load_is_right(&data[m]));
    const struct pmu_session* s = &members[0].session;
    printf("%u events of %lu threads in %lu clocks, %lu rotations of the first thread\n", s->number,
           size, clocks, s->rotations);
    print_table(size);
    return check_summary();
}
