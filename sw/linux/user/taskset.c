// taskset: runs a command on some CPUs.
//
//   taskset -c CPUS COMMAND ARGUMENT...
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sys.h"

const char program[] = "taskset";

int main(int argc, char** argv) {
    static struct cpu_list cpus;
    if (argc < 4 || strcmp(argv[1], "-c") != 0) die("usage: taskset -c CPUS COMMAND ARGUMENT...");
    cpus_parse(argv[2], &cpus);
    const long error = bind_to_cpus(&cpus);
    if (error < 0) die_error(error, "CPUs %s", argv[2]);
    execvp(argv[3], argv + 3);
    die_error(errno, "cannot execute %s", argv[3]);
}
