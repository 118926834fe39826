// The SBOX as the card sees it: identity of the card, elapsed time counter against the time-stamp
// counter, I/O APIC, interrupt commands, doorbell registers.
//
// Command line, all with defaults for preset mini: spad0=, spad2=, spad4= (scratchpads), ratio=
// (of the core clock), hz= (core clock), other=ID (APIC ID of the thread that is interrupted).
#include "drivers/sbox/sbox.h"

#include "drivers/apic/apic.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/lock.h"
#include "lib/platform.h"
#include "lib/thread.h"
#include "lib/trap.h"

#define VECTOR 0x50
#define LEVEL_VECTOR 0x60
#define ENTRY(pin) (SBOX_APICRT0 + 8 * (pin))

static volatile u64 received[2];  // by thread index
static volatile u64 levels;
static volatile u32 entry_in_handler;
static volatile u32 stop;

static void on_vector(struct trap_frame* f) {
    (void)f;
    atomic_fetch_add(&received[this_thread()->index], 1);
    apic_eoi();
}
static void on_level(struct trap_frame* f) {
    (void)f;
    ++levels;
    entry_in_handler = sbox_read(ENTRY(SBOX_RDMASR_PIN + 1));
    apic_eoi();
}

// Waits long enough for a message that must not come.
static void settle(void) {
    for (u32 i = 0; i < 10; ++i) platform_delay(500);
}
static bool reached(const volatile u64* counter, u64 value) {
    for (u32 i = 0; i < 10000 && *counter < value; ++i) platform_delay(100);
    return *counter == value;
}

static void check_identity(void) {
    CHECK_EQ(sbox_read(SBOX_SCRATCH0), option_number("spad0", 262144ul << 3));  // 256 MB in KB
    // Image address 64 MB, boot processor, ready.
    CHECK_EQ(sbox_read(SBOX_SCRATCH0 + 4 * 2), option_number("spad2", 0x04000001));
    CHECK_EQ(sbox_read(SBOX_SCRATCH0 + 4 * 2) >> 1 & 0x1FF, apic_id());
    // 4000 MHz / 20, 2 cores, 2 channels, 512 KB, 4 threads.
    CHECK_EQ(sbox_read(SBOX_SCRATCH0 + 4 * 4), option_number("spad4", 0x2800084F));
    // Family, model and stepping as CPUID reports them.
    CHECK_EQ(sbox_read(SBOX_SCRATCH0 + 4 * 13), cpuid(1).eax << 4);
    const u32 ratio = (u32)option_number("ratio", 0x416);  // 200 MHz * 11 / 2
    CHECK_EQ(sbox_read(SBOX_CURRENTRATIO), ratio << 16 | ratio);
    CHECK_EQ(sbox_read(SBOX_COREFREQ), 0x80010000 | ratio);
    sbox_write(SBOX_COREFREQ, 0);
    CHECK_EQ(sbox_read(SBOX_COREFREQ), 0x80010000 | ratio);
    CHECK_EQ(sbox_post_code(), '1' | '2' << 8);
    sbox_set_post_code('F' | 'p' << 8);
    CHECK_EQ(sbox_post_code(), 0x7046);
}

// The time-stamp counter counts core clocks from the same clock on, so a value of the ETC lies
// between the steps that correspond to two reads of the TSC around it.
static u64 steps(u64 clocks, u64 hz) {
    return clocks * SBOX_ETC_HZ / hz;
}
static void check_elapsed(u64 hz) {
    u64 last = 0;
    for (u32 i = 0; i < 10; ++i) {
        const u64 before = rdtsc();
        const u64 etc = sbox_elapsed();
        const u64 after = rdtsc();
        CHECK_RANGE(etc, steps(before, hz), steps(after, hz));
        CHECK(etc >= last);
        last = etc;
        platform_delay(700);
    }
    CHECK_EQ(sbox_read(SBOX_ELAPSED_TIME_LOW) & 31, 0);
    sbox_write(SBOX_THERMAL_STATUS_INTERRUPT, SBOX_ETC_FREEZE);
    const u64 frozen = sbox_elapsed();
    platform_delay(1000);
    CHECK_EQ(sbox_elapsed(), frozen);
    sbox_write(SBOX_THERMAL_STATUS_INTERRUPT, 0);
    platform_delay(1000);
    // 1000 clocks of at most 1.3 GHz are 12 steps and more.
    CHECK(sbox_elapsed() >= frozen + 12);
}

