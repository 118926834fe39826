// Gathers, scatters and pairs of VLOADUNPACK and VPACKSTORE that are stopped by page faults and
// alignment faults. At each fault, what the executions before it have done is done, the mask and
// the destination say so, and nothing else has changed. The handler takes the cause away and
// returns; the result is that of a run without faults. Each thread has pages of its own.
//
// Command line: last=ID (threads 0 to ID, default 0), rounds=N (of each kernel, default 40).
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/knc_vector.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "lib/thread.h"
#include "lib/trap.h"
#include "lib/vm.h"
#include "tests/vector_kernels.h"

#define PAGES 3
#define BYTES (PAGES * VM_PAGE)
#define CR0_WRITE_PROTECT (1ul << 16)
#define ERROR_PRESENT 1
#define ERROR_WRITE 2

enum page { READ_WRITE, READ_ONLY, ABSENT };

// What a thread executes, by the index of the thread.
static struct job {
    u8 lanes[64];  // what zmm1 must be
    u8 seen[64];
    struct arguments arguments;
    const struct kernel* kernel;
    struct plan plan;
    u32 step;  // of the plan, the first that is not done
    // Three copies of the data: in pages that come and go, for runs without faults, for integers.
    u8 *area, *twin, *shadow;
    enum page pages[PAGES];
    u64 misaligned_base;  // by so many bytes
    u64 page_faults, alignment_faults;
    u64 random;
} jobs[MOST_THREADS];

static struct counter finished;
static u64 rounds;

static bool step_misaligned(const struct job* j, const struct step* s) {
    for (u32 n = 0; n < kernel_lanes(j->kernel); ++n)
        if ((s->served >> n & 1) != 0 && j->plan.at[n] % j->kernel->bytes != 0) return true;
    return false;
}
static enum page* page_of(struct job* j, u64 address) {
    return &j->pages[(address - (u64)j->area) / VM_PAGE];
}
static bool step_faults(struct job* j, const struct step* s) {
    const enum page p = *page_of(j, s->first);
    return p == ABSENT || (p == READ_ONLY && j->kernel->store);
}

// Does with integers all steps up to the one that must fault now.
static void catch_up(struct job* j) {
    for (; j->step < j->plan.count; ++j->step) {
        const struct step* s = &j->plan.steps[j->step];
        if (step_misaligned(j, s) || step_faults(j, s)) return;
        apply_lanes(&j->plan, j->kernel, s->served, (u64)(j->shadow - j->area), j->lanes);
    }
}

// Wherever the element of an active lane is and can be read, it is the right one.
static void check_elements(struct job* j) {
    const u64 shift = (u64)(j->shadow - j->area);
    for (u32 n = 0; n < kernel_lanes(j->kernel); ++n) {
        const u64 at = j->plan.at[n];
        if ((j->plan.active >> n & 1) == 0 || at % j->kernel->bytes != 0) continue;
        if (*page_of(j, at) == ABSENT) continue;
        CHECK_EQ(element_at(j->kernel, at), element_at(j->kernel, at + shift));
    }
}

static u32 read_k1(void) {
    u32 mask;
    __asm__ volatile("kmov %%k1, %0" : "=r"(mask));
    return mask;
}

// The machine as the fault left it. NULL: the fault has no reason.
static struct step* check_stop(struct job* j, const struct trap_frame* f) {
    __asm__ volatile("vmovdqa32 %%zmm1, %0" : "=m"(*(knc_64*)j->seen));
    const u32 mask = read_k1();
    catch_up(j);
    if (j->step == j->plan.count) panic(f, "no step of the plan faults");
    struct step* const s = &j->plan.steps[j->step];
    CHECK_EQ(f->rip, (u64)s->rip);
    CHECK_EQ(mask, s->mask);
    CHECK(memcmp(j->seen, j->lanes, 64) == 0);
    check_elements(j);
    return s;
}

static void on_page_fault(struct trap_frame* f) {
    struct job* const j = &jobs[this_thread()->index];
    const u64 cr2 = read_cr2();
    struct step* const s = check_stop(j, f);
    CHECK(!step_misaligned(j, s));
    CHECK_EQ(cr2, s->first);
    enum page* const p = page_of(j, s->first);
    CHECK_EQ(f->error,
             (*p == READ_ONLY ? ERROR_PRESENT : 0) | (j->kernel->store ? ERROR_WRITE : 0));
    vm_protect((void*)s->first, 1, VM_WRITE);
    *p = READ_WRITE;
    ++j->page_faults;
}

static void on_protection(struct trap_frame* f) {
    struct job* const j = &jobs[this_thread()->index];
    CHECK_EQ(f->error, 0);
    ++j->alignment_faults;
    if (j->misaligned_base != 0) {
        // The L form of a pair: nothing is done.
        CHECK_EQ(f->rip, (u64)j->kernel->at);
        CHECK_EQ(f->rdi, j->plan.at[__builtin_ctz(j->plan.active)] + j->misaligned_base);
        f->rdi -= j->misaligned_base;
        j->misaligned_base = 0;
        return;
    }
    struct step* const s = check_stop(j, f);
    if (!CHECK(step_misaligned(j, s))) panic(f, "no alignment fault");
    s->first = ~0ul;
    for (u32 n = 0; n < kernel_lanes(j->kernel); ++n) {
        if ((s->served >> n & 1) == 0) continue;
        const u64 too_far = j->plan.at[n] % j->kernel->bytes;
        j->plan.at[n] -= too_far;
        j->arguments.index[n] -= (i32)too_far;
        if (j->plan.at[n] < s->first) s->first = j->plan.at[n];
    }
    knc_vmovdqa32_load(2, j->arguments.index);
}

