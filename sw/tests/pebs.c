// PEBS: which instruction a record names, its groups, the DS area, the threshold's interrupt,
// faults, single-stepping, ring 3; retired loads by level. For the preset perfmon.
//
// Command line: next when the instruction behind the overflow is recorded (perfmon.pebs_arm).
#include "drivers/apic/apic.h"
#include "drivers/perfmon/perfmon.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "lib/trap.h"
#include "lib/user.h"
#include "lib/vm.h"

#define VECTOR 0x60
#define BUFFER 4096ul
#define MINUS(n) (PERFMON_MASK + 1 - (n))
#define F0 PERFMON_FIXED_BIT(0)

void pebs_work(u64 control);
u64 pebs_misses(u64 lines);
u64 pebs_user(u64 n);
void pebs_step(void);
extern const u64 pebs_ips[], pebs_ips_end[];
extern const u8 pebs_miss[], pebs_lines[], pebs_near[], pebs_user_loop[], pebs_stepped[];

// A record may reach into the second page.
static u8 buffer[2 * BUFFER] __attribute__((aligned(4096)));
static struct perfmon_ds_area area __attribute__((aligned(4096)));
static u8 behind_area[4096] __attribute__((aligned(4096)));
static bool next;  // perfmon.pebs_arm

static u64 steps(void) {
    return (u64)(pebs_ips_end - pebs_ips);
}

static volatile u32 pmis;
static volatile u64 pmi_ip, pmi_status, pmi_control;
static void on_pmi(struct trap_frame* f) {
    pmi_ip = f->rip;
    pmi_control = rdmsr(MSR_GLOBAL_CTRL);
    pmi_status = perfmon_status();
    ++pmis;
    apic_eoi();
}

static void begin(u64 config, u64 mask) {
    perfmon_reset();
    memset(buffer, 0xA5, sizeof buffer);
    pmis = 0;
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    pebs_start(&area, buffer, BUFFER, pebs_record_bytes(config), config, mask);
}

static unsigned records(void) {
    unsigned n = 0;
    for (const struct pebs_basic* r = pebs_next(&area, NULL); r != NULL; r = pebs_next(&area, r))
        ++n;
    return n;
}

// ---- what an independent suite checks

// The records that a run has left are possible; returns their number.
static unsigned check_run(u64 mask, u64 config, bool adaptive) {
    const u64 status = perfmon_status();
    const u64 bytes = pebs_record_bytes(adaptive ? config : 0);
    if ((status & PERFMON_BUFFER_FULL) == 0) {
        CHECK_EQ(area.index, area.base);
        for (u64 n = 0; n < BUFFER; ++n)
            if (buffer[n] != 0xA5) return (unsigned)CHECK_EQ(n, BUFFER);
        return 0;
    }
    CHECK(area.index > area.base);
    unsigned n = 0;
    for (const struct pebs_basic* r = pebs_next(&area, NULL); r != NULL; r = pebs_next(&area, r)) {
        CHECK((r->counters & mask) != 0);
        CHECK_EQ(r->counters & ~mask, 0);
        if (!CHECK_EQ(pebs_bytes(r), bytes)) return n;
        CHECK_EQ(r->format & PERFMON_MASK, adaptive ? config : 0);
        if (adaptive && (config & 8) != 0) {
            const u64* lbr = (const u64*)((u64)r + bytes - 32 * PEBS_LBR_BYTES);
            for (unsigned e = 0; e < 3 * 32; ++e) CHECK_EQ(lbr[e], 0);
        }
        ++n;
    }
    // Every bit that STATUS shows can be cleared.
    wrmsr(MSR_GLOBAL_OVF_CTRL, status);
    CHECK_EQ(perfmon_status(), 0);
    return n;
}

