// Repeated string instructions that are stopped in the middle by page faults, interrupts and single
// steps. Where they stop, RCX, RSI and RDI belong to the next element and RIP to the instruction.
// Then they continue as if they had not stopped.
#include "drivers/apic/apic.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "lib/trap.h"
#include "lib/vm.h"

#define VECTOR 0x50
#define PAGES 3
#define BYTES (PAGES * VM_PAGE)

struct registers {
    u64 rax, rcx, rsi, rdi;
};

static u8 *from, *to;  // three pages each
static const u8* instruction;

// Executes the instruction in `bytes`, then RET, with the given registers and DF; returns the
// registers it leaves.
static u8 code[8];
static struct registers run(const u8* bytes, u32 size, struct registers r, bool down, u64* flags) {
    memcpy(code, bytes, size);
    code[size] = 0xC3;
    instruction = code;
    u64 out;
    __asm__ volatile(
        "testb %b6, %b6\n\t"
        "jz 1f\n\t"
        "std\n"
        "1:\tcall *%5\n\t"
        "pushfq\n\t"
        "popq %4\n\t"
        "cld"
        : "+a"(r.rax), "+c"(r.rcx), "+S"(r.rsi), "+D"(r.rdi), "=r"(out)
        : "r"(code), "q"(down)
        : "memory", "cc");
    if (flags != NULL) *flags = out;
    return r;
}

// What the page fault handler saw; it makes the page present.
static volatile u32 faults;
static volatile struct trap_frame seen;
static volatile u64 seen_cr2;

static void on_page_fault(struct trap_frame* f) {
    ++faults;
    seen = *f;
    seen_cr2 = read_cr2();
    vm_protect((void*)seen_cr2, 1, VM_WRITE);
    if (faults > PAGES) panic(f, "the page fault does not go away");
}

static void unmap(const u8* page) {
    faults = 0;
    vm_protect((void*)(u64)page, VM_PAGE, 0);
}

static void fill(u8* at, u32 seed) {
    for (u32 i = 0; i < BYTES; ++i) at[i] = (u8)(seed + i * 7 + (i >> 8));
}

// Checks the registers at the fault.
static void expect_stop(u64 rcx, u64 rsi, u64 rdi, u64 cr2, u64 error) {
    CHECK_EQ(faults, 1);
    CHECK_EQ(seen.rcx, rcx);
    CHECK_EQ(seen.rsi, rsi);
    CHECK_EQ(seen.rdi, rdi);
    CHECK_EQ(seen.rip, (u64)instruction);
    CHECK_EQ(seen_cr2, cr2);
    CHECK_EQ(seen.error, error);
}

enum { READING = 0, WRITING = 2 };

static const u8 movs[4][3] = {{0xF3, 0xA4}, {0x66, 0xF3, 0xA5}, {0xF3, 0xA5}, {0xF3, 0x48, 0xA5}};
static const u8 stos[4][3] = {{0xF3, 0xAA}, {0x66, 0xF3, 0xAB}, {0xF3, 0xAB}, {0xF3, 0x48, 0xAB}};
static u32 code_size(const u8* bytes) {
    return bytes[2] != 0 ? 3 : 2;
}

// Upwards from the middle of the first page to the middle of the third, with elements of `size`
// bytes that are aligned or lie across the page boundary.
static void check_move(u32 kind, u32 misalignment, bool unmap_source) {
    const u64 size = 1ul << kind;
    const u64 start = 0x800 + misalignment;
    const u64 count = VM_PAGE / size;
    fill(from, kind);
    memset(to, 0, BYTES);
    // The second page of the source or of the destination is not mapped.
    u8* const away = (unmap_source ? from : to) + VM_PAGE;
    unmap(away);
    const struct registers r =
        run(movs[kind], code_size(movs[kind]),
            (struct registers){0, count, (u64)from + start, (u64)to + start}, false, NULL);
    // Whole elements below the page are done.
    const u64 done = (VM_PAGE - start) / size;
    expect_stop(count - done, (u64)from + start + done * size, (u64)to + start + done * size,
                (u64)away, unmap_source ? READING : WRITING);
    CHECK_EQ(r.rcx, 0);
    CHECK_EQ(r.rsi, (u64)from + start + VM_PAGE);
    CHECK_EQ(r.rdi, (u64)to + start + VM_PAGE);
    CHECK(memcmp(from + start, to + start, VM_PAGE) == 0);
    CHECK_EQ(to[start - 1], 0);
    CHECK_EQ(to[start + VM_PAGE], 0);
}

