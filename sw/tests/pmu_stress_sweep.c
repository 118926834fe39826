// The overflow interrupt at every instruction, and every element, of every class of code.
//
// A kernel runs once with single steps: the processor itself lists the boundaries between its
// instructions, with all registers. Then it runs once for each distance p of the counter from its
// end, so that each of its events in turn overflows it. The interrupt must come at the first open
// boundary after event p, with exactly the registers of the list; or, if event p was that of the
// first of a pair, at the one after. Then it runs under short periods, and with an overflow in
// every clock. It always ends with the same results and the same count.
//
// Interrupts at ring 0 count their own instructions, SWEEP_ENTRY before the counters stop and
// SWEEP_EXIT after they start.
//
// Command line: cold (each run begins with empty caches and TLBs), busy (the other threads of the
// core work).
#include "boot/layout.h"
#include "drivers/apic/apic.h"
#include "drivers/pmu/pmu.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "lib/thread.h"
#include "lib/trap.h"
#include "lib/user.h"
#include "lib/vm.h"
#include "tests/pmu_stress_sweep.h"

#define PMI_VECTOR 0x60
#define TRAP_VECTOR 0x71
#define GATE_RING0 0x8E
#define GATE_USER 0xEE
#define SWEEP_ENTRY 10u
#define SWEEP_EXIT 5u
#define NUMBER 99u  // of a system call that does not exist

#define DECLARE(name, ...) u64 sweep_kernel_##name(u64);
EVERY(DECLARE)