static void one_run(u64 mask, u64 start, u64 config, bool adaptive) {
    static const u32 events[] = {PERFMON_BRANCHES, PERFMON_BRANCH_MISSES, 0x0300,
                                 PERFMON_CORE_CYCLES};
    begin(config, mask);
    if (!adaptive) area.threshold = area.base + PEBS_BASIC_BYTES;
    for (unsigned n = 0; n < PERFMON_GENERAL; ++n)
        if ((mask & PERFMON_BIT(n)) != 0)
            perfmon_select(n, events[n] | PERFMON_OS | (adaptive ? PERFMON_ADAPTIVE : 0), start);
    for (unsigned n = 0; n < PERFMON_FIXED; ++n)
        if ((mask & PERFMON_FIXED_BIT(n)) != 0)
            perfmon_select_fixed(n, PERFMON_FIXED_OS | (adaptive ? PERFMON_FIXED_ADAPTIVE : 0),
                                 start);
    pebs_work(mask);
    const unsigned n = check_run(mask, config, adaptive);
    // 8 branches and more than 30 instructions and cycles; no event 00/03.
    if (start == 0 || mask == PERFMON_BIT(2)) CHECK_EQ(n, 0);
    if (start != 0 && mask == F0) CHECK_EQ(n, 1);
    if (start >= MINUS(2) && mask == PERFMON_BIT(0)) CHECK_EQ(n, 1);
    if (start == MINUS(16) && mask == PERFMON_BIT(0)) CHECK_EQ(n, 0);
    if (start != 0 && mask == PERFMON_BIT(3)) CHECK_EQ(n, 1);
}

static void check_suite(void) {
    static const u64 starts[] = {0, MINUS(16), MINUS(2), MINUS(1)};
    const u64 masks[] = {F0, PERFMON_FIXED_BIT(1), PERFMON_FIXED_BIT(2), 1, 2, 4, 8, 7ul << 32 | 5};
    for (unsigned s = 0; s < 4; ++s) {
        for (unsigned m = 0; m < sizeof masks / sizeof masks[0]; ++m) {
            one_run(masks[m], starts[s], 0, false);
            for (u64 groups = 0; groups < 16; ++groups)
                one_run(masks[m], starts[s], groups | 31ul << 24, true);
            one_run(masks[m], starts[s], 15 | 31ul << 24, false);
        }
    }
    // Four records of 1232 bytes do not fit.
    CHECK_EQ(pebs_record_bytes(15 | 31ul << 24), 1232);
}

// ---- which instruction

// A counter that starts at -n overflows in the n-th instruction.
static void check_each_instruction(void) {
    const u64 config = PEBS_MEMORY | PEBS_REGISTERS;
    for (u64 n = 1; n + (next ? 1 : 0) <= steps(); ++n) {
        begin(config, F0);
        perfmon_select_fixed(0, PERFMON_FIXED_OS | PERFMON_FIXED_ADAPTIVE, MINUS(n));
        pebs_work(F0);
        const u64 which = next ? n : n - 1;
        const struct pebs_basic* r = pebs_next(&area, NULL);
        if (!CHECK(r != NULL)) continue;
        CHECK_EQ(r->ip, pebs_ips[which]);
        CHECK_EQ(r->counters, F0);
        const struct pebs_registers* g = pebs_registers_of(r);
        if (which + 1 < steps()) CHECK_EQ(g->ip, pebs_ips[which + 1]);
        // The first three count in R11.
        if (which < 3) CHECK_EQ(g->r8_to_r15[3], which + 1);
        CHECK_EQ(records(), 1);
        // Reset to 0 behind the instruction.
        CHECK_EQ(perfmon_read_fixed(0), steps() - which - 1);
        CHECK_EQ(perfmon_status(), PERFMON_BUFFER_FULL);
    }
    // The reset field: every third one.
    begin(0, F0);
    area.reset_fixed[0] = MINUS(3);
    perfmon_select_fixed(0, PERFMON_FIXED_OS, MINUS(3));
    pebs_work(F0);
    u64 which = next ? 3 : 2;
    for (const struct pebs_basic* r = pebs_next(&area, NULL); r != NULL; r = pebs_next(&area, r)) {
        CHECK_EQ(r->ip, pebs_ips[which]);
        which += next ? 4 : 3;
    }
    CHECK(which >= steps());
}

static void check_user(void) {
    begin(0, PERFMON_BIT(1));
    area.reset[1] = MINUS(3);
    // The boundaries of SYSCALL or the gate are ring 0's.
    perfmon_select(1, PERFMON_INSTRUCTIONS | PERFMON_USER, MINUS(100));
    perfmon_start(PERFMON_BIT(1));
    user_call(pebs_user, 1000);
    perfmon_stop();
    const u64 loop = (u64)pebs_user_loop;
    unsigned n = 0, seen = 0;
    for (const struct pebs_basic* r = pebs_next(&area, NULL); r != NULL; r = pebs_next(&area, r)) {
        const u64 at = r->ip - loop;  // INC of 2 bytes, NOP, NOP, LOOP
        CHECK(at == 0 || at == 2 || at == 3 || at == 4);
        if (at <= 4) seen |= 1u << at;
        ++n;
    }
    CHECK_EQ(n, BUFFER / PEBS_BASIC_BYTES);  // until the buffer is full
    if (!next) CHECK_EQ(seen, 0x1D);         // a period of 3 meets all of the four
}

