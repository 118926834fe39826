// Mistakes of drivers, each with the outcome that the rules of the PMU and of the local APIC give
// it: what is delivered, what the registers say, what is counted, and what ends the state.
//
// Command line: automask=0 when the platform does not mask LVT 0x340 itself (apic.lvtpc_automask).
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/trap.h"
#include "lib/user.h"
#include "tests/kernels.h"

#define VECTOR 0x60
#define SAME_CLASS 0x6F
#define LOWER 0x50
#define HIGHER 0x70
#define ERROR_VECTOR 0x71
#define GATE_NOT_PRESENT 0x0E
#define GATE_PRESENT 0x8E

#define EVENT (PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_USER)
#define LOOP 500ul
// The instructions of one run of the load, and half of them: the period.
#define COUNTED (USER_CALL_INSTRUCTIONS + KERNEL_LOOP_INSTRUCTIONS(LOOP))
#define PERIOD (COUNTED / 2)

static u32 automask;  // what delivery sets in the entry

// What the service routine leaves out.
enum { NO_EOI = 1, NO_UNMASK = 2, NO_CLEAR = 4, NO_RELOAD = 8 };
static u32 forgotten;
static u32 entry;  // of the LVT

#define MOST_LOG 8
static u8 log_of_vectors[MOST_LOG];
static volatile u32 logged;
static volatile u32 pmis, idle;

static void note(u8 vector) {
    if (logged < MOST_LOG) log_of_vectors[logged] = vector;
    ++logged;
}

static void on_pmi(struct trap_frame* f) {
    note((u8)f->vector);
    ++pmis;
    const u32 running = pmu_stop(), status = pmu_status();
    idle += status == 0;
    if ((forgotten & NO_CLEAR) == 0) pmu_clear_status(status);
    if ((forgotten & NO_UNMASK) == 0) apic_write(APIC_LVT_PERFORMANCE, entry);
    if ((forgotten & NO_RELOAD) == 0)
        for (unsigned n = 0; n < PMU_COUNTERS; ++n)
            if ((status >> n & 1) != 0) pmu_write(n, pmu_read(n) - PERIOD);
    pmu_start(running);
    if ((forgotten & NO_EOI) == 0 && f->vector != TRAP_NMI) apic_eoi();
}
static void on_other(struct trap_frame* f) {
    note((u8)f->vector);
    apic_eoi();
}

static void load(void) {
    user_call(kernel_loop, LOOP);
}
// Both counters stand `distance` before their end; 0: the counter is off.
static void start(u32 lvt, u32 leave_out, u64 distance0, u64 distance1) {
    pmu_reset();
    pmis = idle = logged = 0;
    forgotten = leave_out;
    entry = lvt;
    apic_write(APIC_LVT_PERFORMANCE, lvt);
    if (distance0 != 0) pmu_select(0, EVENT | PMU_INT, 0 - distance0);
    if (distance1 != 0) pmu_select(1, EVENT | PMU_INT, 0 - distance1);
    pmu_start(3);
}
static void self(u8 vector) {
    apic_send(0, APIC_MODE_FIXED | APIC_ICR_ASSERT | APIC_ICR_SELF | vector);
}
static u32 errors(void) {
    apic_write(APIC_ESR, 0);
    return apic_read(APIC_ESR);
}

