#include "lib/boot_info.h"

#include "lib/string.h"

#define MULTIBOOT_LOADED 0x2BADB002u
#define HAS_COMMAND_LINE (1u << 2)
#define HAS_MEMORY_MAP (1u << 6)
#define MEMORY_AVAILABLE 1

struct multiboot_info {
    u32 flags;
    u32 mem_lower, mem_upper;
    u32 boot_device;
    u32 cmdline;
    u32 mods_count, mods_addr;
    u32 syms[4];
    u32 mmap_length, mmap_addr;
};

struct multiboot_region {
    u32 size;  // of what follows
    u64 base;
    u64 length;
    u32 type;
} __attribute__((packed));

#define REGIONS 16
static char line[512];
static struct memory_region regions[REGIONS];
static unsigned region_count;

bool boot_info_init(u32 magic, u64 info) {
    if (magic != MULTIBOOT_LOADED) return false;
    const struct multiboot_info* mb = (const struct multiboot_info*)info;
    if ((mb->flags & HAS_COMMAND_LINE) != 0) {
        const char* text = (const char*)(u64)mb->cmdline;
        for (size_t i = 0; i + 1 < sizeof line && text[i] != '\0'; ++i) line[i] = text[i];
    }
    if ((mb->flags & HAS_MEMORY_MAP) != 0) {
        u64 at = mb->mmap_addr;
        const u64 end = at + mb->mmap_length;
        while (at < end && region_count < REGIONS) {
            const struct multiboot_region* r = (const struct multiboot_region*)at;
            regions[region_count].base = r->base;
            regions[region_count].length = r->length;
            regions[region_count].available = r->type == MEMORY_AVAILABLE;
            ++region_count;
            at += r->size + sizeof r->size;
        }
    }
    return true;
}

const char* command_line(void) {
    return line;
}

// The text behind `name` in the first word that begins with it; NULL when there is none.
static const char* find_word(const char* name) {
    const size_t length = strlen(name);
    for (const char* p = line; *p != '\0';) {
        while (*p == ' ') ++p;
        if (strncmp(p, name, length) == 0) return p + length;
        while (*p != '\0' && *p != ' ') ++p;
    }
    return NULL;
}

bool option(const char* word) {
    const size_t length = strlen(word);
    for (const char* p = line; *p != '\0';) {
        while (*p == ' ') ++p;
        const char* end = p;
        while (*end != '\0' && *end != ' ') ++end;
        if ((size_t)(end - p) == length && strncmp(p, word, length) == 0) return true;
        p = end;
    }
    return false;
}

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 16;
}

u64 option_number(const char* name, u64 otherwise) {
    char key[32];
    const size_t length = strlen(name);
    if (length + 2 > sizeof key) return otherwise;
    memcpy(key, name, length);
    key[length] = '=';
    key[length + 1] = '\0';
    const char* p = find_word(key);
    if (p == NULL) return otherwise;
    u64 base = 10;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        base = 16;
        p += 2;
    }
    u64 value = 0;
    for (; (u64)digit(*p) < base; ++p) value = value * base + (u64)digit(*p);
    return value;
}

unsigned memory_regions(void) {
    return region_count;
}

struct memory_region memory_region(unsigned index) {
    return regions[index];
}
