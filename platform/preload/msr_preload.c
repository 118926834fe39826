/* A library for LD_PRELOAD: /dev/cpu/N/msr is hardware thread N of a running platform.
 *
 * open() of such a file connects to the socket that KNC_MSR names; the file descriptor is the
 * connection. Reads, writes and ioctls of it are RDMSR and WRMSR, and scandir() of /dev/cpu finds
 * the threads of the card. Everything else goes to the C library, as does all without KNC_MSR.
 * Leaves out: fopen(), readv() and writev(), paths that are not absolute, EFAULT. Source:
 * docs/msr.md; Linux, arch/x86/kernel/msr.c. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <asm/msr.h>

#include <platform/msr_protocol.h>

#define EXPORT __attribute__((visibility("default")))
#define DIRECTORY "/dev/cpu"
#define OWN_NAME "knc-msr."

/* The function of the same name behind this library. */
#define NEXT(name) ((__typeof__(name)*)dlsym(RTLD_NEXT, #name))

static int address_of_server(struct sockaddr_un* a) {
    const char* path = getenv("KNC_MSR");
    if (path == NULL || *path == '\0') return 0;
    memset(a, 0, sizeof *a);
    a->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof a->sun_path) return 0;
    strcpy(a->sun_path, path);
    return 1;
}

