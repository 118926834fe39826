// Instructions of the card in C, for tests/knc_as/object.cpp. Not executed.
#include "lib/types.h"

u32 vector_inline(const u32* from, u32* to);
extern const u32 extern_table[16];
const u32 extern_table[16] __attribute__((aligned(64))) = {1};

// Braces are alternatives of dialects to the compiler: %{ and %} are the characters.
u32 vector_inline(const u32* from, u32* to) {
    u32 mask;
    __asm__ volatile(
        "kmov %2, %%k1\n\t"
        "vpaddd (%1)%{uint8%}, %%zmm1, %%zmm2%{%%k1%}\n\t"
        "vmovdqa32 %%zmm2, (%3); kmov %%k1, %0"
        : "=a"(mask)
        : "D"(from), "c"(0x55u), "S"(to)
        : "memory");
    return mask;
}