static void set_pages(struct job* j, bool all_present) {
    for (u32 n = 0; n < PAGES; ++n) {
        const u32 dice = random_below(&j->random, 4);
        j->pages[n] = all_present || dice == 0 ? READ_WRITE : dice == 1 ? READ_ONLY : ABSENT;
        vm_protect(j->area + n * VM_PAGE, VM_PAGE,
                   j->pages[n] == READ_WRITE  ? VM_WRITE
                   : j->pages[n] == READ_ONLY ? VM_PRESENT
                                              : 0);
    }
}

static bool equal(const u8* a, const u8* b) {
    u64 different = 0;
    for (u32 n = 0; n < BYTES; n += 8) different |= *(const u64*)(a + n) ^ *(const u64*)(b + n);
    return different == 0;
}

static void run_once(struct job* j, const struct kernel* k) {
    struct arguments* const a = &j->arguments;
    random_arguments(&j->random, k, BYTES, a);
    j->kernel = k;
    j->step = 0;
    memcpy(j->lanes, a->lanes, 64);

    // Without faults.
    u8* const lanes = j->seen;
    memcpy(lanes, a->lanes, 64);
    const u32 rest = k->run(j->twin + a->base, a->index, lanes, a->mask);
    CHECK_EQ(rest, kernel_sparse(k) ? 0 : a->mask);
    static u8 without[MOST_THREADS][64] __attribute__((aligned(64)));
    u8* const result = without[this_thread()->index];
    memcpy(result, lanes, 64);

    set_pages(j, false);
    if (kernel_sparse(k) && k->bytes > 1 && random_below(&j->random, 2) == 0) {
        // One lane or two.
        a->index[random_below(&j->random, kernel_lanes(k))] += 1;
        a->index[random_below(&j->random, kernel_lanes(k))] |= (i32)k->bytes - 1;
    }
    plan_kernel(&j->plan, k, (u64)j->area + a->base, a->index, a->mask);
    j->misaligned_base = 0;
    if (!kernel_sparse(k) && k->bytes > 1 && j->plan.active != 0)
        j->misaligned_base = random_below(&j->random, k->bytes);
    const u32 left = k->run(j->area + a->base + j->misaligned_base, a->index, a->lanes, a->mask);
    catch_up(j);
    CHECK_EQ(j->step, j->plan.count);
    CHECK_EQ(left, rest);
    CHECK(memcmp(a->lanes, j->lanes, 64) == 0);
    CHECK(memcmp(a->lanes, result, 64) == 0);
    set_pages(j, true);
    CHECK(equal(j->area, j->shadow));
    CHECK(equal(j->twin, j->shadow));
}

static void work(struct thread* t) {
    struct job* const j = &jobs[t->index];
    write_cr0(read_cr0() | CR0_WRITE_PROTECT);
    for (u64 n = 0; n < rounds; ++n)
        for (u32 k = 0; k < KERNELS; ++k) run_once(j, &kernels[k]);
    atomic_fetch_add(&finished.value, 1);
}

static bool prepare(struct job* j, u64 seed) {
    j->area = heap_allocate(BYTES, VM_PAGE);
    j->twin = heap_allocate(BYTES, VM_PAGE);
    j->shadow = heap_allocate(BYTES, VM_PAGE);
    if (j->area == NULL || j->twin == NULL || j->shadow == NULL) return false;
    j->random = seed;
    for (u32 n = 0; n < BYTES; ++n) j->shadow[n] = (u8)random_below(&j->random, 256);
    memcpy(j->area, j->shadow, BYTES);
    memcpy(j->twin, j->shadow, BYTES);
    // Its table of small pages is there before other threads use the address space.
    return vm_protect(j->area, BYTES, VM_WRITE);
}

int main(void) {
    const u32 last = (u32)option_number("last", 0);
    rounds = option_number("rounds", 40);
    if (!CHECK(last < MOST_THREADS)) return check_summary();
    for (u32 n = 0; n <= last; ++n)
        if (!CHECK(prepare(&jobs[n], 0x9E3779B97F4A7C15ul + n))) return check_summary();
    trap_set_handler(TRAP_PF, on_page_fault);
    trap_set_handler(TRAP_GP, on_protection);
    if (last != 0) CHECK_EQ(thread_boot_range(1, last, work), last);
    work(this_thread());
    while (finished.value != last + 1) platform_delay(1000);
    u64 page_faults = 0, alignment_faults = 0;
    for (u32 n = 0; n <= last; ++n) {
        page_faults += jobs[n].page_faults;
        alignment_faults += jobs[n].alignment_faults;
        CHECK(jobs[n].page_faults > rounds * KERNELS / 4);
        CHECK(jobs[n].alignment_faults > rounds * KERNELS / 8);
    }
    printf("%lu page faults, %lu alignment faults\n", page_faults, alignment_faults);
    return check_summary();
}