// Downwards from the second page into the first, which is not mapped.
static void check_move_down(void) {
    fill(from, 9);
    memset(to, 0, BYTES);
    unmap(to);
    const u64 last = VM_PAGE + 0x10;
    const struct registers r =
        run(movs[2], 2, (struct registers){0, 8, (u64)from + last, (u64)to + last}, true, NULL);
    // 0x1010, 0x100C, 0x1008, 0x1004, 0x1000 are written.
    expect_stop(3, (u64)from + VM_PAGE - 4, (u64)to + VM_PAGE - 4, (u64)to + VM_PAGE - 4, WRITING);
    CHECK_EQ(r.rcx, 0);
    CHECK_EQ(r.rdi, (u64)to + last - 32);
    CHECK(memcmp(from + last - 28, to + last - 28, 32) == 0);
}

static void check_store(u32 kind) {
    const u64 size = 1ul << kind;
    memset(to, 0, BYTES);
    unmap(to + VM_PAGE);
    const u64 value = 0x8877665544332211;
    const u64 count = 32;
    const u64 start = VM_PAGE - 8 * size;
    const struct registers r =
        run(stos[kind], code_size(stos[kind]), (struct registers){value, count, 5, (u64)to + start},
            false, NULL);
    expect_stop(count - 8, 5, (u64)to + VM_PAGE, (u64)to + VM_PAGE, WRITING);
    CHECK_EQ(r.rcx, 0);
    CHECK_EQ(r.rsi, 5);
    CHECK_EQ(r.rdi, (u64)to + start + count * size);
    bool right = true;
    for (u64 i = 0; i < count * size; ++i) right &= to[start + i] == (u8)(value >> i % size * 8);
    CHECK(right);
    CHECK_EQ(to[start + count * size], 0);
}

static void check_compare(void) {
    static const u8 repe_cmpsb[] = {0xF3, 0xA6}, repne_scasb[] = {0xF2, 0xAE},
                    lodsb[] = {0xF3, 0xAC};
    u64 flags;
    fill(from, 3);
    memcpy(to, from, BYTES);
    to[VM_PAGE + 40] ^= 1;
    unmap(to + VM_PAGE);
    const u64 start = VM_PAGE - 100;
    struct registers r =
        run(repe_cmpsb, 2, (struct registers){0, 1000, (u64)from + start, (u64)to + start}, false,
            &flags);
    expect_stop(900, (u64)from + VM_PAGE, (u64)to + VM_PAGE, (u64)to + VM_PAGE, READING);
    CHECK_EQ(r.rcx, 1000 - 141);  // stops behind the difference
    CHECK_EQ(r.rdi, (u64)to + VM_PAGE + 41);
    CHECK_EQ(flags >> 6 & 1, 0);

    memset(to, 'x', BYTES);
    to[VM_PAGE + 7] = 'y';
    unmap(to + VM_PAGE);
    r = run(repne_scasb, 2, (struct registers){'y', 500, 0, (u64)to + start}, false, &flags);
    expect_stop(400, 0, (u64)to + VM_PAGE, (u64)to + VM_PAGE, READING);
    CHECK_EQ(r.rcx, 500 - 108);
    CHECK_EQ(r.rdi, (u64)to + VM_PAGE + 8);
    CHECK_EQ(flags >> 6 & 1, 1);

    unmap(from + VM_PAGE);
    r = run(lodsb, 2, (struct registers){~0ul, 101, (u64)from + start, 0}, false, NULL);
    expect_stop(1, (u64)from + VM_PAGE, 0, (u64)from + VM_PAGE, READING);
    CHECK_EQ(r.rax, ~0xFFul | from[VM_PAGE]);
}

