// The smallest image: prints its thread, its command line and the memory map.
#include "lib/boot_info.h"
#include "lib/cpu.h"
#include "lib/printf.h"
#include "lib/thread.h"

int main(void) {
    printf("hello from thread %u\n", this_thread()->apic_id);
    printf("command line: '%s'\n", command_line());
    for (unsigned i = 0; i < memory_regions(); ++i) {
        const struct memory_region r = memory_region(i);
        printf("memory %010lx + %010lx %s\n", r.base, r.length, r.available ? "RAM" : "reserved");
    }
    return (int)option_number("exit", 0);
}
