#include "lib/string.h"

void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
    void* d = to;
    size_t words = bytes / 8;
    size_t rest = bytes % 8;
    __asm__ volatile("rep movsq" : "+D"(d), "+S"(from), "+c"(words) : : "memory");
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(rest) : : "memory");
    return to;
}

void* memmove(void* to, const void* from, size_t bytes) {
    if ((uintptr_t)to - (uintptr_t)from >= bytes) return memcpy(to, from, bytes);
    u8* d = (u8*)to + bytes;
    const u8* s = (const u8*)from + bytes;
    while (bytes-- != 0) *--d = *--s;
    return to;
}

void* memset(void* to, int value, size_t bytes) {
    void* d = to;
    size_t words = bytes / 8;
    size_t rest = bytes % 8;
    const u64 pattern = 0x0101010101010101ul * (u8)value;
    __asm__ volatile("rep stosq" : "+D"(d), "+c"(words) : "a"(pattern) : "memory");
    __asm__ volatile("rep stosb" : "+D"(d), "+c"(rest) : "a"(pattern) : "memory");
    return to;
}

int memcmp(const void* a, const void* b, size_t bytes) {
    const u8* x = a;
    const u8* y = b;
    for (; bytes != 0; --bytes, ++x, ++y) {
        if (*x != *y) return *x < *y ? -1 : 1;
    }
    return 0;
}

size_t strlen(const char* s) {
    const char* end = s;
    while (*end != '\0') ++end;
    return (size_t)(end - s);
}

int strcmp(const char* a, const char* b) {
    return strncmp(a, b, SIZE_MAX);
}

int strncmp(const char* a, const char* b, size_t bytes) {
    for (; bytes != 0; --bytes, ++a, ++b) {
        if (*a != *b) return (u8)*a < (u8)*b ? -1 : 1;
        if (*a == '\0') break;
    }
    return 0;
}

char* strchr(const char* s, int c) {
    for (;; ++s) {
        if (*s == (char)c) return (char*)(uintptr_t)s;
        if (*s == '\0') return NULL;
    }
}
