// Ends badly on purpose: an exception with an empty interrupt descriptor table. The platform must
// report the shutdown and not a firmware exit.
#include "lib/printf.h"

int main(void) {
    static const struct {
        unsigned short limit;
        unsigned long base;
    } __attribute__((packed)) empty = {0, 0};
    printf("no way to take an exception from here\n");
    __asm__ volatile("lidt %0\n\tud2" : : "m"(empty));
    return 0;
}