// A count of 0 does nothing, and touches no page.
static void check_none(void) {
    unmap(to);
    const struct registers r =
        run(movs[0], 2, (struct registers){0, 0, (u64)from, (u64)to}, false, NULL);
    CHECK_EQ(faults, 0);
    CHECK_EQ(r.rsi, (u64)from);
    vm_protect(to, VM_PAGE, VM_WRITE);
}

static volatile u32 ticks, inside;
static volatile u64 inconsistent;

static void on_tick(struct trap_frame* f) {
    apic_eoi();
    ++ticks;
    if (f->rip != (u64)instruction) return;
    // Between two elements: all three registers agree.
    if (f->rcx == 0 || f->rcx > BYTES || f->rsi - (u64)from != BYTES - f->rcx ||
        f->rdi - (u64)to != BYTES - f->rcx)
        ++inconsistent;
    if (f->rcx < BYTES) ++inside;
}

static void check_interrupts(void) {
    fill(from, 77);
    memset(to, 0, BYTES);
    trap_set_handler(VECTOR, on_tick);
    irq_enable();
    apic_timer_start(VECTOR, true, 1, 1500);
    const struct registers r =
        run(movs[0], 2, (struct registers){0, BYTES, (u64)from, (u64)to}, false, NULL);
    apic_timer_stop();
    irq_disable();
    CHECK_EQ(r.rcx, 0);
    CHECK(memcmp(from, to, BYTES) == 0);
    CHECK_EQ(inconsistent, 0);
    printf("%u interrupts, %u of them inside the instruction\n", ticks, inside);
    CHECK(inside >= 5);
}

static volatile u32 steps_inside;
static volatile u64 last_rcx;

static void on_step(struct trap_frame* f) {
    if (f->rip == (u64)instruction) {
        // The first comes before the instruction, by the one that loaded it.
        ++steps_inside;
        last_rcx = f->rcx;
    }
    if (f->rip == (u64)instruction + 2) f->rflags &= ~RFLAGS_TF;
    write_dr6(0);
}

// A single step is one element.
static void check_steps(void) {
    memcpy(code, stos[0], 2);
    code[2] = 0xC3;
    trap_set_handler(TRAP_DB, on_step);
    u64 rcx = 6, rdi = (u64)to;
    __asm__ volatile(
        "pushfq\n\t"
        "orq $0x100, (%%rsp)\n\t"
        "popfq\n\t"
        "call *%2"
        : "+c"(rcx), "+D"(rdi)
        : "r"(code), "a"(0)
        : "memory", "cc");
    trap_set_handler(TRAP_DB, NULL);
    CHECK_EQ(rcx, 0);
    // Behind CALL, then behind each element but the last, which ends the instruction.
    CHECK_EQ(steps_inside, 6);
    CHECK_EQ(last_rcx, 1);
}

int main(void) {
    from = heap_allocate(BYTES, VM_PAGE);
    to = heap_allocate(BYTES, VM_PAGE);
    if (!CHECK(from != NULL && to != NULL)) return check_summary();
    // Pages of their own, so that they can be taken away.
    CHECK(vm_protect(from, BYTES, VM_WRITE));
    CHECK(vm_protect(to, BYTES, VM_WRITE));
    trap_set_handler(TRAP_PF, on_page_fault);
    for (u32 kind = 0; kind < 4; ++kind) {
        check_move(kind, 0, false);
        check_move(kind, 0, true);
        if (kind != 0) check_move(kind, 1, false);
        check_store(kind);
    }
    check_move_down();
    check_compare();
    check_none();
    check_interrupts();
    check_steps();
    return check_summary();
}