// The interrupt remains in service: nothing of its class or below is delivered, whatever counts.
static void check_no_eoi(void) {
    start(VECTOR, NO_EOI, PERIOD, 0);
    load();
    // The service cleared and reloaded after the first overflow; the second, with the last
    // instruction of the load, is a request that waits. The counter goes on from 0.
    CHECK_EQ(pmis, 1);
    CHECK_EQ(pmu_status(), 1);
    CHECK_EQ(pmu_read(0), 0);
    CHECK(apic_vector_bit(APIC_ISR, VECTOR));
    CHECK(apic_vector_bit(APIC_IRR, VECTOR));
    CHECK_EQ(apic_read(APIC_PPR), VECTOR & 0xF0);
    CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), VECTOR | automask);
    self(LOWER);
    self(SAME_CLASS);
    self(HIGHER);
    load();
    CHECK_EQ(pmis, 1);
    CHECK_EQ(logged, 2);
    CHECK_EQ(log_of_vectors[1], HIGHER);
    CHECK_EQ(pmu_read(0), COUNTED);
    // The EOI that was missing: all that waited comes, the highest vector first. The PMI counts two
    // periods late, by a value of COUNTED.
    forgotten = 0;
    apic_eoi();
    __asm__ volatile("nop");
    CHECK_EQ(logged, 5);
    CHECK_EQ(log_of_vectors[2], SAME_CLASS);
    CHECK_EQ(log_of_vectors[3], VECTOR);
    CHECK_EQ(log_of_vectors[4], LOWER);
    CHECK_EQ(pmu_read(0), COUNTED - PERIOD);
    CHECK_EQ(apic_read(APIC_PPR), 0);
    pmu_stop();
}

// An NMI needs no EOI; one that is sent ends another interrupt.
static void on_nmi_with_eoi(struct trap_frame* f) {
    on_pmi(f);
    apic_eoi();
}
static volatile u32 priority_after;
static void on_interrupted_service(struct trap_frame* f) {
    note((u8)f->vector);
    CHECK_EQ(apic_read(APIC_PPR), HIGHER & 0xF0);
    // Overflows at once: INT is set while the status bit is.
    wrmsr(MSR_PERF_EVENT_SELECT, rdmsr(MSR_PERF_EVENT_SELECT) | PMU_INT);
    __asm__ volatile("nop");
    priority_after = apic_read(APIC_PPR);
    if (apic_vector_bit(APIC_ISR, HIGHER)) apic_eoi();
}
static void check_nmi_eoi(trap_handler on_nmi, u32 priority) {
    trap_set_handler(TRAP_NMI, on_nmi);
    trap_set_handler(HIGHER, on_interrupted_service);
    start(APIC_MODE_NMI, 0, PERIOD, 0);
    pmu_select(0, EVENT, 0 - 1ul);
    load();
    CHECK_EQ(pmis, 0);
    CHECK_EQ(pmu_status(), 1);
    self(HIGHER);
    __asm__ volatile("nop");
    CHECK_EQ(pmis, 1);
    CHECK_EQ(logged, 2);
    CHECK_EQ(log_of_vectors[1], TRAP_NMI);
    CHECK_EQ(priority_after, priority);
    pmu_stop();
    trap_set_handler(HIGHER, on_other);
    trap_set_handler(TRAP_NMI, on_pmi);
}

// The entry is masked: an overflow counts on and sets its bit, but its edge is lost for good.
static void check_masked(u32 lvt) {
    start(lvt | APIC_LVT_MASKED, 0, PERIOD, 0);
    load();
    CHECK_EQ(pmis, 0);
    CHECK_EQ(pmu_status(), 1);
    CHECK_EQ(pmu_read(0), COUNTED - PERIOD);
    CHECK(!apic_vector_bit(APIC_IRR, VECTOR));
    // Unmasking makes no edge, and neither does another overflow: the line is 1.
    entry = lvt;
    apic_write(APIC_LVT_PERFORMANCE, lvt);
    pmu_write(0, 0 - PERIOD);
    load();
    CHECK_EQ(pmis, 0);
    CHECK_EQ(pmu_read(0), COUNTED - PERIOD);
    // The line falls, so that the next overflow makes one.
    pmu_clear_status(1);
    pmu_write(0, 0 - COUNTED);
    load();
    CHECK_EQ(pmis, 1);
    CHECK_EQ(pmu_status(), 0);
    pmu_stop();
}

// The service leaves the entry as delivery left it. Each load is two periods.
static void check_no_unmask(u32 lvt) {
    start(lvt, NO_UNMASK, PERIOD, 0);
    load();
    load();
    if (automask != 0) {
        CHECK_EQ(pmis, 1);
        CHECK_EQ(pmu_status(), 1);
        CHECK_EQ(pmu_read(0), 2 * COUNTED - 2 * PERIOD);
    } else {
        CHECK_EQ(pmis, 4);
        CHECK_EQ(pmu_status(), 0);
        CHECK_EQ(pmu_read(0), PMU_COUNTER_MASK + 1 - PERIOD);
    }
    CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), lvt | automask);
    pmu_stop();
}

