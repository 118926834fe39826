// init: the first process. Mounts /proc, /sys and /dev, greets, runs on the console, one after the
// other, what is listed here, and powers the machine off:
//
//   /etc/rc      a script, if there is one
//   rc="..."     commands of the kernel's command line
//   a shell
//
// Each is the leader of a session whose terminal is the console, so that Ctrl-C interrupts what
// runs.
//
// With cpus=LIST on the kernel's command line all programs stay on these CPUs, unless they choose
// others themselves; so a CPU can be kept for what is measured. The first instructions of this
// program come before that, on a CPU of the kernel's choice, whose number is in the variable
// init_cpu.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "sys.h"

const char program[] = "init";

static void mount_all(void) {
    static const char* const places[][2] = {
        {"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        mkdir(places[i][1], 0755);
        mount(places[i][0], places[i][1], places[i][0], 0, NULL);
    }
    mkdir("/tmp", 01777);
}

static void write_text(const char* path, const char* text) {
    const int file = open(path, O_WRONLY);
    if (file < 0) return;
    if (write(file, text, strlen(text)) < 0)
        fprintf(stderr, "%s: %s: %s\n", program, path, strerror(errno));
    close(file);
}

// The terminal behind /dev/console, the last one that /sys names; /dev/console itself cannot
// control a session.
static const char* terminal(void) {
    static char path[80];
    char names[64];
    const char* name = "console";
    if (read_text("/sys/class/tty/console/active", names, sizeof names) > 0) {
        const char* blank = strrchr(names, ' ');
        name = blank != NULL ? blank + 1 : names;
    }
    snprintf(path, sizeof path, "/dev/%s", name);
    return path;
}

static void take_terminal(void) {
    setsid();
    const int file = open(terminal(), O_RDWR);
    if (file < 0) return;
    const int steal = 1;
    ioctl(file, TIOCSCTTY, (void*)(long)steal);
    for (int i = 0; i < 3; ++i) dup2(file, i);
    if (file > 2) close(file);
}

// Runs a program until it ends, and collects orphans meanwhile. Returns its exit status.
static int run(const char* const* arguments) {
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        take_terminal();
        execv(arguments[0], (char* const*)arguments);
        fprintf(stderr, "%s: cannot execute %s: %s\n", program, arguments[0], strerror(errno));
        _exit(127);
    }
    if (pid < 0) die_error(errno, "fork");
    for (;;) {
        int status;
        const pid_t ended = waitpid(-1, &status, 0);
        if (ended == pid) return command_status(status);
        if (ended < 0 && errno != EINTR) return 127;
    }
}

static void stay_on_cpus(void) {
    const char* list = getenv("cpus");
    static struct cpu_list cpus;
    if (list == NULL) return;
    cpus_parse(list, &cpus);
    const long error = bind_to_cpus(&cpus);
    if (error < 0) fprintf(stderr, "%s: cpus=%s: %s\n", program, list, strerror((int)-error));
}

static void greet(void) {
    static struct utsname uts;
    static struct cpu_list cpus;
    uname(&uts);
    cpus_online(&cpus);
    printf(
        "\n%s %s %s, %d CPUs. The shell's end powers off; docs/linux_user.md lists the "
        "programs.\n\n",
        uts.sysname, uts.release, uts.machine, cpus.count);
}

int main(void) {
    char first_cpu[16];
    snprintf(first_cpu, sizeof first_cpu, "%d", current_cpu());
    stay_on_cpus();
    setenv("init_cpu", first_cpu, 1);
    mount_all();
    take_terminal();
    setenv("PATH", "/bin", 1);
    setenv("HOME", "/", 1);
    setenv("PS1", "# ", 1);
    if (chdir("/") != 0) die_error(errno, "/");
    // Runs are short: counters change hands each millisecond. Interrupts take long by the kernel's
    // measure, which must not slow down sampling because of that; the rate cannot be changed after
    // that.
    write_text("/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms", "1");
    write_text("/proc/sys/kernel/perf_event_max_sample_rate", "1000000");
    write_text("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
    greet();

    const char* commands = getenv("rc");
    if (access("/etc/rc", R_OK) == 0) run((const char*[]){"/bin/sh", "/etc/rc", NULL});
    if (commands != NULL) run((const char*[]){"/bin/sh", "-c", commands, NULL});
    run((const char*[]){"/bin/sh", "-i", NULL});
    printf("power off\n");
    fflush(stdout);
    sync();
    reboot(RB_POWER_OFF, NULL);  // of klibc
    die_error(errno, "cannot power off");
}
