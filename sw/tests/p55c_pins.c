// The pins of a Pentium with MMX as interrupts: of overflows, and of increments. For the preset
// p55c.
//
// Command line: nmi, intr, irq12 for p55c.pm_to = nmi, intr, irq 12; without any of them, no pin is
// wired to anything.
#include "drivers/p55c/p55c.h"
#include "tests/p55c_rows.h"

extern kernel kernel_mmx, kernel_thousand;
extern u8 pin_entry[], pin_apic_entry[];
extern volatile u32 pin_interrupts;

#define APIC 0xFEE00000u
enum { APIC_ID = 0x020, APIC_SVR = 0x0F0, APIC_LINT0 = 0x350, APIC_LINT1 = 0x360 };
#define PIN_VECTOR 0x62

// The I/O APIC of the SBOX.
#define REDIRECTION 0xFEF3A840u
#define PIN 12
enum { LEVEL = 1 << 15, MASKED = 1 << 16, REMOTE_IRR = 1 << 14 };

static u32 read_at(u32 address) {
    return *(volatile u32*)address;
}
static void write_at(u32 address, u32 value) {
    *(volatile u32*)address = value;
}
static u32 entry(void) {
    return read_at(REDIRECTION + 8 * PIN);
}
static void set_entry(u32 value) {
    write_at(REDIRECTION + 8 * PIN + 4, read_at(APIC + APIC_ID) >> 23);
    write_at(REDIRECTION + 8 * PIN, value);
}

static int wired(void) {
    return asked_for("nmi") || asked_for("intr") || asked_for("irq12");
}

// Whether a pin interrupts at once: it is wired, the entry of the I/O APIC is not masked, IF is
// set.
static int interrupts(void) {
    u32 flags;
    __asm__ volatile("pushfl\n\tpopl %0" : "=r"(flags));
    return wired() && (entry() & MASKED) == 0 && (flags & 0x200) != 0;
}

// What a pin interrupts takes its way until it is here.
static void let_it_arrive(void) {
    for (volatile u32 i = 0; i < 1000; ++i) {
    }
}

// Counter `n` overflows after so many instructions of the thousand, and counts on.
static void overflow_after(u32 n, u32 instructions) {
    u64 v[P55C_COUNTERS];
    pin_interrupts = 0;
    const u32 field = p55c_field(0x16, P55C_ALL, 1);
    for (u32 i = 0; i < P55C_COUNTERS; ++i) p55c_wrmsr(MSR_CTR + i, p55c_before(instructions));
    kernel_thousand(n == 0 ? field : field << 16);
    p55c_stop(v);
    let_it_arrive();
    // Those of the handler count too, if the overflow was early: INC, a store for EOI, IRET.
    u32 handler = 0;
    if (interrupts() && instructions < 100) handler = asked_for("nmi") ? 2 : 3;
    CHECK(v[n] == (((u64)1000 + CLOSING + handler - instructions) & P55C_MASK));
    CHECK(v[1 - n] == p55c_before(instructions));
}

// An overflow is an interrupt; a counter that comes one event short of it is none.
static void check_overflows(void) {
    for (u32 n = 0; n < P55C_COUNTERS; ++n) {
        overflow_after(n, 20);
        CHECK(pin_interrupts == (wired() ? 1u : 0u));
        overflow_after(n, 1000 + CLOSING);
        CHECK(pin_interrupts == (wired() ? 1u : 0u));
        overflow_after(n, 1000 + CLOSING + 10);
        CHECK(pin_interrupts == 0);
    }
}

// Increments: MMX instructions in U, a pair and EMMS in the clock after, are one pulse.
static void check_increments(void) {
    for (u32 n = 0; n < P55C_COUNTERS; ++n) {
        pin_interrupts = 0;
        kernel_mmx(p55c_field(0x2B, P55C_ALL, 0) << 16 * n);
        let_it_arrive();
        CHECK(pin_interrupts == (wired() ? 1u : 0u));
    }
}

// The entry of the I/O APIC decides: it may be masked, and a level-triggered one takes no other
// interrupt before the EOI.
static void check_entry(void) {
    set_entry(PIN_VECTOR | MASKED);
    overflow_after(0, 20);
    CHECK(pin_interrupts == 0);
    set_entry(PIN_VECTOR | LEVEL);
    overflow_after(0, 20);
    CHECK(pin_interrupts == 1);
    CHECK((entry() & REMOTE_IRR) == 0);
    __asm__ volatile("cli");
    overflow_after(0, 20);
    CHECK((entry() & REMOTE_IRR) != 0);
    overflow_after(0, 20);
    __asm__ volatile("sti");
    let_it_arrive();
    CHECK(pin_interrupts == 1);
    set_entry(PIN_VECTOR);
}

void test(void);
void test(void) {
    set_up();
    __asm__ volatile("emms");
    set_gate(2, pin_entry, 0x8E);
    set_gate(PIN_VECTOR, pin_apic_entry, 0x8E);
    write_at(APIC + APIC_SVR, 0x1FF);
    write_at(APIC + APIC_LINT1, 0x400);
    write_at(APIC + APIC_LINT0, PIN_VECTOR);
    // All cards have an I/O APIC, and this entry; nothing else raises its pin.
    CHECK(entry() == MASKED);
    set_entry(PIN_VECTOR);
    __asm__ volatile("sti");
    check_overflows();
    check_increments();
    if (asked_for("irq12")) check_entry();
    finish();
}
