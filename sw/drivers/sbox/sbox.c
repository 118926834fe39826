#include "drivers/sbox/sbox.h"

#include "lib/vm.h"

#define DBOX_ADDRESS 0x8007C0000ul
#define SBOX_OFFSET 0x10000u
#define BLOCK_SIZE 0x20000ul
#define DBOX_POST_CODE 0x242Cu
#define PAIR 8u
#define HIGH_HALF 4u
#define ETC_FRACTION_BITS 5

static volatile u8* block;

bool sbox_init(void) {
    block = vm_map_device(DBOX_ADDRESS, BLOCK_SIZE);
    return block != NULL;
}

static volatile u32* at(u32 offset) {
    return (volatile u32*)(block + offset);
}
u32 sbox_read(u32 offset) {
    return *at(SBOX_OFFSET + offset);
}
void sbox_write(u32 offset, u32 value) {
    *at(SBOX_OFFSET + offset) = value;
}

u32 sbox_post_code(void) {
    return *at(DBOX_POST_CODE);
}
void sbox_set_post_code(u32 code) {
    *at(DBOX_POST_CODE) = code;
}

// The two halves are not read at the same time, so read again if the upper one has changed.
u64 sbox_elapsed(void) {
    for (;;) {
        const u32 high = sbox_read(SBOX_ELAPSED_TIME_HIGH);
        const u32 low = sbox_read(SBOX_ELAPSED_TIME_LOW);
        if (sbox_read(SBOX_ELAPSED_TIME_HIGH) == high)
            return ((u64)high << 32 | low) >> ETC_FRACTION_BITS;
    }
}

void sbox_route(u32 pin, u32 low, u32 destination) {
    sbox_write(SBOX_APICRT0 + PAIR * pin, SBOX_RTE_MASKED);
    sbox_write(SBOX_APICRT0 + PAIR * pin + HIGH_HALF, destination);
    sbox_write(SBOX_APICRT0 + PAIR * pin, low);
}

void sbox_interrupt(u32 n, u32 destination, u8 vector) {
    sbox_write(SBOX_APICICR0 + PAIR * n + HIGH_HALF, destination);
    sbox_write(SBOX_APICICR0 + PAIR * n, SBOX_ICR_SEND | vector);
}
