// Traps and ownership of the vector unit: single steps and data breakpoints in gathers, scatters
// and unaligned accesses, code that vector stores modify, CR0.TS and CR0.EM, FXSAVE and FXRSTOR,
// LDMXCSR.
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/knc_vector.h"
#include "lib/lock.h"
#include "lib/string.h"
#include "lib/trap.h"
#include "lib/vm.h"
#include "tests/vector_kernels.h"

#define BYTES (2 * VM_PAGE)
#define CR0_EM (1ul << 2)
#define CR0_TS (1ul << 3)
#define MXCSR_DUE (1u << 21)
#define MXCSR_VALID 0x30E07Fu

static u8 *area, *shadow;
static u64 seed = 0xD1B54A32D192ED03ul;
static struct arguments arguments;
static struct plan plan;
static const struct kernel* kernel;
static u8 lanes[64] __attribute__((aligned(64))), seen[64] __attribute__((aligned(64)));

static u32 read_k1(void) {
    u32 mask;
    __asm__ volatile("kmov %%k1, %0" : "=r"(mask));
    return mask;
}
static void see_zmm1(void) {
    __asm__ volatile("vmovdqa32 %%zmm1, %0" : "=m"(*(knc_64*)seen));
}

static void prepare(const struct kernel* k) {
    kernel = k;
    random_arguments(&seed, k, BYTES, &arguments);
    plan_kernel(&plan, k, (u64)area + arguments.base, arguments.index, arguments.mask);
    memcpy(lanes, arguments.lanes, 64);
}
static u32 run(void) {
    return kernel->run(area + arguments.base, arguments.index, arguments.lanes, arguments.mask);
}
static void apply(u32 served) {
    apply_lanes(&plan, kernel, served, (u64)(shadow - area), lanes);
}
static void check_end(void) {
    CHECK(memcmp(arguments.lanes, lanes, 64) == 0);
    CHECK(memcmp(area, shadow, BYTES) == 0);
}

// ---- single steps

static u32 step, before_instruction, behind_instruction, ends;

// Each step is one execution, and it ends completely. The mask tells how many there were; for the
// forms of a pair it is the place.
static void on_step(struct trap_frame* f) {
    const u8* const rip = (const u8*)f->rip;
    see_zmm1();
    const u32 k1 = read_k1();
    CHECK_EQ(read_dr6(), 0xFFFF4FF0);
    write_dr6(0);
    if (rip == kernel->end) {
        ++ends;
        f->rflags &= ~RFLAGS_TF;
    }
    if (rip < kernel->at || rip > kernel->end) return;
    if (rip == kernel->at) {
        ++before_instruction;
    } else if (!kernel_sparse(kernel) || rip != kernel->end) {
        // Behind an execution.
        ++behind_instruction;
        const bool accessed =
            step < plan.count && (kernel_sparse(kernel) ||
                                  (plan.steps[step].rip == kernel->high) == (rip == kernel->end));
        if (accessed) apply(plan.steps[step++].served);
    }
    CHECK(memcmp(seen, lanes, 64) == 0);
    if (kernel_sparse(kernel)) CHECK_EQ(k1, step < plan.count ? plan.steps[step].mask : 0);
}

static void check_steps(void) {
    trap_set_handler(TRAP_DB, on_step);
    for (u32 n = 0; n < 4 * KERNELS; ++n) {
        prepare(&kernels[n % KERNELS]);
        step = before_instruction = behind_instruction = ends = 0;
        write_dr6(0);
        write_rflags(read_rflags() | RFLAGS_TF);
        const u32 left = run();
        CHECK_EQ(left, kernel_sparse(kernel) ? 0 : arguments.mask);
        CHECK_EQ(step, plan.count);
        // A gather without lanes executes once.
        const u32 executions = plan.count == 0 ? 1 : plan.count;
        CHECK_EQ(before_instruction, kernel_sparse(kernel) ? executions : 1);
        CHECK_EQ(behind_instruction, kernel_sparse(kernel) ? executions : 2);
        CHECK_EQ(ends, 1);
        check_end();
    }
    trap_set_handler(TRAP_DB, NULL);
}

