// The first program of a kernel that has no other: a few commands on the console, without a library
// and without SSE.
//
// It mounts /proc and /sys, prints what the kernel says of itself, obeys its arguments, which the
// kernel takes from behind "--" in its command line, and then the lines of the console. At the end
// of the console's input it powers off.

typedef unsigned long word;

static long call(long number, word a, word b, word c, word d) {
    long result;
    register word r10 __asm__("r10") = d;
    register word r8 __asm__("r8") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}

enum {
    sys_read = 0,
    sys_write = 1,
    sys_open = 2,
    sys_close = 3,
    sys_ioctl = 16,
    sys_exit = 60,
    sys_mkdir = 83,
    sys_sync = 162,
    sys_mount = 165,
    sys_reboot = 169,
    sys_getdents64 = 217
};

enum { tcsbrk = 0x5409, write_only = 1 };

static word length(const char* s) {
    word n = 0;
    while (s[n] != 0) ++n;
    return n;
}
static void print(const char* s) {
    call(sys_write, 1, (word)s, length(s), 0);
}
static int same(const char* a, const char* b) {
    while (*a != 0 && *a == *b) ++a, ++b;
    return *a == *b;
}

static void show(const char* path) {
    static char part[4096];
    const long file = call(sys_open, (word)path, 0, 0, 0);
    if (file < 0) {
        print(path);
        print(": no such file\n");
        return;
    }
    for (long n; (n = call(sys_read, (word)file, (word)part, sizeof part, 0)) > 0;)
        call(sys_write, 1, (word)part, (word)n, 0);
    call(sys_close, (word)file, 0, 0, 0);
}

struct entry {
    word inode, next;
    unsigned short size;
    unsigned char type;
    char name[];
};
static void list(const char* path) {
    static char part[4096] __attribute__((aligned(8)));
    const long directory = call(sys_open, (word)path, 0, 0, 0);
    for (long n; (n = call(sys_getdents64, (word)directory, (word)part, sizeof part, 0)) > 0;) {
        for (long at = 0; at < n; at += ((struct entry*)(part + at))->size) {
            print(((struct entry*)(part + at))->name);
            print("\n");
        }
    }
    call(sys_close, (word)directory, 0, 0, 0);
}

static void write_to(const char* path, const char* text) {
    const long file = call(sys_open, (word)path, write_only, 0, 0);
    if (file < 0 || call(sys_write, (word)file, (word)text, length(text), 0) < 0) {
        print(path);
        print(": not written\n");
    }
    if (file >= 0) call(sys_close, (word)file, 0, 0, 0);
}

// Writes to each line of so many KB, which the kernel provides page by page.
static void use(const char* kilobytes) {
    enum { line = 64, most = 1 << 20 };
    static char memory[most] __attribute__((aligned(4096)));
    word n = 0;
    for (; *kilobytes >= '0' && *kilobytes <= '9'; ++kilobytes)
        n = 10 * n + (word)(*kilobytes - '0');
    for (word at = 0; at < n * 1024 && at < most; at += line) *(volatile char*)(memory + at) = 1;
}

static void power(word how) {
    // The console has printed everything.
    call(sys_ioctl, 1, tcsbrk, 1, 0);
    call(sys_sync, 0, 0, 0, 0);
    call(sys_reboot, 0xfee1dead, 672274793, how, 0);
}

// One line, with its operand behind the first blank; the commands of two operands have the second
// one behind the next.
static void run(char* line) {
    char* operand = line;
    while (*operand != 0 && *operand != ' ') ++operand;
    if (*operand == ' ') *operand++ = 0;
    if (line[0] == 0) return;
    const int two = same(line, "mount") || same(line, "write");
    char* second = operand;
    while (two && *second != 0 && *second != ' ') ++second;
    if (two && *second == ' ') *second++ = 0;
    if (same(line, "cat")) {
        show(operand);
    } else if (same(line, "ls")) {
        list(*operand != 0 ? operand : "/");
    } else if (same(line, "echo")) {
        print(operand);
        print("\n");
    } else if (same(line, "mkdir")) {
        call(sys_mkdir, (word)operand, 0755, 0, 0);
    } else if (same(line, "mount")) {
        if (call(sys_mount, (word)operand, (word)second, (word)operand, 0) < 0)
            print("not mounted\n");
    } else if (same(line, "write")) {
        write_to(second, operand);
    } else if (same(line, "use")) {
        use(operand);
    } else if (same(line, "poweroff")) {
        power(0x4321fedc);
    } else if (same(line, "reboot")) {
        power(0x01234567);
    } else {
        print(line);
        print(
            ": the commands are cat FILE, ls DIRECTORY, echo TEXT, mkdir DIRECTORY, mount TYPE "
            "DIRECTORY, ");
        print("write TEXT FILE, use KB, poweroff, reboot\n");
    }
}

// Reads a line of the console without its end; whether there was one.
static int read_line(char* line, word size) {
    word n = 0;
    while (n + 1 < size) {
        if (call(sys_read, 0, (word)(line + n), 1, 0) != 1) break;
        if (line[n] == '\n') {
            line[n] = 0;
            return 1;
        }
        ++n;
    }
    line[n] = 0;
    return n != 0;
}

// The kernel hands over the words behind "--" of its command line.
__attribute__((noreturn, used)) static void begin(const word* stack) {
    static char line[256];
    char** const arguments = (char**)(stack + 1);
    call(sys_mkdir, (word) "/proc", 0755, 0, 0);
    call(sys_mkdir, (word) "/sys", 0755, 0, 0);
    call(sys_mount, (word) "proc", (word) "/proc", (word) "proc", 0);
    call(sys_mount, (word) "sys", (word) "/sys", (word) "sysfs", 0);
    print("init: ");
    show("/proc/version");
    print("init: processors ");
    show("/sys/devices/system/cpu/online");
    print("init: up ");
    show("/proc/uptime");
    for (word n = 1; n < stack[0]; ++n) {
        print("# ");
        print(arguments[n]);
        print("\n");
        run(arguments[n]);
    }
    for (;;) {
        print("# ");
        if (!read_line(line, sizeof line)) break;
        run(line);
    }
    power(0x4321fedc);
    for (;;) call(sys_exit, 1, 0, 0, 0);
}
__asm__(".globl _start\n_start: movq %rsp, %rdi\nandq $-16, %rsp\ncall begin\n");
