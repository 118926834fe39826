#include "facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

bool proc_value(const char* path, const char* key, char* value, size_t bytes) {
    FILE* file = fopen(path, "r");
    if (file == NULL) return false;
    char line[512];
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        char* colon = strchr(line, ':');
        const size_t length = strlen(key);
        if (colon == NULL || strncmp(line, key, length) != 0) continue;
        if (strspn(line + length, " \t") != (size_t)(colon - line) - length) continue;
        ++colon;
        colon += strspn(colon, " \t");
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(value, bytes, "%s", colon);
        found = true;
    }
    fclose(file);
    return found;
}

// Finds the note of type 3 (NT_GNU_BUILD_ID) of owner "GNU" in the kernel's notes.
static u32 find_build_id(const u8* notes, long size, u8* id) {
    struct {
        u32 name_size, size, type;
    } n;
    for (long at = 0; at + (long)sizeof n <= size;) {
        memcpy(&n, notes + at, sizeof n);
        const long name = at + (long)sizeof n, content = name + ((n.name_size + 3) & ~3u);
        at = content + ((n.size + 3) & ~3u);
        if (at > size) break;
        if (n.type != 3 || n.name_size != 4 || memcmp(notes + name, "GNU", 4) != 0) continue;
        if (n.size > 20) break;
        memcpy(id, notes + content, n.size);
        return n.size;
    }
    return 0;
}

static u32 cpus_of(const char* path) {
    char text[4096];
    static struct cpu_list list;
    if (read_text(path, text, sizeof text) <= 0) return 0;
    cpus_parse(text, &list);
    return (u32)list.count;
}

void facts_read(struct perf_data_facts* f) {
    static struct utsname uts;
    static char cpu[128], cpuid[128], memory[64];
    static u8 notes[4096], id[20];
    char vendor[32] = "", family[16] = "", model[16] = "", stepping[16] = "";
    static const char info[] = "/proc/cpuinfo";
    uname(&uts);
    proc_value(info, "model name", cpu, sizeof cpu);
    proc_value(info, "vendor_id", vendor, sizeof vendor);
    proc_value(info, "cpu family", family, sizeof family);
    proc_value(info, "model", model, sizeof model);
    proc_value(info, "stepping", stepping, sizeof stepping);
    snprintf(cpuid, sizeof cpuid, "%s,%s,%s,%s", vendor, family, model, stepping);
    f->hostname = uts.nodename;
    f->release = uts.release;
    f->version = uts.release;  // of perf: these programs come with the kernel
    f->architecture = uts.machine;
    f->cpu = cpu;
    f->cpuid = cpuid;
    f->cpus_available = cpus_of("/sys/devices/system/cpu/present");
    f->cpus_online = cpus_of("/sys/devices/system/cpu/online");
    if (proc_value("/proc/meminfo", "MemTotal", memory, sizeof memory))
        f->memory_kilobytes = strtoull(memory, NULL, 10);
    const long size = read_text("/sys/kernel/notes", (char*)notes, sizeof notes);
    f->kernel_build_id = id;
    f->kernel_build_id_size = find_build_id(notes, size, id);
}