// ---- data breakpoints

enum { WRITE = 1, ACCESS = 3 };

static u32 hits;
static u64 hit_rip, hit_dr6;
static u32 hit_mask;

static void on_breakpoint(struct trap_frame* f) {
    ++hits;
    hit_rip = f->rip;
    hit_dr6 = read_dr6();
    hit_mask = read_k1();
    write_dr6(0);
}
static void watch(u64 address, u32 kind, u32 bytes) {
    write_dr0(address);
    write_dr7(2 | (u64)kind << 16 | (u64)(bytes == 8 ? 2 : bytes - 1) << 18);
}
// The step that serves the lane; NULL if none does.
static const struct step* step_of(u32 lane) {
    for (u32 n = 0; n < plan.count; ++n)
        if ((plan.steps[n].served >> lane & 1) != 0) return &plan.steps[n];
    return NULL;
}
static bool accessed(u64 byte) {
    for (u32 n = 0; n < kernel_lanes(kernel); ++n)
        if ((plan.active >> n & 1) != 0 && byte >= plan.at[n] && byte < plan.at[n] + kernel->bytes)
            return true;
    return false;
}

// The instruction that serves the element ends, then the breakpoint is reported, once.
static void check_element(const struct kernel* k) {
    prepare(k);
    if (plan.count == 0) return;
    u32 lane;
    do {
        lane = random_below(&seed, kernel_lanes(k));
    } while ((plan.active >> lane & 1) == 0);
    const struct step* const s = step_of(lane);
    hits = 0;
    watch(plan.at[lane], k->store ? WRITE : ACCESS, k->bytes);
    run();
    write_dr7(0);
    CHECK_EQ(hits, 1);
    CHECK_EQ(hit_dr6, 0xFFFF0FF1);
    if (kernel_sparse(k)) {
        // The branch follows.
        CHECK(hit_rip > (u64)k->at && hit_rip < (u64)k->end);
        CHECK_EQ(hit_mask, s->mask & ~s->served);
    } else {
        CHECK_EQ(hit_rip, s->rip == k->at ? (u64)k->high : (u64)k->end);
    }
    for (u32 n = 0; n < plan.count; ++n) apply(plan.steps[n].served);
    check_end();
}
// Bytes of the same line that no lane has, and an element that is only read.
static void check_beside(const struct kernel* k) {
    prepare(k);
    if (plan.count == 0) return;
    const struct step* const s = &plan.steps[random_below(&seed, plan.count)];
    u64 free_byte = s->first / LINE * LINE + random_below(&seed, LINE);
    for (u32 n = 0; n < LINE && accessed(free_byte); ++n)
        free_byte = free_byte / LINE * LINE + (free_byte + 1) % LINE;
    if (!k->store) {
        hits = 0;
        watch(s->first, WRITE, k->bytes);
        run();
        CHECK_EQ(hits, 0);
        memcpy(arguments.lanes, lanes, 64);
    }
    if (!accessed(free_byte)) {
        hits = 0;
        watch(free_byte, ACCESS, 1);
    }
    run();
    write_dr7(0);
    CHECK_EQ(hits, 0);
    for (u32 n = 0; n < plan.count; ++n) apply(plan.steps[n].served);
    check_end();
}

void store_lanes(void* to, const void* from, u32 mask);

// A store under a mask meets the breakpoints of active lanes alone.
static void check_masked_store(void) {
    for (u32 lane = 0; lane < LANES; ++lane) {
        hits = 0;
        watch((u64)area + 4 * lane, ACCESS, 4);
        store_lanes(area, lanes, 0xFFFF & ~(1u << lane));
        CHECK_EQ(hits, 0);
        store_lanes(area, lanes, 1u << lane);
        CHECK_EQ(hits, 1);
    }
    write_dr7(0);
    memcpy(shadow, area, BYTES);
}