static int transfer_all(int fd, void* data, size_t size, int sending) {
    char* at = data;
    while (size != 0) {
        const ssize_t n = sending ? send(fd, at, size, MSG_NOSIGNAL) : recv(fd, at, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            errno = ENODEV; /* the run has ended */
            return -1;
        }
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

/* Returns 0, or -1 with errno. */
static int ask(int fd, uint32_t operation, uint32_t number, uint64_t* value) {
    const int sends =
        operation == knc_msr_select || operation == knc_msr_write || operation == knc_msr_seek;
    struct knc_msr_request request = {operation, number, sends ? *value : 0};
    struct knc_msr_answer answer;
    if (transfer_all(fd, &request, sizeof request, 1) != 0) return -1;
    if (transfer_all(fd, &answer, sizeof answer, 0) != 0) return -1;
    if (answer.error != 0) {
        errno = (int)answer.error;
        return -1;
    }
    if (!sends) *value = answer.value;
    return 0;
}

/* Gives the socket a name of its own, in the abstract name space, by which is_thread() knows it,
 * also as a duplicate and in children of the process. The server's name would not do: it is the
 * path that the server was given, which another folder may spell differently. */
static int name_connection(int fd) {
    static unsigned connections;
    struct sockaddr_un own;
    int result;
    do {
        memset(&own, 0, sizeof own);
        own.sun_family = AF_UNIX;
        const unsigned number = __atomic_add_fetch(&connections, 1, __ATOMIC_RELAXED);
        const int length = snprintf(own.sun_path + 1, sizeof own.sun_path - 1, OWN_NAME "%ld.%u",
                                    (long)getpid(), number);
        result = bind(fd, (struct sockaddr*)&own,
                      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length));
    } while (result != 0 && errno == EADDRINUSE);
    return result;
}

static int connect_to(const struct sockaddr_un* a, int flags) {
    const int type = SOCK_STREAM | ((flags & O_CLOEXEC) != 0 ? SOCK_CLOEXEC : 0);
    const int fd = socket(AF_UNIX, type, 0);
    if (fd >= 0 &&
        (name_connection(fd) != 0 || connect(fd, (const struct sockaddr*)a, sizeof *a) != 0)) {
        const int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* The N of /dev/cpu/N/msr; -1: another file. */
static long thread_of(const char* path) {
    unsigned thread = 0;
    int end = 0;
    if (path == NULL || sscanf(path, DIRECTORY "/%9u/msr%n", &thread, &end) != 1) return -1;
    return end != 0 && path[end] == '\0' ? (long)thread : -1;
}

static int open_thread(const struct sockaddr_un* a, long thread, int flags) {
    const int mode = flags & O_ACCMODE;
    uint64_t may =
        (mode != O_WRONLY ? knc_msr_may_read : 0) | (mode != O_RDONLY ? knc_msr_may_write : 0);
    const int fd = connect_to(a, flags);
    if (fd >= 0 && ask(fd, knc_msr_select, (uint32_t)thread, &may) != 0) {
        const int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static int takes_mode(int flags) {
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

/* open() and openat(), whose parameter and argument for the directory end with a comma. An absolute
 * path does not depend on the directory. */
#define DEFINE_OPEN(name, PARAMETER, ARGUMENT)                                           \
    EXPORT int name(PARAMETER const char* path, int flags, ...) {                        \
        struct sockaddr_un a;                                                            \
        mode_t mode = 0;                                                                 \
        va_list arguments;                                                               \
        va_start(arguments, flags);                                                      \
        if (takes_mode(flags)) mode = va_arg(arguments, mode_t);                         \
        va_end(arguments);                                                               \
        const long thread = thread_of(path);                                             \
        if (thread >= 0 && address_of_server(&a)) return open_thread(&a, thread, flags); \
        return NEXT(name)(ARGUMENT path, flags, mode);                                   \
    }
#define DIRECTORY_PARAMETER int directory,
#define DIRECTORY_ARGUMENT directory,
DEFINE_OPEN(open, , )
DEFINE_OPEN(open64, , )
DEFINE_OPEN(openat, DIRECTORY_PARAMETER, DIRECTORY_ARGUMENT)
DEFINE_OPEN(openat64, DIRECTORY_PARAMETER, DIRECTORY_ARGUMENT)

/* What open() and openat() without a mode become when a program is compiled with _FORTIFY_SOURCE.
 */
EXPORT int __open_2(const char* path, int flags) {
    return open(path, flags);
}
EXPORT int __open64_2(const char* path, int flags) {
    return open64(path, flags);
}
EXPORT int __openat_2(int directory, const char* path, int flags) {
    return openat(directory, path, flags);
}
EXPORT int __openat64_2(int directory, const char* path, int flags) {
    return openat64(directory, path, flags);
}

/* A file descriptor that open_thread() has made. */
static int is_thread(int fd) {
    struct sockaddr_un own;
    socklen_t size = sizeof own;
    const int error = errno;
    memset(&own, 0, sizeof own);
    const int result = getenv("KNC_MSR") != NULL &&
                       getsockname(fd, (struct sockaddr*)&own, &size) == 0 &&
                       own.sun_family == AF_UNIX && own.sun_path[0] == '\0' &&
                       strncmp(own.sun_path + 1, OWN_NAME, strlen(OWN_NAME)) == 0;
    errno = error;
    return result;
}

/* As Linux: the same register once for every 8 bytes, up to the first that is refused. */
static ssize_t access_msr(int fd, uint32_t operation, unsigned char* data, size_t size,
                          off64_t number) {
    size_t done = 0;
    if (size % sizeof(uint64_t) != 0) {
        errno = EINVAL;
        return -1;
    }
    for (; done < size; done += sizeof(uint64_t)) {
        uint64_t value;
        memcpy(&value, data + done, sizeof value);
        if (ask(fd, operation, (uint32_t)number, &value) != 0) break;
        if (operation == knc_msr_read) memcpy(data + done, &value, sizeof value);
    }
    return done != 0 || size == 0 ? (ssize_t)done : -1;
}

#define DEFINE_PREAD(name, offset_type)                                         \
    EXPORT ssize_t name(int fd, void* data, size_t size, offset_type at) {      \
        if (is_thread(fd)) return access_msr(fd, knc_msr_read, data, size, at); \
        return NEXT(name)(fd, data, size, at);                                  \
    }
DEFINE_PREAD(pread, off_t)
DEFINE_PREAD(pread64, off64_t)

#define DEFINE_PWRITE(name, offset_type)                                                         \
    EXPORT ssize_t name(int fd, const void* data, size_t size, offset_type at) {                 \
        if (is_thread(fd)) return access_msr(fd, knc_msr_write, (unsigned char*)data, size, at); \
        return NEXT(name)(fd, data, size, at);                                                   \
    }
DEFINE_PWRITE(pwrite, off_t)
DEFINE_PWRITE(pwrite64, off64_t)

/* The position belongs to the connection, as it belongs to an open file: the duplicates of a file
 * descriptor and the children of the process share it. Reading and writing do not move it. */
static ssize_t access_at_position(int fd, uint32_t operation, void* data, size_t size) {
    uint64_t position = 0;
    if (ask(fd, knc_msr_tell, 0, &position) != 0) return -1;
    return access_msr(fd, operation, data, size, (off64_t)position);
}

EXPORT ssize_t read(int fd, void* data, size_t size) {
    if (is_thread(fd)) return access_at_position(fd, knc_msr_read, data, size);
    return NEXT(read)(fd, data, size);
}
EXPORT ssize_t write(int fd, const void* data, size_t size) {
    if (is_thread(fd)) return access_at_position(fd, knc_msr_write, (void*)data, size);
    return NEXT(write)(fd, data, size);
}
/* With _FORTIFY_SOURCE; `room` is the size of what `data` points to. */
ssize_t __read_chk(int, void*, size_t, size_t);
ssize_t __pread_chk(int, void*, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void*, size_t, off64_t, size_t);
EXPORT ssize_t __read_chk(int fd, void* data, size_t size, size_t room) {
    if (size <= room && is_thread(fd)) return read(fd, data, size);
    return NEXT(__read_chk)(fd, data, size, room);
}
EXPORT ssize_t __pread_chk(int fd, void* data, size_t size, off_t at, size_t room) {
    if (size <= room && is_thread(fd)) return pread(fd, data, size, at);
    return NEXT(__pread_chk)(fd, data, size, at, room);
}
EXPORT ssize_t __pread64_chk(int fd, void* data, size_t size, off64_t at, size_t room) {
    if (size <= room && is_thread(fd)) return pread64(fd, data, size, at);
    return NEXT(__pread64_chk)(fd, data, size, at, room);
}

/* From the begin or from the present position; the file has no end. */
static off64_t seek(int fd, off64_t offset, int whence) {
    uint64_t position = 0;
    off64_t to = 0;
    if (whence == SEEK_CUR && ask(fd, knc_msr_tell, 0, &position) != 0) return -1;
    if ((whence != SEEK_SET && whence != SEEK_CUR) ||
        __builtin_add_overflow((off64_t)position, offset, &to) || to < 0) {
        errno = EINVAL;
        return -1;
    }
    position = (uint64_t)to;
    return ask(fd, knc_msr_seek, 0, &position) == 0 ? to : -1;
}

#define DEFINE_LSEEK(name, offset_type)                           \
    EXPORT offset_type name(int fd, offset_type at, int whence) { \
        if (is_thread(fd)) return seek(fd, at, whence);           \
        return NEXT(name)(fd, at, whence);                        \
    }
DEFINE_LSEEK(lseek, off_t)
DEFINE_LSEEK(lseek64, off64_t)

/* The registers of the instruction are in `r`: EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI. */
static int access_registers(int fd, uint32_t operation, uint32_t r[8]) {
    uint64_t value = (uint64_t)r[2] << 32 | r[0];
    if (ask(fd, operation, r[1], &value) != 0) return -1;
    r[0] = (uint32_t)value;
    r[2] = (uint32_t)(value >> 32);
    return 0;
}

EXPORT int ioctl(int fd, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void* const argument = va_arg(arguments, void*);
    va_end(arguments);
    if (!is_thread(fd)) return NEXT(ioctl)(fd, request, argument);
    switch (request) {
        case X86_IOC_RDMSR_REGS:
            return access_registers(fd, knc_msr_read, argument);
        case X86_IOC_WRMSR_REGS:
            return access_registers(fd, knc_msr_write, argument);
        default:
            errno = ENOTTY;
            return -1;
    }
}

static int count_threads(const struct sockaddr_un* a, uint64_t* threads) {
    const int fd = connect_to(a, O_CLOEXEC);
    if (fd < 0) return -1;
    const int result = ask(fd, knc_msr_threads, 0, threads);
    const int error = errno;
    close(fd);
    errno = error;
    return result;
}

/* The entries of /dev/cpu, one for each thread. */
#define DEFINE_SCANDIR(name, entry)                                                             \
    EXPORT int name(const char* path, struct entry*** list, int (*wanted)(const struct entry*), \
                    int (*compare)(const struct entry**, const struct entry**)) {               \
        struct sockaddr_un a;                                                                   \
        uint64_t threads = 0;                                                                   \
        if (strcmp(path, DIRECTORY) != 0 || !address_of_server(&a))                             \
            return NEXT(name)(path, list, wanted, compare);                                     \
        if (count_threads(&a, &threads) != 0) return -1;                                        \
        struct entry** found = malloc((threads + 1) * sizeof *found);                           \
        int n = 0;                                                                              \
        for (uint64_t t = 0; found != NULL && t < threads; ++t) {                               \
            struct entry* e = calloc(1, sizeof *e);                                             \
            if (e == NULL) break;                                                               \
            e->d_type = DT_DIR;                                                                 \
            e->d_reclen = sizeof *e;                                                            \
            snprintf(e->d_name, sizeof e->d_name, "%u", (unsigned)t);                           \
            if (wanted == NULL || wanted(e))                                                    \
                found[n++] = e;                                                                 \
            else                                                                                \
                free(e);                                                                        \
        }                                                                                       \
        if (found == NULL) return -1;                                                           \
        if (compare != NULL)                                                                    \
            qsort(found, (size_t)n, sizeof *found, (int (*)(const void*, const void*))compare); \
        *list = found;                                                                          \
        return n;                                                                               \
    }
DEFINE_SCANDIR(scandir, dirent)
DEFINE_SCANDIR(scandir64, dirent64)