// The status bit stays: the line never falls, with the entry unmasked and the counter reloaded.
static void check_no_clear(u32 lvt) {
    start(lvt, NO_CLEAR, PERIOD, 0);
    load();
    load();
    CHECK_EQ(pmis, 1);
    CHECK_EQ(pmu_status(), 1);
    CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), lvt);
    CHECK_EQ(pmu_read(0), 2 * COUNTED - 2 * PERIOD);
    // Another counter's overflow raises nothing either; the line falls with the last of both bits.
    forgotten = 0;
    pmu_select(1, EVENT | PMU_INT, 0 - PERIOD);
    load();
    CHECK_EQ(pmis, 1);
    CHECK_EQ(pmu_status(), 3);
    pmu_clear_status(1);
    pmu_write(0, 0 - COUNTED);
    load();
    CHECK_EQ(pmis, 1);
    CHECK_EQ(pmu_status(), 3);
    pmu_clear_status(3);
    pmu_write(0, 0 - COUNTED);
    load();
    CHECK_EQ(pmis, 2);
    CHECK_EQ(pmu_status(), 0);
    pmu_stop();
}

// Without reload the counter is 2^40 events from its next overflow.
static void check_no_reload(u32 lvt) {
    start(lvt, NO_RELOAD, PERIOD, 0);
    load();
    load();
    CHECK_EQ(pmis, 1);
    CHECK_EQ(pmu_status(), 0);
    CHECK_EQ(pmu_read(0), 2 * COUNTED - PERIOD);
    pmu_stop();
}

// Each of the enables is necessary: nothing is counted, though the counter is one event from its
// end.
static void check_enables(void) {
    static const struct {
        u32 select, global;
    } off[] = {
        {EVENT | PMU_INT | PMU_ENABLE, 0},
        {EVENT | PMU_INT | PMU_ENABLE, 2},
        {EVENT | PMU_INT, 3},
        {PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_INT | PMU_ENABLE, 3},
        {0x7F | PMU_USER | PMU_OS | PMU_INT | PMU_ENABLE, 3},  // no event
    };
    for (u32 i = 0; i < sizeof off / sizeof *off; ++i) {
        start(VECTOR, 0, 0, 0);
        pmu_stop();
        pmu_write(0, PMU_COUNTER_MASK);
        wrmsr(MSR_PERF_EVENT_SELECT, off[i].select);
        wrmsr(MSR_PERF_GLOBAL_CTRL, off[i].global);
        load();
        CHECK_EQ(pmu_read(0), PMU_COUNTER_MASK);
        CHECK_EQ(pmu_status(), 0);
        CHECK_EQ(pmis, 0);
    }
    pmu_stop();
}

// An entry that cannot deliver: the status bit, no interrupt, and the mask bit does not change.
static void check_modes(void) {
    for (u32 vector = 0; vector < 16; ++vector) {
        errors();
        logged = 0;
        apic_write(APIC_LVT_ERROR, ERROR_VECTOR);
        start(vector, 0, PERIOD, 0);
        load();
        // Receive illegal vector, and the error interrupt.
        CHECK_EQ(errors(), 1u << 6);
        CHECK_EQ(logged, 1);
        CHECK_EQ(log_of_vectors[0], ERROR_VECTOR);
        CHECK_EQ(pmis, 0);
        CHECK_EQ(pmu_status(), 1);
        CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), vector);
    }
    for (u32 mode = 1; mode < 8; ++mode) {
        if (mode == APIC_MODE_NMI >> 8) continue;
        errors();
        start(mode << 8 | VECTOR, 0, PERIOD, 0);
        load();
        CHECK_EQ(errors(), 0);
        CHECK_EQ(logged, 0);
        CHECK_EQ(pmu_status(), 1);
        CHECK_EQ(pmu_read(0), COUNTED - PERIOD);
        CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), mode << 8 | VECTOR);
        // The edge was lost; the right mode comes too late for it.
        apic_write(APIC_LVT_PERFORMANCE, VECTOR);
        __asm__ volatile("nop");
        CHECK_EQ(pmis, 0);
    }
    apic_write(APIC_LVT_ERROR, APIC_LVT_MASKED);
}