static void check_breakpoints(void) {
    trap_set_handler(TRAP_DB, on_breakpoint);
    for (u32 n = 0; n < 8 * KERNELS; ++n) {
        check_element(&kernels[n % KERNELS]);
        check_beside(&kernels[n % KERNELS]);
    }
    check_masked_store();
    trap_set_handler(TRAP_DB, NULL);
}

// ---- modified code

extern const u8 shift_code[], shift_code_count[], shift_code_end[];
extern const u8 shift_ahead[], shift_ahead_count[], shift_ahead_end[];
typedef void (*shift_function)(const u32* from, u32* to, u8* count);
typedef void (*store_function)(void* to, const void* from);
void store_aligned(void* to, const void* from);
void store_masked(void* to, const void* from);
void store_packed(void* to, const void* from);
void store_scattered(void* to, const void* from);
void store_stream(void* to, const void* from);
void store_weakly(void* to, const void* from);

static void check_shift(shift_function f, u8* count, u32 shift) {
    static u32 from[LANES] __attribute__((aligned(64))), to[LANES] __attribute__((aligned(64)));
    for (u32 n = 0; n < LANES; ++n) from[n] = n + 1;
    f(from, to, count);
    for (u32 n = 0; n < LANES; ++n) CHECK_EQ(to[n], (n + 1) << shift);
}

static void check_modified_code(u8* code) {
    static const store_function stores[] = {store_aligned,   store_masked, store_packed,
                                            store_scattered, store_stream, store_weakly};
    static u8 line[64] __attribute__((aligned(64)));
    memcpy(line, shift_code, 64);
    CHECK_EQ(shift_code_end - shift_code, 64);
    for (u32 n = 0; n < 24; ++n) {
        line[shift_code_count - shift_code - 1] = (u8)n;
        stores[n % 6](code, line);
        // The streaming stores of the last kind need it.
        memory_barrier();
        check_shift((shift_function)(u64)code, NULL, n);
    }
    // Its own next instruction but one.
    memcpy(code, shift_ahead, (size_t)(shift_ahead_end - shift_ahead));
    knc_kmov(3, 1);
    for (u32 n = 1; n < 20; ++n) {
        knc_vpbroadcastd(3, &n);
        check_shift((shift_function)(u64)code, code + (shift_ahead_count - shift_ahead) - 1, n);
    }
}

// ---- the owner of the unit

static u32 unavailable;
static u64 unavailable_rip;

static void on_unavailable(struct trap_frame* f) {
    ++unavailable;
    unavailable_rip = f->rip;
    __asm__ volatile("clts");
}
static void run_kernel(void* unused) {
    (void)unused;
    run();
}

static void check_owner(void) {
    trap_set_handler(TRAP_NM, on_unavailable);
    for (u32 n = 0; n < KERNELS; ++n) {
        prepare(&kernels[n]);
        unavailable = 0;
        write_cr0(read_cr0() | CR0_TS);
        run();
        CHECK_EQ(unavailable, 1);
        CHECK_EQ(unavailable_rip, (u64)kernel->run);
        for (u32 s = 0; s < plan.count; ++s) apply(plan.steps[s].served);
        check_end();
        // CR0.EM comes first.
        write_cr0(read_cr0() | CR0_TS | CR0_EM);
        const struct fault f = trap_catch(run_kernel, NULL);
        write_cr0(read_cr0() & ~(CR0_TS | CR0_EM));
        CHECK(f.raised);
        CHECK_EQ(f.vector, TRAP_UD);
        CHECK_EQ(f.rip, (u64)kernel->run);
        CHECK_EQ(unavailable, 1);
    }
    trap_set_handler(TRAP_NM, NULL);
}

