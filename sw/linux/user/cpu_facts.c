// cpu-facts: what the processor says of itself (CPUID), and what the kernel made of it (/proc,
// /sys).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"

const char program[] = "cpu-facts";

struct leaf {
    u32 a, b, c, d;
};
static struct leaf cpuid(u32 number, u32 part) {
    struct leaf l;
    __asm__("cpuid" : "=a"(l.a), "=b"(l.b), "=c"(l.c), "=d"(l.d) : "a"(number), "c"(part));
    return l;
}
static u64 time_stamp(void) {
    u32 low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (u64)high << 32 | low;
}

static void print_identity(void) {
    const struct leaf vendor = cpuid(0, 0), version = cpuid(1, 0);
    char name[13] = "", model[128] = "?";
    memcpy(name, &vendor.b, 4);
    memcpy(name + 4, &vendor.d, 4);
    memcpy(name + 8, &vendor.c, 4);
    const u32 family = version.a >> 8 & 15;
    proc_value("/proc/cpuinfo", "model name", model, sizeof model);
    printf("vendor           %s\n", name);
    printf("model name       %s\n", model);
    printf("family           %u\n", family == 15 ? family + (version.a >> 20 & 255) : family);
    printf("model            %u\n", family == 6 || family == 15
                                        ? (version.a >> 4 & 15) | (version.a >> 12 & 0xF0)
                                        : version.a >> 4 & 15);
    printf("stepping         %u\n", version.a & 15);
    printf("highest leaves   %x, %x\n", vendor.a, cpuid(0x80000000, 0).a);
    printf("features         1.edx %08x, 1.ecx %08x, 80000001.edx %08x\n", version.d, version.c,
           cpuid(0x80000001, 0).d);
}

static void print_leaf_2(void) {
    const struct leaf l = cpuid(2, 0);
    const u32 words[4] = {l.a & ~255u, l.b, l.c, l.d};  // the lowest byte is no descriptor
    printf("leaf 2           descriptors");
    for (int i = 0; i < 16; ++i) {
        const u32 word = words[i / 4], byte = word >> 8 * (i % 4) & 255;
        if ((word >> 31) == 0 && byte != 0) printf(" %02x", byte);
    }
    printf("\n");
}

static void print_leaf_4(void) {
    static const char* const types[] = {"", "data", "instruction", "unified"};
    if (cpuid(0, 0).a < 4) return;
    for (u32 part = 0; part < 16; ++part) {
        const struct leaf l = cpuid(4, part);
        const u32 type = l.a & 31, line = (l.b & 0xFFF) + 1, ways = (l.b >> 22) + 1;
        if (type == 0 || type > 3) return;
        const u32 partitions = (l.b >> 12 & 0x3FF) + 1, sets = l.c + 1;
        printf("leaf 4           L%u %s: %u KB, %u ways, %u sets, lines of %u bytes, %u threads\n",
               l.a >> 5 & 7, types[type], ways * partitions * line * sets / 1024, ways, sets, line,
               (l.a >> 14 & 0xFFF) + 1);
    }
}

// A file of /sys below a CPU's directory, "-" if there is none.
struct text {
    char of[256];
};
static struct text of_cpu(int cpu, const char* file) {
    struct text t;
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, file);
    if (read_text(path, t.of, sizeof t.of) <= 0) strcpy(t.of, "-");
    return t;
}

static void print_topology(void) {
    static struct cpu_list cpus;
    cpus_online(&cpus);
    printf("CPUs online      %d\n", cpus.count);
    int cores = 0;
    struct text before = {""};
    for (int i = 0; i < cpus.count; ++i) {
        const int cpu = cpus.cpu[i];
        const struct text siblings = of_cpu(cpu, "topology/thread_siblings_list");
        if (strcmp(siblings.of, before.of) == 0) continue;
        printf("core             package %s, core %s: CPUs %s\n",
               of_cpu(cpu, "topology/physical_package_id").of, of_cpu(cpu, "topology/core_id").of,
               siblings.of);
        before = siblings;
        ++cores;
    }
    printf("cores            %d\n", cores);
}

static void print_kernel_caches(void) {
    for (int index = 0; index < 8; ++index) {
        static const char* const files[] = {
            "level",          "type", "size", "ways_of_associativity", "coherency_line_size",
            "shared_cpu_list"};
        char path[64];
        snprintf(path, sizeof path, "cache/index%d/level", index);
        if (strcmp(of_cpu(0, path).of, "-") == 0) {
            if (index == 0) printf("kernel's caches  none\n");
            return;
        }
        printf("kernel's caches ");
        for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
            snprintf(path, sizeof path, "cache/index%d/%s", index, files[i]);
            printf(" %s", of_cpu(0, path).of);
        }
        printf(" (level, type, size, ways, line, CPUs)\n");
    }
}

static void print_file(const char* title, const char* path) {
    char text[256];
    printf("%s %s\n", title, read_text(path, text, sizeof text) > 0 ? text : "-");
}

// Clocks of the time-stamp counter in a millisecond of the kernel's clock.
static u64 measured_khz(void) {
    const u64 length = 5000000;
    const u64 start = now(), first = time_stamp();
    u64 end;
    do end = now();
    while (end - start < length);
    return multiply_divide(time_stamp() - first, 1000000, end - start);
}

static void print_time(void) {
    char mhz[32] = "?";
    proc_value("/proc/cpuinfo", "cpu MHz", mhz, sizeof mhz);
    printf("cpu MHz          %s\n", mhz);
    printf("TSC              %llu kHz by the kernel's clock\n", (unsigned long long)measured_khz());
    print_file("clock source    ",
               "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    print_file("clocks          ",
               "/sys/devices/system/clocksource/clocksource0/available_clocksource");
    print_file("timer of CPU 0  ", "/sys/devices/system/clockevents/clockevent0/current_device");
    char interrupts[512];
    if (proc_value("/proc/interrupts", "LOC", interrupts, sizeof interrupts)) {
        char* text = strstr(interrupts, "Local");
        if (text != NULL) *text = '\0';
        printf("LAPIC timer      interrupts %s\n", interrupts);
    }
}

int main(void) {
    print_identity();
    print_leaf_2();
    print_leaf_4();
    print_topology();
    print_kernel_caches();
    print_time();
    return 0;
}
