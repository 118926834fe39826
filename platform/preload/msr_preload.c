/* A library for LD_PRELOAD: /dev/cpu/N/msr is hardware thread N of a running platform.
 *
 * open() of such a file connects to the socket that KNC_MSR names; the file descriptor is the
 * connection. pread() and pwrite() of it are RDMSR and WRMSR, and scandir() of /dev/cpu finds the
 * threads of the card. Everything else goes to the C library, as does all without KNC_MSR. Leaves
 * out: lseek(), read() and write(), ioctl(), openat(). Source: docs/msr.md; Linux,
 * arch/x86/kernel/msr.c. */
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
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <platform/msr_protocol.h>

#define EXPORT __attribute__((visibility("default")))
#define DIRECTORY "/dev/cpu"

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
    struct knc_msr_request request = {operation, number, operation == knc_msr_write ? *value : 0};
    struct knc_msr_answer answer;
    if (transfer_all(fd, &request, sizeof request, 1) != 0) return -1;
    if (transfer_all(fd, &answer, sizeof answer, 0) != 0) return -1;
    if (answer.error != 0) {
        errno = (int)answer.error;
        return -1;
    }
    if (operation != knc_msr_write) *value = answer.value;
    return 0;
}

static int connect_to(const struct sockaddr_un* a, int flags) {
    const int type = SOCK_STREAM | ((flags & O_CLOEXEC) != 0 ? SOCK_CLOEXEC : 0);
    const int fd = socket(AF_UNIX, type, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr*)a, sizeof *a) != 0) {
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
    uint64_t nothing = 0;
    const int fd = connect_to(a, flags);
    if (fd >= 0 && ask(fd, knc_msr_select, (uint32_t)thread, &nothing) != 0) {
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

#define DEFINE_OPEN(name)                                                                \
    EXPORT int name(const char* path, int flags, ...) {                                  \
        struct sockaddr_un a;                                                            \
        mode_t mode = 0;                                                                 \
        va_list arguments;                                                               \
        va_start(arguments, flags);                                                      \
        if (takes_mode(flags)) mode = va_arg(arguments, mode_t);                         \
        va_end(arguments);                                                               \
        const long thread = thread_of(path);                                             \
        if (thread >= 0 && address_of_server(&a)) return open_thread(&a, thread, flags); \
        return NEXT(name)(path, flags, mode);                                            \
    }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

/* A file descriptor that open_thread() has made. */
static int is_thread(int fd) {
    struct sockaddr_un own, peer;
    socklen_t size = sizeof peer;
    memset(&peer, 0, sizeof peer);
    return address_of_server(&own) && getpeername(fd, (struct sockaddr*)&peer, &size) == 0 &&
           peer.sun_family == AF_UNIX &&
           strncmp(own.sun_path, peer.sun_path, sizeof own.sun_path) == 0;
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
