/* Every way in which a program may access /dev/cpu/2/msr, and what Linux's driver does
 * (arch/x86/kernel/msr.c). Ordinary files behave as ever. Run with libknc_msr.so on a card of eight
 * threads. The exit status is 0 if all is as expected; each difference prints a line. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asm/msr.h>

#define THREAD "/dev/cpu/2/msr"
#define COUNTER 0x21u /* holds 40 bits */
#define OTHER 0x20u
#define NO_MSR 0x1a0u
#define VALUE 0xAB89674523ull

static int failures;

static void expect(int line, const char* what, long long got, long long wanted) {
    if (got == wanted) return;
    printf("line %d: %s is %lld (%s), %lld expected\n", line, what, got, strerror(errno), wanted);
    ++failures;
}
#define EXPECT(expression, wanted) expect(__LINE__, #expression, (long long)(expression), wanted)
#define EXPECT_ERROR(expression, error)                             \
    do {                                                            \
        errno = 0;                                                  \
        expect(__LINE__, #expression, (long long)(expression), -1); \
        expect(__LINE__, "errno of " #expression, errno, error);    \
    } while (0)

static void check_position(int fd) {
    uint64_t v = VALUE, many[3] = {0, 0, 0};
    EXPECT(lseek(fd, 0, SEEK_CUR), 0);
    EXPECT(lseek(fd, COUNTER, SEEK_SET), COUNTER);
    EXPECT(write(fd, &v, 8), 8);
    v = 0;
    /* The position stays where it is, and more bytes are the same register again. */
    EXPECT(read(fd, &v, 8), 8);
    EXPECT(v == VALUE, 1);
    EXPECT(lseek(fd, 0, SEEK_CUR), COUNTER);
    EXPECT(read(fd, many, sizeof many), 24);
    EXPECT(many[0] == VALUE && many[1] == VALUE && many[2] == VALUE, 1);
    EXPECT_ERROR(read(fd, many, 7), EINVAL);
    EXPECT_ERROR(write(fd, many, 12), EINVAL);
    EXPECT(read(fd, many, 0), 0);
    EXPECT(lseek(fd, -1, SEEK_CUR), OTHER);
    EXPECT(read(fd, &v, 8), 8);
    EXPECT(v == 0, 1);
    EXPECT_ERROR(lseek(fd, -(long)OTHER - 1, SEEK_CUR), EINVAL);
    EXPECT_ERROR(lseek(fd, -1, SEEK_SET), EINVAL);
    EXPECT_ERROR(lseek(fd, 0, SEEK_END), EINVAL);
    /* Of the position, 32 bits are the register's number. */
    EXPECT(lseek(fd, 0x100000000 + COUNTER, SEEK_SET), 0x100000000 + COUNTER);
    EXPECT(read(fd, &v, 8), 8);
    EXPECT(v == VALUE, 1);
    /* pread() has a position of its own. */
    EXPECT(pread(fd, &v, 8, OTHER), 8);
    EXPECT(v == 0, 1);
    EXPECT(lseek(fd, NO_MSR, SEEK_SET), NO_MSR);
    EXPECT_ERROR(read(fd, &v, 8), EIO);
    EXPECT_ERROR(write(fd, &v, 8), EIO);
}

/* Duplicates and children share the position. */
static void check_sharing(int fd) {
    uint64_t v = 0;
    const int copy = dup(fd);
    EXPECT(lseek(copy, COUNTER, SEEK_SET), COUNTER);
    EXPECT(read(fd, &v, 8), 8);
    EXPECT(v == VALUE, 1);
    const pid_t child = fork();
    if (child == 0) _exit(lseek(fd, OTHER, SEEK_SET) == OTHER ? 0 : 1);
    int status = -1;
    EXPECT(waitpid(child, &status, 0), child);
    EXPECT(status, 0);
    EXPECT(lseek(copy, 0, SEEK_CUR), OTHER);
    EXPECT(close(copy), 0);
}

static void check_registers(int fd) {
    uint32_t r[8] = {1, COUNTER, 2, 3, 4, 5, 6, 7};
    const uint32_t read_back[8] = {(uint32_t)VALUE, COUNTER, VALUE >> 32, 3, 4, 5, 6, 7};
    EXPECT(ioctl(fd, X86_IOC_RDMSR_REGS, r), 0);
    EXPECT(memcmp(r, read_back, sizeof r), 0);
    uint32_t w[8] = {0x11223344, OTHER, 0x55, 3, 4, 5, 6, 7};
    const uint32_t written[8] = {0x11223344, OTHER, 0x55, 3, 4, 5, 6, 7};
    EXPECT(ioctl(fd, X86_IOC_WRMSR_REGS, w), 0);
    EXPECT(memcmp(w, written, sizeof w), 0);
    uint64_t v = 0;
    EXPECT(pread(fd, &v, 8, OTHER), 8);
    EXPECT(v == 0x5511223344, 1);
    v = 0;
    EXPECT(pwrite(fd, &v, 8, OTHER), 8);
    /* #GP(0): the registers do not change. */
    uint32_t bad[8] = {1, NO_MSR, 2, 3, 4, 5, 6, 7};
    const uint32_t unchanged[8] = {1, NO_MSR, 2, 3, 4, 5, 6, 7};
    EXPECT_ERROR(ioctl(fd, X86_IOC_RDMSR_REGS, bad), EIO);
    EXPECT_ERROR(ioctl(fd, X86_IOC_WRMSR_REGS, bad), EIO);
    EXPECT(memcmp(bad, unchanged, sizeof bad), 0);
    EXPECT_ERROR(ioctl(fd, FIONREAD, r), ENOTTY);
}

static void check_modes(void) {
    uint64_t v = 0;
    uint32_t r[8] = {0, OTHER, 0, 0, 0, 0, 0, 0};
    const int in = openat(AT_FDCWD, THREAD, O_RDONLY), out = openat(AT_FDCWD, THREAD, O_WRONLY);
    EXPECT(in >= 0 && out >= 0, 1);
    EXPECT(pread(in, &v, 8, OTHER), 8);
    EXPECT_ERROR(pwrite(in, &v, 8, OTHER), EBADF);
    EXPECT_ERROR(write(in, &v, 8), EBADF);
    EXPECT(ioctl(in, X86_IOC_RDMSR_REGS, r), 0);
    EXPECT_ERROR(ioctl(in, X86_IOC_WRMSR_REGS, r), EBADF);
    EXPECT(pwrite(out, &v, 8, OTHER), 8);
    EXPECT_ERROR(pread(out, &v, 8, OTHER), EBADF);
    EXPECT_ERROR(read(out, &v, 8), EBADF);
    EXPECT(ioctl(out, X86_IOC_WRMSR_REGS, r), 0);
    EXPECT_ERROR(ioctl(out, X86_IOC_RDMSR_REGS, r), EBADF);
    EXPECT(close(in), 0);
    EXPECT(close(out), 0);
}

/* The functions that _FORTIFY_SOURCE calls for flags and sizes that the compiler does not know. */
static void check_fortified(void) {
    volatile int flags = O_RDONLY;
    volatile size_t size = 8;
    uint64_t v = 0;
    const int a = open(THREAD, flags), b = openat(AT_FDCWD, THREAD, flags);
    EXPECT(a >= 0 && b >= 0, 1);
    EXPECT(pread(a, &v, size, COUNTER), 8);
    EXPECT(v == VALUE, 1);
    v = 0;
    EXPECT(lseek(b, COUNTER, SEEK_SET), COUNTER);
    EXPECT(read(b, &v, size), 8);
    EXPECT(v == VALUE, 1);
    EXPECT(close(a), 0);
    EXPECT(close(b), 0);
}

static void check_ordinary(void) {
    char name[] = "ordinaryXXXXXX", text[4] = "";
    const int fd = mkstemp(name);
    EXPECT(write(fd, "abc", 3), 3);
    EXPECT(lseek(fd, 1, SEEK_SET), 1);
    EXPECT(read(fd, text, 2), 2);
    EXPECT(memcmp(text, "bc", 2), 0);
    EXPECT(lseek(fd, 0, SEEK_END), 3);
    int left = -1;
    EXPECT(lseek(fd, 2, SEEK_SET), 2);
    EXPECT(ioctl(fd, FIONREAD, &left), 0);
    EXPECT(left, 1);
    EXPECT(close(fd), 0);
    EXPECT_ERROR(openat(AT_FDCWD, name, O_CREAT | O_EXCL | O_RDWR, 0600), EEXIST);
    EXPECT(unlink(name), 0);
    EXPECT_ERROR(read(-1, text, 1), EBADF);
    const int directory = openat(AT_FDCWD, "/dev", O_RDONLY | O_DIRECTORY);
    const int null = openat(directory, "null", O_WRONLY);
    EXPECT(write(null, text, 1), 1);
    EXPECT(close(null), 0);
    EXPECT(close(directory), 0);
}

int main(void) {
    const int fd = openat(AT_FDCWD, THREAD, O_RDWR);
    EXPECT(fd >= 0, 1);
    EXPECT_ERROR(openat(AT_FDCWD, "/dev/cpu/8/msr", O_RDWR), ENXIO);
    check_position(fd);
    check_sharing(fd);
    check_registers(fd);
    EXPECT(close(fd), 0);
    check_modes();
    check_fortified();
    check_ordinary();
    printf("%d failures\n", failures);
    return failures != 0;
}