static void check_registers(void) {
    for (u32 n = 0; n < 32; ++n) {
        CHECK_EQ(sbox_read(SBOX_SMPT00 + 4 * n), n << 2);
        sbox_write(SBOX_SMPT00 + 4 * n, 0xFFFFFFFF - n);
        CHECK_EQ(sbox_read(SBOX_SMPT00 + 4 * n), (0xFFFFFFFF - n) & ~2u);
        sbox_write(SBOX_SMPT00 + 4 * n, n << 2);
    }
    for (u32 n = 3; n < 16; ++n) {
        sbox_write(SBOX_SCRATCH0 + 4 * n, 0xA5A50000 + n);
        CHECK_EQ(sbox_read(SBOX_SCRATCH0 + 4 * n), 0xA5A50000 + n);
    }
    // There are no DMA channels, so this reads as every address without a register.
    CHECK_EQ(sbox_read(0xA000), 0xFFFFFFFF);
    // A doorbell to the host sets its cause bit at once; writing a one clears it.
    for (u32 n = 0; n < 4; ++n) sbox_write(SBOX_SDBIC0 + 4 * n, n % 2 ? SBOX_SDBIC_DBREQ | n : n);
    CHECK_EQ(sbox_read(SBOX_SICR0), 0xA);
    CHECK_EQ(sbox_read(SBOX_SDBIC0 + 12), SBOX_SDBIC_DBREQ | 3);
    sbox_write(SBOX_SICR0, 2);
    CHECK_EQ(sbox_read(SBOX_SICR0), 8);
    sbox_write(SBOX_SICE0, 0xFF0F);
    sbox_write(SBOX_SICC0, 0x0F0D);
    CHECK_EQ(sbox_read(SBOX_SICE0), 0xF002);
}

static void check_io_apic(u32 self) {
    CHECK_EQ(sbox_read(SBOX_APICVER) >> 16 & 0xFF, 25);  // the last entry
    u64 sent = received[0];
    for (u32 n = 0; n < 8; ++n) {
        sbox_route(SBOX_RDMASR_PIN + n, VECTOR, self);
        sbox_write(SBOX_RDMASR0 + 4 * n, 0);
        CHECK(reached(&received[0], ++sent));
    }
    sbox_write(ENTRY(SBOX_RDMASR_PIN), SBOX_RTE_MASKED | VECTOR);
    sbox_write(SBOX_RDMASR0, 0);
    sbox_write(ENTRY(SBOX_RDMASR_PIN), VECTOR);
    settle();
    CHECK_EQ(received[0], sent);  // lost while masked

    // The remote IRR is set until the EOI has come.
    sbox_route(SBOX_RDMASR_PIN + 1, SBOX_RTE_LEVEL | LEVEL_VECTOR, self);
    for (u32 n = 1; n <= 3; ++n) {
        sbox_write(SBOX_RDMASR0 + 4, 0);
        CHECK(reached(&levels, n));
        CHECK_EQ(entry_in_handler, SBOX_RTE_LEVEL | SBOX_RTE_REMOTE_IRR | LEVEL_VECTOR);
        settle();
        CHECK_EQ(sbox_read(ENTRY(SBOX_RDMASR_PIN + 1)), SBOX_RTE_LEVEL | LEVEL_VECTOR);
        CHECK_EQ(levels, n);
    }
    // Two edges before the EOI are one interrupt.
    irq_disable();
    sbox_write(SBOX_RDMASR0 + 4, 0);
    sbox_write(SBOX_RDMASR0 + 4, 0);
    irq_enable();
    settle();
    CHECK_EQ(levels, 4);
}

static void other_main(struct thread* t) {
    (void)t;
    irq_enable();
    while (stop == 0) platform_delay(100);
    irq_disable();
}
static void check_commands(u32 self, u32 id) {
    const struct thread* other = thread_boot(id, other_main);
    if (!CHECK(other != NULL)) return;
    const u64 own = received[0];
    for (u32 i = 1; i <= 16; ++i) {
        sbox_interrupt(i % 8, id, VECTOR);
        CHECK(reached(&received[1], i));
        CHECK_EQ(sbox_read(SBOX_APICICR0 + 8 * (i % 8)), VECTOR);  // bit 13 reads 0
    }
    sbox_write(SBOX_APICICR0, VECTOR);  // without bit 13
    settle();
    CHECK_EQ(received[1], 16);
    CHECK_EQ(received[0], own);
    sbox_interrupt(7, self, VECTOR);
    CHECK(reached(&received[0], own + 1));
    // An interrupt to the other thread by the I/O APIC.
    sbox_route(SBOX_RDMASR_PIN + 7, VECTOR, id);
    sbox_write(SBOX_RDMASR0 + 4 * 7, 0);
    CHECK(reached(&received[1], 17));
    CHECK_EQ(received[0], own + 1);
    stop = 1;
}

int main(void) {
    const u32 self = apic_id();
    if (!CHECK(sbox_init())) return check_summary();
    trap_set_handler(VECTOR, on_vector);
    trap_set_handler(LEVEL_VECTOR, on_level);
    check_identity();
    check_elapsed(option_number("hz", 1100000000));
    check_registers();
    irq_enable();
    check_io_apic(self);
    check_commands(self, (u32)option_number("other", 5));
    irq_disable();
    return check_summary();
}
