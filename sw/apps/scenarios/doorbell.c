// Doorbells, as far as the card's side goes: the card rings for the host (SDBIC, the cause in
// SICR), and rings its own doorbell as the host would (RDMASR), which interrupts a thread through
// the I/O APIC. POST codes say how far it is.
//
// Command line: bells=N (to itself, default 5). Marks 1 and 2: around these.
#include "drivers/apic/apic.h"
#include "drivers/sbox/sbox.h"
#include "lib/boot_info.h"
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/platform.h"
#include "lib/printf.h"
#include "lib/trap.h"

#define VECTOR 0x50
#define HOST_DOORBELLS 4u

static volatile u64 heard;

static void on_doorbell(struct trap_frame* f) {
    (void)f;
    ++heard;
    apic_eoi();
}

static u32 post_code(const char* text) {
    return (u32)text[0] | (u32)text[1] << 8;
}

static void ring_for_host(void) {
    sbox_set_post_code(post_code("h0"));
    CHECK_EQ(sbox_read(SBOX_SICR0), 0);
    for (u32 n = 0; n < HOST_DOORBELLS; ++n) {
        sbox_write(SBOX_SDBIC0 + 4 * n, SBOX_SDBIC_DBREQ | n);
        CHECK_EQ(sbox_read(SBOX_SICR0), (2u << n) - 1);
    }
    printf("causes for the host: %x\n", sbox_read(SBOX_SICR0));
    // The host acknowledges by writing back what it has read.
    sbox_write(SBOX_SICR0, sbox_read(SBOX_SICR0));
    CHECK_EQ(sbox_read(SBOX_SICR0), 0);
}

static void ring_for_card(u64 bells) {
    sbox_set_post_code(post_code("c0"));
    trap_set_handler(VECTOR, on_doorbell);
    sbox_route(SBOX_RDMASR_PIN, VECTOR, apic_id());
    platform_marker(1);
    for (u64 n = 1; n <= bells; ++n) {
        sbox_write(SBOX_RDMASR0, 0);
        while (heard < n) {
            irq_enable_and_halt();
            irq_disable();
        }
    }
    platform_marker(2);
    CHECK_EQ(heard, bells);
}

int main(void) {
    if (!CHECK(sbox_init())) return check_summary();
    ring_for_host();
    ring_for_card(option_number("bells", 5));
    sbox_set_post_code(post_code("FF"));
    printf("%lu doorbells heard, POST code %c%c\n", heard, (char)sbox_post_code(),
           (char)(sbox_post_code() >> 8));
    return check_summary();
}