// ---- threshold, room

static void check_threshold(void) {
    const u64 n = 9;
    begin(0, F0);
    perfmon_select_fixed(0, PERFMON_FIXED_OS, MINUS(n));  // without PMI
    irq_enable();
    pebs_work(F0);
    irq_disable();
    CHECK_EQ(pmis, 1);
    CHECK_EQ(pmi_status, PERFMON_BUFFER_FULL);
    CHECK_EQ(pmi_ip, pebs_ips[next ? n + 1 : n]);  // the interrupt comes right behind the record
    // Its own INT adds nothing, and no status bit.
    begin(0, PERFMON_BIT(2));
    area.threshold = area.maximum;
    perfmon_select(2, PERFMON_INSTRUCTIONS | PERFMON_OS | PERFMON_INT, MINUS(n));
    irq_enable();
    pebs_work(PERFMON_BIT(2));
    irq_disable();
    CHECK_EQ(pmis, 0);
    CHECK_EQ(perfmon_status(), 0);
    CHECK_EQ(records(), 1);
    // Freeze: counting ends with the record.
    begin(0, F0);
    wrmsr(MSR_DEBUGCTL, PERFMON_FREEZE);
    perfmon_select_fixed(0, PERFMON_FIXED_OS, MINUS(n));
    irq_enable();
    pebs_work(F0);
    irq_disable();
    CHECK_EQ(pmis, 1);
    CHECK_EQ(pmi_control, 0);
    CHECK_EQ(perfmon_read_fixed(0), 0);
}

// Where there is no room, the record is dropped without a signal, and the counter goes on.
static void check_room(void) {
    begin(0, F0);
    area.reset_fixed[0] = MINUS(2);
    area.maximum = area.base + 2 * PEBS_BASIC_BYTES + PEBS_BASIC_BYTES - 1;
    area.threshold = area.maximum;
    perfmon_select_fixed(0, PERFMON_FIXED_OS, MINUS(2));
    pebs_work(F0);
    CHECK_EQ(records(), 2);
    CHECK_EQ(buffer[2 * PEBS_BASIC_BYTES], 0xA5);
    CHECK_EQ(perfmon_status(), 0);
    CHECK(perfmon_read_fixed(0) >= MINUS(2));
}

// ---- faults and traps at the boundary

static volatile u32 faults;
static volatile u64 fault_ip, fault_address, fault_error, fault_index, fault_written;
static void* fault_page;
static void on_fault(struct trap_frame* f) {
    ++faults;
    fault_ip = f->rip;
    fault_address = read_cr2();
    fault_error = f->error;
    vm_protect(fault_page, VM_PAGE, VM_WRITE);
    fault_index = area.index;
    for (u64 n = 0; n < sizeof buffer; ++n) fault_written += buffer[n] != 0xA5;
}

// `from`: the index, in the buffer; `rights` of the page.
static void check_fault(void* page, u64 rights, u64 from, u64 address, u64 error) {
    const u64 n = 8;
    begin(0, F0);
    area.base = area.index += from;
    area.maximum += from;
    faults = 0;
    fault_written = 0;
    fault_page = page;
    perfmon_select_fixed(0, PERFMON_FIXED_OS, MINUS(n));
    trap_set_handler(TRAP_PF, on_fault);
    vm_protect(page, VM_PAGE, rights);
    pebs_work(F0);
    trap_set_handler(TRAP_PF, NULL);
    CHECK_EQ(faults, 1);
    CHECK_EQ(fault_ip, pebs_ips[next ? n + 1 : n]);  // at the boundary
    CHECK_EQ(fault_address, address);
    CHECK_EQ(fault_error, error);
    CHECK_EQ(fault_index, area.base);
    CHECK_EQ(fault_written, 0);
    // The first instruction behind the handler's return.
    const struct pebs_basic* r = pebs_next(&area, NULL);
    if (!CHECK(r != NULL)) return;
    CHECK_EQ(r->ip, pebs_ips[next ? n + 1 : n]);
    CHECK_EQ(records(), 1);
}

static void work(void* unused) {
    (void)unused;
    pebs_work(F0);
}

