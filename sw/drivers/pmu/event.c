#include "drivers/pmu/event.h"

#include "lib/string.h"

#define EVENT(name, of_core, meaning) {#name, PMU_EVENT_##name, of_core, meaning},
const struct pmu_event pmu_events[] = {PMU_EVENTS(EVENT)};
const u32 pmu_event_number = sizeof pmu_events / sizeof *pmu_events;

static char upper(char c) {
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool is_word(const char* text, size_t length, const char* word) {
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

static const struct pmu_event* find(const char* name, size_t length) {
    for (u32 n = 0; n < pmu_event_number; ++n) {
        size_t i = 0;
        while (i < length && upper(name[i]) == pmu_events[n].name[i]) ++i;
        if (i == length && pmu_events[n].name[i] == '\0') return &pmu_events[n];
    }
    return NULL;
}

const struct pmu_event* pmu_event_by_name(const char* name) {
    return find(name, strlen(name));
}

const struct pmu_event* pmu_event_by_code(u32 select) {
    for (u32 n = 0; n < pmu_event_number; ++n)
        if (pmu_events[n].code == (u16)select) return &pmu_events[n];
    return NULL;
}

// Length of the word that ends at ':' or at the end.
static size_t word_length(const char* text) {
    size_t n = 0;
    while (text[n] != '\0' && text[n] != ':') ++n;
    return n;
}

// Value of the decimal digits, 0 unless it is from 1 to 255.
static u32 threshold(const char* digits, size_t length) {
    u32 value = 0;
    for (size_t i = 0; i < length; ++i) {
        if (digits[i] < '0' || digits[i] > '9') return 0;
        value = value * 10 + (u32)(digits[i] - '0');
        if (value > 255) return 0;
    }
    return value;
}

static const struct {
    const char* word;
    u32 bits;
} words[] = {{"u", PMU_USER},         {"k", PMU_OS},      {"uk", PMU_USER | PMU_OS},
             {"any", PMU_ANY_THREAD}, {"edge", PMU_EDGE}, {"inv", PMU_INVERT}};

static const char* add_word(const char* text, size_t length, struct pmu_selection* s) {
    static const char cmask[] = "cmask=";
    const size_t prefix = sizeof cmask - 1;
    if (is_word(text, length, "spflt")) {
        s->spflt = true;
        return NULL;
    }
    if (length > prefix && strncmp(text, cmask, prefix) == 0) {
        const u32 n = threshold(text + prefix, length - prefix);
        s->select = (s->select & ~PMU_CMASK(255)) | PMU_CMASK(n);
        return n != 0 ? NULL : "cmask= takes 1 to 255";
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        if (!is_word(text, length, words[i].word)) continue;
        s->select |= words[i].bits;
        return NULL;
    }
    return "unknown word after the event";
}

const char* pmu_event_parse(const char* text, struct pmu_selection* s) {
    size_t length = word_length(text);
    const struct pmu_event* e = find(text, length);
    if (e == NULL) return "no such event";
    *s = (struct pmu_selection){e->code, false};
    for (text += length; *text == ':'; text += length) {
        length = word_length(++text);
        const char* error = add_word(text, length, s);
        if (error != NULL) return error;
    }
    if ((s->select & PMU_INVERT) != 0 && s->select >> 24 == 0) return "inv needs cmask=";
    if ((s->select & (PMU_USER | PMU_OS)) == 0) s->select |= PMU_USER | PMU_OS;
    return NULL;
}

u64 pmu_core_count(u32 select, const u64 of_thread[], u32 threads) {
    const struct pmu_event* e = pmu_event_by_code(select);
    if (e != NULL && e->of_core) return of_thread[0];
    u64 sum = 0;
    for (u32 i = 0; i < threads; ++i) sum += of_thread[i];
    return sum;
}