// ---- state

static u8 image[512] __attribute__((aligned(64)));
static struct vector_unit unit, after;

static void fxrstor(void* unused) {
    (void)unused;
    __asm__ volatile("fxrstor %0" : : "m"(*(const u8(*)[512])image));
}
static void ldmxcsr(void* value) {
    __asm__ volatile("ldmxcsr %0" : : "m"(*(const u32*)value));
}
static u32 stmxcsr(void) {
    u32 value;
    __asm__ volatile("stmxcsr %0" : "=m"(value));
    return value;
}
static bool valid(u32 mxcsr) {
    return (mxcsr & ~MXCSR_VALID) == 0 && (mxcsr & MXCSR_DUE) != 0;
}

static void check_fxrstor(void) {
    for (u32 n = 0; n < 2048 + 16; ++n) unit.bytes[n] = (u8)(random_below(&seed, 255) + 1);
    memcpy(unit.bytes + 2064, &(u32){MXCSR_DUE}, 4);
    vector_restore(&unit);
    memset(image, 0xA5, sizeof image);
    __asm__ volatile("fxsave %0" : "=m"(image));
    // No vector register is saved, and nothing behind the x87 registers written.
    for (u32 n = 160; n < 512; ++n) CHECK_EQ(image[n], 0xA5);
    u32 mxcsr;
    memcpy(&mxcsr, image + 24, 4);
    CHECK_EQ(mxcsr, MXCSR_DUE);
    vector_save(&after);
    CHECK(memcmp(&after, &unit, sizeof unit) == 0);

    for (u32 bit = 0; bit < 32; ++bit) {
        const u32 value = MXCSR_DUE ^ 1u << bit;
        memcpy(image + 24, &value, 4);
        vector_restore(&unit);
        const struct fault f = trap_catch(fxrstor, NULL);
        vector_save(&after);
        CHECK_EQ(f.raised, !valid(value));
        if (f.raised) {
            CHECK_EQ(f.vector, TRAP_GP);
            CHECK_EQ(f.error, 0);
            CHECK(memcmp(&after, &unit, sizeof unit) == 0);
            continue;
        }
        for (u32 n = 0; n < 2048; ++n) CHECK_EQ(after.bytes[n], n % 64 < 16 ? 0 : unit.bytes[n]);
        CHECK(memcmp(after.bytes + 2048, unit.bytes + 2048, 16) == 0);
        CHECK(memcmp(after.bytes + 2064, &value, 4) == 0);
    }
}

static void check_ldmxcsr(void) {
    for (u32 bit = 0; bit < 32; ++bit)
        for (u32 due = 0; due < 2; ++due) {
            u32 start = MXCSR_DUE | 0x6000;
            ldmxcsr(&start);
            u32 value = 1u << bit | (due != 0 ? MXCSR_DUE : 0);
            const struct fault f = trap_catch(ldmxcsr, &value);
            CHECK_EQ(f.raised, !valid(value));
            if (f.raised) {
                CHECK_EQ(f.vector, TRAP_GP);
                CHECK_EQ(f.error, 0);
            }
            CHECK_EQ(stmxcsr(), f.raised ? start : value);
        }
    u32 reset = MXCSR_DUE;
    ldmxcsr(&reset);
}

int main(void) {
    area = heap_allocate(BYTES, VM_PAGE);
    shadow = heap_allocate(BYTES, VM_PAGE);
    u8* const code = heap_allocate(VM_PAGE, VM_PAGE);
    if (!CHECK(area != NULL && shadow != NULL && code != NULL)) return check_summary();
    for (u32 n = 0; n < BYTES; ++n) shadow[n] = area[n] = (u8)random_below(&seed, 256);
    check_steps();
    check_breakpoints();
    check_modified_code(code);
    check_owner();
    check_fxrstor();
    check_ldmxcsr();
    return check_summary();
}
