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

static const struct {
    const char* name;
    u64 config;
} software[] = {
    {"cpu-clock", PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
};
#define SOFTWARE (sizeof software / sizeof *software)

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
        while (i != SOFTWARE && strcmp(software[i].name, name) != 0) ++i;
        if (i == SOFTWARE) die("no such event: %s", name);
        e->type = PERF_TYPE_SOFTWARE;
        e->config = software[i].config;
        strcpy(e->name, name);
    }
    e->counter0_only = r != NULL && r->counter0_only;
}

static void parse_one(const char* text, size_t length, struct event* e) {
    char name[sizeof e->name - 2];
    if (length == 0 || length >= sizeof name) die("no such event: %.*s", (int)length, text);
    memset(e, 0, sizeof *e);
    memcpy(name, text, length);
    name[length] = '\0';
    char* filter = strchr(name, ':');
    if (filter != NULL) {
        *filter++ = '\0';
        e->exclude_kernel = strcmp(filter, "u") == 0;
        e->exclude_user = strcmp(filter, "k") == 0;
        if (!e->exclude_kernel && !e->exclude_user && strcmp(filter, "uk") != 0)
            die("no such filter: %s (u or k)", filter);
    }
    select_event(name, e);
    if (e->exclude_kernel) strcat(e->name, ":u");
    if (e->exclude_user) strcat(e->name, ":k");
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
    return a;
}
