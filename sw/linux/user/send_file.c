// send-file: prints files over the console, for sw/linux/receive on the host to cut out of its log.
//
//   send-file [-n] FILE...
//
//   -n   as it is; otherwise packed by gzip, since a console takes long for each character
//
// A file becomes a line "begin-file NAME FORMAT BYTES SUM", lines of base64, and "end-file NAME".
// BYTES and SUM (of POSIX cksum) are of what was encoded; FORMAT is gzip or raw. Messages of the
// kernel stay away from the console meanwhile, if they may be silenced.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys.h"

const char program[] = "send-file";

// Actions of klogctl().
enum { console_off = 6, console_on = 7 };

struct content {
    u8* bytes;
    size_t size, space;
};

static void read_all(int file, struct content* c) {
    for (;;) {
        if (c->size == c->space) {
            c->space = 2 * c->space + 4096;
            c->bytes = realloc(c->bytes, c->space);
            if (c->bytes == NULL) die("out of memory");
        }
        const ssize_t got = read(file, c->bytes + c->size, c->space - c->size);
        if (got < 0) die_error(errno, "cannot read");
        if (got == 0) return;
        c->size += (size_t)got;
    }
}

static void read_packed(int file, struct content* c) {
    int ends[2];
    if (pipe(ends) != 0) die_error(errno, "pipe");
    const pid_t pid = fork();
    if (pid < 0) die_error(errno, "fork");
    if (pid == 0) {
        dup2(file, 0);
        dup2(ends[1], 1);
        close(ends[0]);
        execlp("gzip", "gzip", "-c", (char*)NULL);
        die_error(errno, "cannot execute gzip");
    }
    close(ends[1]);
    read_all(ends[0], c);
    close(ends[0]);
    int status;
    if (waitpid(pid, &status, 0) != pid || status != 0) die("gzip failed");
}

// The checksum of POSIX cksum: CRC-32, most significant bit first, over the bytes and their number.
static u32 sum_byte(u32 sum, u8 byte) {
    sum ^= (u32)byte << 24;
    for (int i = 0; i < 8; ++i) sum = sum << 1 ^ (0x04C11DB7u & -(sum >> 31));
    return sum;
}
static u32 sum_of(const struct content* c) {
    u32 sum = 0;
    for (size_t i = 0; i < c->size; ++i) sum = sum_byte(sum, c->bytes[i]);
    for (size_t left = c->size; left != 0; left >>= 8) sum = sum_byte(sum, (u8)left);
    return ~sum;
}

static void print_line(const u8* from, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char line[80];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        const u32 second = i + 1 < size ? from[i + 1] : 0, third = i + 2 < size ? from[i + 2] : 0;
        const u32 bits = (u32)from[i] << 16 | second << 8 | third;
        line[used++] = digits[bits >> 18];
        line[used++] = digits[bits >> 12 & 63];
        line[used++] = i + 1 < size ? digits[bits >> 6 & 63] : '=';
        line[used++] = i + 2 < size ? digits[bits & 63] : '=';
    }
    line[used] = '\0';
    puts(line);
}

static void send(const char* path, bool packed) {
    struct content c = {NULL, 0, 0};
    const int file = open(path, O_RDONLY);
    if (file < 0) die_error(errno, "cannot open %s", path);
    if (packed)
        read_packed(file, &c);
    else
        read_all(file, &c);
    close(file);
    const char* slash = strrchr(path, '/');
    const char* name = slash != NULL ? slash + 1 : path;
    if (name[strcspn(name, " \t\r\n")] != '\0') die("a name with blanks: %s", name);

    const size_t line = 57;  // bytes for 76 characters
    printf("begin-file %s %s %lu %lu\n", name, packed ? "gzip" : "raw", (unsigned long)c.size,
           (unsigned long)sum_of(&c));
    for (size_t at = 0; at < c.size; at += line)
        print_line(c.bytes + at, c.size - at < line ? c.size - at : line);
    printf("end-file %s\n", name);
    free(c.bytes);
}

int main(int argc, char** argv) {
    const bool packed = argc < 2 || strcmp(argv[1], "-n") != 0;
    int i = packed ? 1 : 2;
    if (i >= argc) die("usage: send-file [-n] FILE...");
    // Without the right to silence the kernel the receiver notices damage by the checksum.
    klogctl(console_off, NULL, 0);
    for (; i < argc; ++i) send(argv[i], packed);
    fflush(stdout);
    klogctl(console_on, NULL, 0);
    return 0;
}
