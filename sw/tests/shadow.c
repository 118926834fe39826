// The shadow of STI and MOV SS: exactly one instruction executes before an interrupt or an NMI,
// even if that instruction must wait for data, for code or for its translation.
//
// NMIs come from the PMU, interrupts from the timer, both mostly while the instruction waits.
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/printf.h"
#include "lib/trap.h"
#include "lib/vm.h"

#define TIMER_VECTOR 0x61
#define ROUNDS 400u

#define SHADOW(name)                                               \
    void shadow_##name(u64 rounds, void* line, void* translation); \
    extern char shadow_##name##_at[], shadow_##name##_next[]
SHADOW(ss_load);
SHADOW(ss_store);
SHADOW(ss_update);
SHADOW(ss_locked);
SHADOW(ss_walk);
SHADOW(ss_fetch);
SHADOW(sti_load);
SHADOW(sti_store);
SHADOW(sti_update);
SHADOW(sti_locked);
SHADOW(sti_walk);
SHADOW(sti_fetch);

struct shadow {
    const char* name;
    void (*loop)(u64, void*, void*);
    const char *at, *next;
};
#define ROW(name) \
    { #name, shadow_##name, shadow_##name##_at, shadow_##name##_next }
static const struct shadow shadows[] = {
    ROW(ss_load),  ROW(ss_store),  ROW(ss_update),  ROW(ss_locked),  ROW(ss_walk),  ROW(ss_fetch),
    ROW(sti_load), ROW(sti_store), ROW(sti_update), ROW(sti_locked), ROW(sti_walk), ROW(sti_fetch),
};

static const struct shadow* present;
static volatile u32 inside, behind, all;
static u64 period;

static void note(const struct trap_frame* f) {
    ++all;
    inside += f->rip == (u64)present->at;
    behind += f->rip == (u64)present->next;
}

static void on_nmi(struct trap_frame* f) {
    pmu_stop();
    note(f);
    pmu_clear_status(1);
    apic_write(APIC_LVT_PERFORMANCE, APIC_MODE_NMI);
    period = period * 5 % 1009 + 150;
    pmu_write(0, 0 - period);
    pmu_start(1);
}

static void on_tick(struct trap_frame* f) {
    note(f);
    apic_eoi();
}

static void run(const struct shadow* s, void* line, const char* what) {
    present = s;
    inside = behind = all = 0;
    u8* const at = s->loop == shadow_ss_fetch || s->loop == shadow_sti_fetch ? (u8*)s->at : line;
    s->loop(ROUNDS, at, vm_entry(line));
    irq_disable();
    printf("%s: %u %s, %u in the shadow, %u behind it\n", s->name, all, what, inside, behind);
    CHECK_EQ(inside, 0);
}

int main(void) {
    u64* const line = heap_allocate(VM_PAGE, VM_PAGE);
    if (!CHECK(line != NULL)) return check_summary();
    CHECK(vm_protect(line, VM_PAGE, VM_WRITE));
    trap_set_handler(TRAP_NMI, on_nmi);
    trap_set_handler(TIMER_VECTOR, on_tick);
    for (u32 i = 0; i < sizeof shadows / sizeof shadows[0]; ++i) {
        // The instruction loads RSP.
        u64 rsp;
        __asm__("movq %%rsp, %0" : "=r"(rsp));
        line[0] = rsp - 512;
        pmu_reset();
        apic_write(APIC_LVT_PERFORMANCE, APIC_MODE_NMI);
        period = 200 + i;
        pmu_select(0, PMU_EVENT_CPU_CLK_UNHALTED | PMU_OS | PMU_INT, 0 - period);
        pmu_start(1);
        run(&shadows[i], line, "NMIs");
        pmu_stop();
        // The loop waits most of the time; the thread takes an event of that time after the
        // instruction.
        CHECK(behind >= 20);
    }
    for (u32 i = 6; i < sizeof shadows / sizeof shadows[0]; ++i) {
        apic_timer_start(TIMER_VECTOR, true, 1, 977);
        run(&shadows[i], line, "interrupts");
        apic_timer_stop();
        CHECK(behind >= 20);
    }
    return check_summary();
}