static const struct kernel {
    const char* name;
    user_function code;
    unsigned ring;
    u32 event;
    u64 instructions, events;
} kernels[] = {
#define ROW(name, ring, event, instructions, events) \
    {#name, sweep_kernel_##name, ring, PMU_EVENT_##event, instructions, events},
    EVERY(ROW)};
#define KERNELS (sizeof kernels / sizeof kernels[0])

extern char sweep_on_step[], sweep_on_nmi[], sweep_on_pmi[], sweep_patch[], sweep_patch_end[];
extern char syscall_entry[], sweep_far_target[], sweep_far_end[];
extern const u64 trap_stubs[];

#define AREA 1280
#define PAGE_USED 256  // what the kernels write of the page
USER_BSS u8 sweep_area[AREA] __attribute__((aligned(4096)));
USER_BSS u64 sweep_result[6];
USER_BSS u32 sweep_flags;  // more flags for the kernel
USER_BSS u64 sweep_after;  // RFLAGS after the single steps of a kernel itself
USER_BSS u8 *sweep_page, *sweep_code;
USER_BSS u64 sweep_far_pointer[4];

// A boundary between instructions.
#define MOST_BOUNDARIES 128
struct boundary {
    struct trap_frame at;
    u64 events, instructions;
};
static struct boundary list[MOST_BOUNDARIES];
static u32 boundaries;

enum mode { PLAIN, TRACE, ONCE, PERIODIC, BY_CLOCKS };
static enum mode mode;
static const struct kernel* present;
static bool by_nmi, cold, busy;
static u64 period, periods;
static u64 own;  // instructions of the service routine that were counted
static volatile u32 pmis, steps, faults, in_pairs, in_stubs;
static u64 resumed;  // where a handler of a fault returned to
static bool ended;

static struct outcome {
    u64 result[6];
    u64 area[AREA / 8], page[PAGE_USED / 8];
} expected;

static bool region_open(void) {
    return (rdmsr(MSR_PERF_SPFLT_CONTROL) & PMU_USER_PREFERENCE) != 0;
}

static void note(const struct trap_frame* f, u64 events, u64 instructions) {
    if (!CHECK(boundaries < MOST_BOUNDARIES)) return;
    list[boundaries++] = (struct boundary){*f, events, instructions};
}

// A boundary that no single step shows, because a handler returns to it.
static void note_return(const struct trap_frame* f) {
    if (mode == TRACE) note(f, pmu_read(0), pmu_read(1));
}

static u64 without(u64 flags, u64 bits) {
    return flags & ~bits;
}

// The list has the trap flag in RFLAGS, and in the copy that SYSCALL makes in R11.
static bool same(const struct trap_frame* f, const struct trap_frame* want) {
    return f->rip == want->rip && f->cs == want->cs && f->ss == want->ss && f->rsp == want->rsp &&
           without(f->rflags ^ want->rflags, RFLAGS_TF | RFLAGS_RF) == 0 &&
           without(f->r11 ^ want->r11, RFLAGS_TF) == 0 && f->r15 == want->r15 &&
           f->r14 == want->r14 && f->r13 == want->r13 && f->r12 == want->r12 &&
           f->r10 == want->r10 && f->r9 == want->r9 && f->r8 == want->r8 && f->rdi == want->rdi &&
           f->rsi == want->rsi && f->rbp == want->rbp && f->rbx == want->rbx &&
           f->rdx == want->rdx && f->rcx == want->rcx && f->rax == want->rax;
}

// Whether the processor accepts the interrupt there: not in the shadow of an STI that enabled
// interrupts, a vector with interrupts enabled only. MOV SS shadows single steps too.
static bool open(u32 n) {
    const struct trap_frame* f = &list[n].at;
    const bool on = (f->rflags & RFLAGS_IF) != 0;
    const bool was_on = n != 0 && (list[n - 1].at.rflags & RFLAGS_IF) != 0;
    if (on && !was_on && ((const u8*)f->rip)[-1] == 0xFB) return false;
    return on || by_nmi;
}

// RF is 1 between the elements of a string instruction, so that its breakpoint does not come again,
// and while an instruction to which a handler of a fault has returned still waits for memory.
static bool resume_flag(u32 n) {
    const struct boundary* b = &list[n];
    return b->at.rip == resumed ||
           (n != 0 && b[-1].at.rip == b->at.rip && b[-1].instructions == b->instructions);
}

static bool check_boundary(const struct trap_frame* f, u64 events, u64 instructions) {
    u32 n = 0;
    if (mode == ONCE)
        while (n < boundaries && (list[n].events < period || !open(n))) ++n;
    const u32 first = n;
    while (n < boundaries && !((list[n].events == events || mode == BY_CLOCKS) &&
                               list[n].instructions == instructions && same(f, &list[n].at)))
        ++n;
    if (!CHECK(n < boundaries)) return false;
    CHECK_EQ((f->rflags & RFLAGS_RF) != 0, resume_flag(n));
    if (mode != ONCE) return true;
    in_pairs += n != first;
    return CHECK(n <= first + 1);
}

// An NMI before the first instruction of a handler that the kernel has called.
static bool check_stub(const struct trap_frame* f, u64 events) {
    static const unsigned vectors[] = {TRAP_BP, TRAP_UD, TRAP_DE, TRAP_PF, TRAP_MF, TRAP_VECTOR};
    ++in_stubs;
    bool known = f->rip == (u64)sweep_on_step || f->rip == (u64)syscall_entry;
    for (u32 i = 0; i < sizeof vectors / sizeof *vectors; ++i)
        known = known || f->rip == trap_stubs[vectors[i]];
    return CHECK(by_nmi && known) && (mode != ONCE || CHECK_RANGE(events, period, period + 1));
}

static void on_overflow(const struct trap_frame* f, u64 value, u64 events, u64 instructions) {
    ++pmis;
    CHECK_EQ(pmu_status(), 1);
    const bool good = present->ring == 3 && frame_cpl(f) == 0
                          ? check_stub(f, events)
                          : check_boundary(f, events, instructions);
    if (!good)
        printf("  %s, period %lu: rip %lx flags %lx, events %lu, instructions %lu\n", present->name,
               period, f->rip, f->rflags, events, instructions);
    if (mode == PERIODIC) {
        periods += 1 + value / period;
        pmu_write(0, value % period - period);
    }
    pmu_clear_status(1);
    apic_write(APIC_LVT_PERFORMANCE, by_nmi ? APIC_MODE_NMI : PMI_VECTOR);
    if (!by_nmi) apic_eoi();
}

// Called with the counters stopped; they run again afterwards.
void sweep_service(struct trap_frame* f);
void sweep_service(struct trap_frame* f) {
    const bool counted = present->ring == 0 && region_open();
    const u64 here = own + (counted ? SWEEP_ENTRY : 0);
    const u64 value = pmu_read(0);
    const u64 events =
        ((value + (mode == PERIODIC ? periods + 1 : 1) * period) & PMU_COUNTER_MASK) - here;
    const u64 instructions = pmu_read(1) - here;
    if (f->vector != TRAP_DB) {
        on_overflow(f, value, events, instructions);
    } else if (mode != TRACE) {
        ++steps;
    } else if (region_open() || (boundaries != 0 && !ended)) {
        ended = !region_open();
        note(f, events, instructions);
    }
    if (counted) own += SWEEP_ENTRY + SWEEP_EXIT;
}

static void on_page_fault(struct trap_frame* f) {
    if (++faults > 9) panic(f, "the page fault does not go away");
    CHECK(vm_protect((void*)read_cr2(), 1, VM_WRITE | VM_USER));
    resumed = f->rip;
}
static void on_x87(struct trap_frame* f) {
    ++faults;
    __asm__ volatile("fnclex");
    resumed = f->rip;
}
static void skip_two(struct trap_frame* f) {
    ++faults;
    f->rip += 2;
    resumed = f->rip;
    note_return(f);
}
static void on_trap(struct trap_frame* f) {
    ++faults;
    note_return(f);
}
static trap_handler system_calls;
static void on_system_call(struct trap_frame* f) {
    if (f->rax == NUMBER) {
        f->rax = ~0ul;
        ++faults;
        note_return(f);
    } else {
        system_calls(f);
    }
}

static void prepare(void) {
    // Alike in every line; no byte is 0.
    for (u32 n = 0; n < AREA / 8; ++n) ((u64*)sweep_area)[n] = 0x0101010101010101 * (n % 8 * 3 + 1);
    vm_protect(sweep_page, VM_PAGE, VM_WRITE | VM_USER);
    memset(sweep_page - PAGE_USED, 0, 2 * PAGE_USED);
    memcpy(sweep_code, sweep_patch, (size_t)(sweep_patch_end - sweep_patch));
    vm_protect(sweep_page, VM_PAGE, 0);
    pmis = steps = faults = 0;
    periods = own = resumed = 0;
    ended = false;
}

static void run(enum mode how, u64 distance) {
    prepare();
    mode = how;
    period = distance;
    sweep_flags = mode == TRACE ? RFLAGS_TF : 0;
    sweep_after = 2 | RFLAGS_IF | sweep_flags;
    if (mode == TRACE) boundaries = 0;
    const u32 levels = present->ring == 3 ? PMU_USER : PMU_OS;
    const u32 interrupt = mode == PLAIN || mode == TRACE ? 0 : PMU_INT;
    const u32 event = mode == BY_CLOCKS ? PMU_EVENT_CPU_CLK_UNHALTED : present->event;
    pmu_reset();
    pmu_set_filter(3, false);
    pmu_select(0, event | levels | interrupt, 0 - period);
    pmu_select(1, PMU_EVENT_INSTRUCTIONS_EXECUTED | levels, 0);
    apic_write(APIC_LVT_PERFORMANCE, by_nmi ? APIC_MODE_NMI : PMI_VECTOR);
    if (cold) {
        __asm__ volatile("wbinvd" : : : "memory");
        write_cr3(read_cr3());
    }
    pmu_start(3);
    if (present->ring == 3) {
        user_call(present->code, 0);
    } else {
        irq_enable();
        present->code(0);
        irq_disable();
    }
    pmu_stop();
    apic_write(APIC_LVT_PERFORMANCE, APIC_LVT_MASKED);
}

static void remember(void) {
    vm_protect(sweep_page, VM_PAGE, VM_WRITE | VM_USER);
    memcpy(expected.result, sweep_result, sizeof expected.result);
    memcpy(expected.area, sweep_area, AREA);
    memcpy(expected.page, sweep_page, PAGE_USED);
}

static bool equal(const void* a, const void* b, u32 bytes) {
    u64 different = 0;
    for (u32 n = 0; n < bytes / 8; ++n) different |= ((const u64*)a)[n] ^ ((const u64*)b)[n];
    return different == 0;
}

static void check_outcome(u32 traps, u32 steps_wanted) {
    vm_protect(sweep_page, VM_PAGE, VM_WRITE | VM_USER);
    const bool good = CHECK(equal(sweep_result, expected.result, sizeof expected.result)) &
                      CHECK(equal(sweep_area, expected.area, AREA)) &
                      CHECK(equal(sweep_page, expected.page, PAGE_USED)) & CHECK_EQ(faults, traps) &
                      CHECK_EQ(steps, steps_wanted);
    if (!good) printf("  %s, mode %u, period %lu\n", present->name, mode, period);
}

// Overflows in every clock of the kernel, or in a good part of them: also while it waits for
// memory.
static u64 sweep_clocks(u32 traps, u32 own_steps, u64 instructions) {
    run(BY_CLOCKS, PMU_COUNTER_MASK);
    const u64 clocks = pmu_read(0) - 1;
    u64 taken = 0;
    for (u64 p = 1; p <= clocks; p += clocks / (cold || busy ? 64 : 256) + 1) {
        run(BY_CLOCKS, p);
        // The last clocks are those of the SPFLT. Memory and other threads may cost other clocks
        // now.
        CHECK(pmis == 1 || p + 100 > clocks || cold || busy);
        CHECK_EQ(pmu_read(1) - own, instructions);
        check_outcome(traps, own_steps);
        taken += pmis;
    }
    return taken;
}

static void sweep(const struct kernel* k) {
    present = k;
    by_nmi = false;
    run(PLAIN, 0);
    const u32 traps = faults, own_steps = steps;
    remember();
    CHECK_EQ(pmu_read(1), k->instructions);
    CHECK_EQ(pmu_read(0), k->events);
    const u64 all = pmu_read(0), instructions = pmu_read(1);
    run(TRACE, 0);
    check_outcome(traps, 0);
    CHECK_EQ(list[boundaries - 1].instructions, instructions);
    u64 pmis_in_all = 0, by_clocks = 0;
    in_pairs = in_stubs = 0;
    for (u32 nmi = 0; nmi < 2; ++nmi) {
        by_nmi = nmi == 1;
        for (u64 p = 1; p <= all + 1; ++p) {
            run(ONCE, p);
            CHECK_EQ(pmis, p <= all ? 1 : 0);
            CHECK_EQ(((pmu_read(0) + p) & PMU_COUNTER_MASK) - own, all);
            CHECK_EQ(pmu_read(1) - own, instructions);
            check_outcome(traps, own_steps);
        }
        // At ring 0 a period must be longer than the service.
        const u64 least = k->ring == 3 ? 1 : SWEEP_ENTRY + SWEEP_EXIT + 1;
        for (u64 p = least; p < least + 8; ++p) {
            run(PERIODIC, p);
            const u64 total = ((pmu_read(0) + p) & PMU_COUNTER_MASK) + periods * p;
            CHECK_EQ(total - own, all);
            CHECK_EQ(pmu_read(1) - own, instructions);
            check_outcome(traps, own_steps);
            pmis_in_all += pmis;
        }
        by_clocks += sweep_clocks(traps, own_steps, instructions);
    }
    printf(
        "%s: %u boundaries, %lu events, %u late by a pair, %u in handlers, %lu PMIs of short "
        "periods, %lu by clocks\n",
        k->name, boundaries, all, in_pairs, in_stubs, pmis_in_all, by_clocks);
    // In a sequence of pairs every second overflow is that of the first of a pair; in a chain none.
    if (k->code == sweep_kernel_chain) CHECK_EQ(in_pairs, 0);
    if (k->code == sweep_kernel_pairs) CHECK_EQ(in_pairs, 2 * 8);
}

static bool set_up(void) {
    u8* const pages = heap_allocate(3 * VM_PAGE, VM_PAGE);
    if (!CHECK(pages != NULL)) return false;
    sweep_page = pages + VM_PAGE;
    sweep_code = pages + 2 * VM_PAGE;
    sweep_far_pointer[0] = (u64)sweep_far_target;
    sweep_far_pointer[1] = USER_CODE | 3;
    sweep_far_pointer[2] = (u64)sweep_far_end;
    sweep_far_pointer[3] = USER_CODE | 3;
    trap_set_code(TRAP_DB, sweep_on_step, GATE_RING0);
    trap_set_code(TRAP_NMI, sweep_on_nmi, GATE_RING0);
    trap_set_code(PMI_VECTOR, sweep_on_pmi, GATE_RING0);
    trap_set_gate(TRAP_VECTOR, GATE_USER, 0);
    trap_set_handler(TRAP_VECTOR, on_trap);
    trap_set_handler(TRAP_BP, on_trap);
    trap_set_handler(TRAP_UD, skip_two);
    trap_set_handler(TRAP_DE, skip_two);
    trap_set_handler(TRAP_PF, on_page_fault);
    trap_set_handler(TRAP_MF, on_x87);
    system_calls = trap_set_handler(SYSCALL_VECTOR, on_system_call);
    return CHECK(vm_protect(pages, 3 * VM_PAGE, VM_WRITE | VM_USER));
}

// Microcode, long instructions and memory, which keep the core's stages and caches from the
// kernels.
static void disturb(struct thread* t) {
    static u8 areas[4][4 * VM_PAGE];
    u8* const area = areas[t->index];
    for (;;) {
        __asm__ volatile(
            "movl $7, %%ecx\n\tmovl $1000, %%eax\n\txorl %%edx, %%edx\n\tdivl %%ecx\n\t"
            "movl $100, %%ecx\n\tmovq %0, %%rdi\n\tleaq 8192(%0), %%rsi\n\trep movsq\n\t"
            "lock incl (%0)\n\tclevict1 (%0)\n\tcpuid"
            :
            : "r"(area)
            : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "memory", "cc");
    }
}

int main(void) {
    cold = option("cold");
    busy = option("busy");
    if (busy)
        for (u32 n = 1; n < 4; ++n) CHECK(thread_boot(apic_id() ^ n, disturb) != NULL);
    if (set_up())
        for (u32 n = 0; n < KERNELS; ++n) sweep(&kernels[n]);
    return check_summary();
}