// The APIC is disabled by software: entries are masked, and remain so when it is enabled again.
static void check_disabled(void) {
    start(VECTOR, 0, PERIOD, 0);
    apic_write(APIC_SVR, APIC_SPURIOUS_VECTOR);
    load();
    apic_write(APIC_SVR, APIC_SVR_ENABLE | APIC_SPURIOUS_VECTOR);
    CHECK_EQ(apic_read(APIC_LVT_PERFORMANCE), VECTOR | APIC_LVT_MASKED);
    CHECK_EQ(pmis, 0);
    CHECK_EQ(pmu_status(), 1);
    CHECK_EQ(pmu_read(0), COUNTED - PERIOD);
    pmu_stop();
}

// The gate of the vector is not present. The interrupt is in service when #NP is raised; its error
// code has the index, IDT (bit 1) and EXT (bit 0).
static struct trap_frame not_present;
static void on_not_present(struct trap_frame* f) {
    not_present = *f;
    trap_set_gate(VECTOR, GATE_PRESENT, 0);
    CHECK(apic_vector_bit(APIC_ISR, VECTOR));
    pmu_clear_status(1);
    apic_eoi();
}
static void check_no_gate(void) {
    trap_set_handler(TRAP_NP, on_not_present);
    trap_set_gate(VECTOR, GATE_NOT_PRESENT, 0);
    not_present.error = 0;
    start(VECTOR, 0, PERIOD, 0);
    load();
    CHECK_EQ(not_present.error, VECTOR << 3 | 3);
    CHECK_EQ(frame_cpl(&not_present), 3);
    CHECK_EQ(pmis, 0);
    CHECK_EQ(pmu_read(0), COUNTED - PERIOD);
    pmu_stop();
    trap_set_handler(TRAP_NP, NULL);
}

// The driver gives up while its request waits: a request cannot be taken back, so the interrupt
// comes and finds nothing.
static void check_withdrawn(void) {
    irq_disable();
    start(VECTOR, 0, 0, 0);
    pmu_select(0, PMU_EVENT_INSTRUCTIONS_EXECUTED | PMU_OS | PMU_INT, 0 - 5ul);
    supervisor_loop(50);
    CHECK(apic_vector_bit(APIC_IRR, VECTOR));
    pmu_reset();
    apic_write(APIC_LVT_PERFORMANCE, VECTOR | APIC_LVT_MASKED);
    CHECK_EQ(pmis, 0);
    irq_enable();
    __asm__ volatile("nop");
    CHECK_EQ(pmis, 1);
    CHECK_EQ(idle, 1);
}

int main(void) {
    automask = option_number("automask", 1) != 0 ? APIC_LVT_MASKED : 0;
    trap_set_handler(VECTOR, on_pmi);
    trap_set_handler(TRAP_NMI, on_pmi);
    trap_set_handler(SAME_CLASS, on_other);
    trap_set_handler(LOWER, on_other);
    trap_set_handler(HIGHER, on_other);
    trap_set_handler(ERROR_VECTOR, on_other);
    irq_enable();
    check_no_eoi();
    check_nmi_eoi(on_pmi, HIGHER & 0xF0);
    check_nmi_eoi(on_nmi_with_eoi, 0);
    static const u32 entries[] = {VECTOR, APIC_MODE_NMI};
    for (u32 i = 0; i < 2; ++i) {
        check_masked(entries[i]);
        check_no_unmask(entries[i]);
        check_no_clear(entries[i]);
        check_no_reload(entries[i]);
    }
    check_enables();
    check_modes();
    check_disabled();
    check_no_gate();
    check_withdrawn();
    return check_summary();
}