static void check_gp(void) {
    begin(0, F0);
    // Not canonical: the index is written by software.
    area.index = 1ul << 47;
    area.maximum = ~0ul;
    perfmon_select_fixed(0, PERFMON_FIXED_OS, MINUS(5));
    const struct fault f = trap_catch(work, NULL);
    perfmon_stop();
    CHECK(f.raised && f.vector == TRAP_GP && f.error == 0);
    CHECK_EQ(f.rip, pebs_ips[next ? 6 : 5]);
    // The handler has not returned there: the record is given up with the enable bit.
    perfmon_reset();
}

static volatile u32 traps;
static volatile u64 trap_ips[16], dr6, debugctl_in_trap;
static volatile bool again;
static void on_debug(struct trap_frame* f) {
    if (traps < 16) trap_ips[traps] = f->rip;
    ++traps;
    dr6 = read_dr6();
    debugctl_in_trap = rdmsr(MSR_DEBUGCTL);
    if (again) wrmsr(MSR_DEBUGCTL, PERFMON_BRANCH_STEPS);
}

static void check_single_step(void) {
    const u64 at = (u64)pebs_stepped;
    trap_set_handler(TRAP_DB, on_debug);
    begin(0, 0);
    traps = 0;
    pebs_step();
    CHECK_EQ(traps, 9);  // POPF that ends it is the last one
    const u64 ends[] = {1, 3, 5, 6, 8, 9};
    for (unsigned n = 0; n < 6; ++n) CHECK_EQ(trap_ips[n], at + ends[n]);
    // After taken branches only; the trap clears the bit.
    traps = 0;
    wrmsr(MSR_DEBUGCTL, PERFMON_BRANCH_STEPS);
    again = true;
    pebs_step();
    again = false;
    wrmsr(MSR_DEBUGCTL, 0);
    CHECK_EQ(traps, 1);
    CHECK_EQ(trap_ips[0], at + 8);
    CHECK_EQ(dr6 >> 14 & 1, 1);
    CHECK_EQ(debugctl_in_trap, 0);
    // A record and a trap at one boundary: the record comes first, then those of the handler.
    if (!next) {
        traps = 0;
        again = true;
        begin(PEBS_REGISTERS, PERFMON_BIT(0));
        area.threshold = area.maximum;
        area.reset[0] = MINUS(1);
        perfmon_select(0, PERFMON_BRANCHES | PERFMON_OS | PERFMON_ADAPTIVE, MINUS(1));
        wrmsr(MSR_DEBUGCTL, PERFMON_BRANCH_STEPS);
        perfmon_start(PERFMON_BIT(0));
        pebs_step();
        perfmon_stop();
        again = false;
        wrmsr(MSR_DEBUGCTL, 0);
        CHECK_EQ(traps, 1);
        const struct pebs_basic* r = pebs_next(&area, NULL);
        CHECK(r != NULL && r->ip >= (u64)(void*)pebs_step - 64);
        // A RET, CALL, JNZ, JMP before the trap.
        unsigned before = 0;
        for (; r != NULL && r->ip != at + 6; r = pebs_next(&area, r)) ++before;
        CHECK_EQ(before, 3);
        if (CHECK(r != NULL)) CHECK_EQ(pebs_registers_of(r)->ip, at + 8);
    }
    trap_set_handler(TRAP_DB, NULL);
}

// ---- loads

static void evict(void) {
    __asm__ volatile("wbinvd" : : : "memory");
}

#define LINES 200ul
static void check_loads(void) {
    static const u32 events[] = {PERFMON_LOADS_L1_HIT, PERFMON_LOADS_L1_MISS, PERFMON_LOADS_L2_MISS,
                                 PERFMON_LOADS_FB_HIT};
    for (unsigned warm = 0; warm < 2; ++warm) {
        perfmon_reset();
        if (!warm) evict();
        for (unsigned n = 0; n < 4; ++n) perfmon_select(n, events[n] | PERFMON_OS, 0);
        perfmon_start(0xF);
        pebs_misses(LINES);
        perfmon_stop();
        // Three in each round, and the RET of each of the two calls but the last.
        u64 loads = 3 * LINES + 1;
        const u64 hits = perfmon_read(0), l1 = perfmon_read(1), l2 = perfmon_read(2),
                  under_way = perfmon_read(3);
        CHECK_RANGE(hits + l1 + under_way, loads, loads + 4);
        CHECK(l2 <= l1);
        if (warm)
            CHECK_EQ(l2, 0);
        else
            CHECK_RANGE(l2, LINES, LINES + 1);
        perfmon_reset();
        if (!warm) evict();
        perfmon_select(0, PERFMON_LOADS_L1_MISS | PERFMON_OS, 0);
        perfmon_select(1, PERFMON_LOADS_L2_HIT | PERFMON_OS, 0);
        perfmon_select(2, PERFMON_LOADS_L2_MISS | PERFMON_OS, 0);
        perfmon_start(7);
        pebs_misses(LINES);
        perfmon_stop();
        CHECK_EQ(perfmon_read(0), perfmon_read(1) + perfmon_read(2));
    }
}

