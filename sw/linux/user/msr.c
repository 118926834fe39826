// rdmsr, wrmsr: model-specific registers of a CPU, by /dev/cpu/N/msr, with the options of
// msr-tools.
//
//   rdmsr [-p CPU | -a] [-x | -X | -d | -u | -o] [-0] [-c] [-f HIGH:LOW] REGISTER
//   wrmsr [-p CPU | -a] REGISTER VALUE
//
//   -p CPU        default 0
//   -a            all CPUs, one after the other
//   -x -X -d -u -o   hexadecimal (default), in upper case, decimal with sign, without, octal
//   -0            with leading zeros
//   -c            with 0x, as C writes it
//   -f HIGH:LOW   these bits
//
// Numbers may be decimal or, with 0x, hexadecimal. Exit status 4: the CPU refused the access.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys.h"

#ifdef WRMSR
const char program[] = "wrmsr";
#else
const char program[] = "rdmsr";
#endif

static struct cpu_list cpus = {1, {0}};

static int open_cpu(int cpu, int mode) {
    char path[32];
    snprintf(path, sizeof path, "/dev/cpu/%d/msr", cpu);
    const int file = open(path, mode);
    if (file < 0) die_error(errno, "cannot open %s", path);
    return file;
}

static void refused(int cpu, u64 address) __attribute__((noreturn));
static void refused(int cpu, u64 address) {
    fflush(stdout);
    if (errno != EIO) die_error(errno, "CPU %d, register 0x%llx", cpu, (unsigned long long)address);
    fprintf(stderr, "%s: CPU %d refuses register 0x%llx\n", program, cpu,
            (unsigned long long)address);
    exit(4);
}

static u64 parse_register(const char* text) {
    const u64 address = number(text, "the register");
    if (address > 0xFFFFFFFF) die("no register: %s", text);
    return address;
}

#ifdef WRMSR

static void usage(void) __attribute__((noreturn));
static void usage(void) {
    fprintf(stderr, "usage: wrmsr [-p CPU | -a] REGISTER VALUE\n");
    exit(2);
}

int main(int argc, char** argv) {
    for (int option; (option = getopt(argc, argv, "p:a")) != -1;) {
        if (option == 'a')
            cpus_online(&cpus);
        else if (option == 'p')
            cpus_parse(optarg, &cpus);
        else
            usage();
    }
    if (argc - optind != 2) usage();
    const u64 address = parse_register(argv[optind]), value = number(argv[optind + 1], "the value");
    for (int i = 0; i < cpus.count; ++i) {
        const int file = open_cpu(cpus.cpu[i], O_WRONLY);
        if (pwrite(file, &value, sizeof value, (off_t)address) != (ssize_t)sizeof value)
            refused(cpus.cpu[i], address);
        close(file);
    }
    return 0;
}

#else

static char base = 'x';
static bool zeros, c_style;
static unsigned high = 63, low = 0;

static void usage(void) __attribute__((noreturn));
static void usage(void) {
    fprintf(
        stderr,
        "usage: rdmsr [-p CPU | -a] [-x | -X | -d | -u | -o] [-0] [-c] [-f HIGH:LOW] REGISTER\n");
    exit(2);
}

static void parse_bits(const char* text) {
    char* end;
    high = (unsigned)strtoul(text, &end, 10);
    if (end == text || *end != ':') usage();
    const char* second = end + 1;
    low = (unsigned)strtoul(second, &end, 10);
    if (end == second || *end != '\0' || high > 63 || low > high) usage();
}

static void print(u64 value) {
    const unsigned bits = high - low + 1;
    value = value << (63 - high) >> (63 - high) >> low;
    const unsigned long long v = value;
    // Digits of the largest value of so many bits; 1233 / 4096 is just above log10(2).
    const int width = !zeros                       ? 0
                      : base == 'x' || base == 'X' ? (int)(bits + 3) / 4
                      : base == 'o'                ? (int)(bits + 2) / 3
                                                   : (int)(bits * 1233 / 4096) + 1;
    switch (base) {
        case 'x':
            printf("%s%0*llx\n", c_style ? "0x" : "", width, v);
            break;
        case 'X':
            printf("%s%0*llX\n", c_style ? "0X" : "", width, v);
            break;
        case 'o':
            printf("%s%0*llo\n", c_style ? "0" : "", width, v);
            break;
        case 'u':
            printf("%0*llu\n", width, v);
            break;
        default:  // the highest bit is the sign
            printf("%0*lld\n", width, (long long)(value << (64 - bits)) >> (64 - bits));
            break;
    }
}

int main(int argc, char** argv) {
    for (int option; (option = getopt(argc, argv, "p:axXduo0cf:")) != -1;) {
        switch (option) {
            case 'p':
                cpus_parse(optarg, &cpus);
                break;
            case 'a':
                cpus_online(&cpus);
                break;
            case '0':
                zeros = true;
                break;
            case 'c':
                c_style = true;
                break;
            case 'f':
                parse_bits(optarg);
                break;
            case '?':
                usage();
            default:
                base = (char)option;
                break;
        }
    }
    if (argc - optind != 1) usage();
    const u64 address = parse_register(argv[optind]);
    for (int i = 0; i < cpus.count; ++i) {
        u64 value;
        const int file = open_cpu(cpus.cpu[i], O_RDONLY);
        if (pread(file, &value, sizeof value, (off_t)address) != (ssize_t)sizeof value)
            refused(cpus.cpu[i], address);
        close(file);
        print(value);
    }
    return 0;
}

#endif
