#include "events.h"

#include <stdio.h>
#include <string.h>

struct row {
    const char* name;
    u16 select, umask;
    bool counter0_only;
    const char* meaning;
};
static const struct row rows[] = {
#define KNC_EVENT(name, select, umask, unit, scope, kind, bound, counter0, meaning, cause) \
    {#name, select, umask, counter0, meaning},
#include "models/knc/base/events.def"
#undef KNC_EVENT
};
#define ROWS (sizeof rows / sizeof *rows)

// The kernel's own events.
static const struct {
    const char* name;
    u32 type;
    u64 config;
} generic[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};
#define GENERIC (sizeof generic / sizeof *generic)

static char upper(char c) {
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}
static void copy_upper(char* to, const char* from) {
    do *to++ = upper(*from);
    while (*from++ != '\0');
}

static const struct row* row_of_name(const char* name) {
    for (const struct row* r = rows; r != rows + ROWS; ++r) {
        size_t i = 0;
        while (name[i] != '\0' && upper(name[i]) == upper(r->name[i])) ++i;
        if (name[i] == r->name[i]) return r;
    }
    return NULL;
}
static const struct row* row_of_code(u64 config) {
    for (const struct row* r = rows; r != rows + ROWS; ++r)
        if ((config & 0xFFFF) == (u64)(r->umask << 8 | r->select)) return r;
    return NULL;
}

static bool raw_code(const char* name, u64* config) {
    if (*name++ != 'r' || *name == '\0' || strlen(name) > 8) return false;
    *config = 0;
    for (; *name != '\0'; ++name) {
        const char* digit = strchr("0123456789abcdef", *name | 32);
        if (digit == NULL) return false;
        *config = *config << 4 | (u64)(digit - "0123456789abcdef");
    }
    return true;
}

static void select_event(const char* name, struct event* e) {
    const struct row* r = row_of_name(name);
    if (r != NULL) {
        e->type = PERF_TYPE_RAW;
        e->config = (u64)(r->umask << 8 | r->select);
        copy_upper(e->name, r->name);
    } else if (raw_code(name, &e->config)) {
        e->type = PERF_TYPE_RAW;
        strcpy(e->name, name);
        r = row_of_code(e->config);
    } else {
        size_t i = 0;
        while (i != GENERIC && strcmp(generic[i].name, name) != 0) ++i;
        if (i == GENERIC) die("no such event: %s", name);
        e->type = generic[i].type;
        e->config = generic[i].config;
        strcpy(e->name, name);
    }
    e->counter0_only = r != NULL && r->counter0_only;
}

static void parse_filter(const char* filter, struct event* e) {
    bool user = false, kernel = false;
    for (const char* c = filter; *c != '\0'; ++c) {
        user |= *c == 'u';
        kernel |= *c == 'k';
        e->precise += *c == 'p';
        if (strchr("ukp", *c) == NULL) die("no such filter: %s (u, k or p)", filter);
    }
    if (*filter == '\0' || e->precise > 3) die("no such filter: %s (u, k or p)", filter);
    e->exclude_kernel = user && !kernel;
    e->exclude_user = kernel && !user;
}

static void parse_one(const char* text, size_t length, struct event* e) {
    char name[sizeof e->name - 8];
    if (length == 0 || length >= sizeof name) die("no such event: %.*s", (int)length, text);
    memset(e, 0, sizeof *e);
    memcpy(name, text, length);
    name[length] = '\0';
    char* filter = strchr(name, ':');
    if (filter != NULL) {
        *filter++ = '\0';
        parse_filter(filter, e);
    }
    select_event(name, e);
    if (!e->exclude_kernel && !e->exclude_user && e->precise == 0) return;
    strcat(e->name, ":");
    if (e->exclude_kernel) strcat(e->name, "u");
    if (e->exclude_user) strcat(e->name, "k");
    for (unsigned p = 0; p < e->precise; ++p) strcat(e->name, "p");
}

int events_parse(const char* text, struct event events[EVENTS]) {
    int count = 0;
    for (;;) {
        const char* end = strchr(text, ',');
        const size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
        if (count == EVENTS) die("more than %d events", EVENTS);
        parse_one(text, length, &events[count++]);
        if (end == NULL) return count;
        text = end + 1;
    }
}

void events_list(void) {
    for (const struct row* r = rows; r != rows + ROWS; ++r) {
        char name[sizeof(struct event)];
        copy_upper(name, r->name);
        printf("r%04x %-44s %s\n", r->umask << 8 | r->select, name, r->meaning);
    }
}

struct perf_event_attr event_attr(const struct event* e) {
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.type = e->type;
    a.config = e->config;
    a.exclude_user = e->exclude_user;
    a.exclude_kernel = e->exclude_kernel;
    a.precise_ip = e->precise & 3;
    return a;
}