static u64 histogram[8];
static u64 reset_to;
static void on_sample(struct trap_frame* f) {
    perfmon_stop();
    // Instructions behind the load, by their addresses in the loop.
    static const u8 lengths[] = {3, 1, 7, 8, 3, 1, 2};
    u64 at = (u64)pebs_miss;
    unsigned n = 0;
    while (n < 7 && at != f->rip) at += lengths[n++];
    ++histogram[n];
    perfmon_clear_status(PERFMON_ALL);
    wrmsr(MSR_A_PMC, reset_to);
    apic_write(APIC_LVT_PERFORMANCE, VECTOR);
    apic_eoi();
    perfmon_start(PERFMON_BIT(0));
}

// The same event sampled in both ways: PEBS names the load each time, the interrupt does not.
static void check_skid(void) {
    begin(PEBS_MEMORY, PERFMON_BIT(0));
    area.threshold = area.maximum;
    area.reset[0] = MINUS(4);
    evict();
    (void)*(volatile const u64*)pebs_near;
    perfmon_select(0, PERFMON_LOADS_L2_MISS | PERFMON_OS | PERFMON_ADAPTIVE, MINUS(4));
    perfmon_start(PERFMON_BIT(0));
    pebs_misses(LINES);
    perfmon_stop();
    unsigned n = 0;
    for (const struct pebs_basic* r = pebs_next(&area, NULL); r != NULL; r = pebs_next(&area, r)) {
        const struct pebs_memory* m = pebs_memory_of(r);
        CHECK_EQ(r->ip, (u64)pebs_miss);
        CHECK_EQ(m->source, 0xC);
        CHECK_RANGE(m->latency, 100, 2000);
        CHECK_EQ((m->address - (u64)pebs_lines) % (5 * 64), 0);
        ++n;
    }
    const u64 period = next ? 5 : 4;
    CHECK_RANGE(n, LINES / period - 1, LINES / period);
    begin(0, 0);
    trap_set_handler(VECTOR, on_sample);
    reset_to = MINUS(4);
    evict();
    (void)*(volatile const u64*)pebs_near;
    perfmon_select(0, PERFMON_LOADS_L2_MISS | PERFMON_OS | PERFMON_INT, reset_to);
    irq_enable();
    perfmon_start(PERFMON_BIT(0));
    pebs_misses(LINES);
    perfmon_stop();
    irq_disable();
    trap_set_handler(VECTOR, on_pmi);
    u64 samples = 0;
    printf("samples by the distance from the load: PEBS %u at it; interrupt", n);
    for (unsigned k = 0; k < 8; ++k) {
        printf(" %lu", histogram[k]);
        samples += histogram[k];
    }
    printf("\n");
    CHECK_EQ(histogram[0], 0);
    CHECK_RANGE(samples, LINES / 4 - 1, LINES / 4 + 1);  // the stack misses, too
}

int main(void) {
    next = option("next");
    trap_set_handler(VECTOR, on_pmi);
    irq_disable();
    CHECK_EQ(PERFMON_PEBS_FORMAT(rdmsr(MSR_PERF_CAPABILITIES)), 4);
    CHECK_EQ(rdmsr(MSR_MISC_ENABLE) >> 12 & 1, 0);
    check_each_instruction();
    if (!next) check_suite();
    check_user();
    check_threshold();
    check_room();
    // Bits of the error code: 0 present, 1 write. Nothing is written before all of it can be.
    check_fault(buffer, 0, 0, (u64)buffer, 2);
    check_fault(buffer + VM_PAGE, 0, VM_PAGE - 16, (u64)buffer + VM_PAGE, 2);
    check_fault(&area, 0, 0, (u64)&area.base, 0);
    check_fault(&area, VM_PRESENT, 0, (u64)&area.index, 3);
    check_gp();
    check_single_step();
    check_loads();
    check_skid();
    CHECK_EQ(behind_area[0], 0);
    return check_summary();
}
