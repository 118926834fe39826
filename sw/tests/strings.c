// The base of the library: memory and string functions, formatted output, atomics, string
// instructions.
#include "lib/check.h"
#include "lib/lock.h"
#include "lib/printf.h"
#include "lib/string.h"

static u8 from[64], to[64];

static void check_memory(void) {
    for (u32 i = 0; i < sizeof from; ++i) from[i] = (u8)(i + 1);
    for (u32 length = 0; length <= 40; ++length) {
        for (u32 offset = 0; offset < 8; ++offset) {
            memset(to, 0xEE, sizeof to);
            CHECK(memcpy(to + offset, from + 3, length) == to + offset);
            CHECK_EQ(memcmp(to + offset, from + 3, length), 0);
            CHECK_EQ(to[offset + length], 0xEE);
            if (offset > 0) CHECK_EQ(to[offset - 1], 0xEE);
        }
    }
    memcpy(to, from, sizeof to);
    memmove(to + 5, to, 30);
    CHECK_EQ(memcmp(to + 5, from, 30), 0);
    memcpy(to, from, sizeof to);
    memmove(to, to + 5, 30);
    CHECK_EQ(memcmp(to, from + 5, 30), 0);
    to[0] = 1;
    to[1] = 0x80;
    from[0] = 1;
    from[1] = 0x7F;
    CHECK(memcmp(to, from, 2) > 0);
    CHECK(memcmp(from, to, 2) < 0);
}

static void check_strings(void) {
    CHECK_EQ(strlen(""), 0);
    CHECK_EQ(strlen("abc"), 3);
    CHECK_EQ(strcmp("abc", "abc"), 0);
    CHECK(strcmp("abc", "abd") < 0);
    CHECK(strcmp("abc", "ab") > 0);
    CHECK_EQ(strncmp("abc", "abd", 2), 0);
    const char* text = "a=b";
    CHECK(strchr(text, '=') == text + 1);
    CHECK(strchr(text, 'x') == NULL);
    CHECK(strchr(text, 0) == text + 3);
}

#define CHECK_FORMAT(want, ...)                               \
    do {                                                      \
        snprintf(buffer, sizeof buffer, __VA_ARGS__);         \
        if (!CHECK_EQ(strcmp(buffer, want), 0)) {             \
            printf("  got '%s' want '%s'\n", buffer, (want)); \
        }                                                     \
    } while (0)

static void check_format(void) {
    static char buffer[80];
    CHECK_FORMAT("0 -1 2147483647 -2147483648", "%d %d %d %d", 0, -1, 0x7FFFFFFF, -0x7FFFFFFF - 1);
    CHECK_FORMAT("4294967295", "%u", 0xFFFFFFFFu);
    CHECK_FORMAT("-9223372036854775808", "%ld", (long)(1ul << 63));
    CHECK_FORMAT("18446744073709551615", "%llu", ~0ull);
    CHECK_FORMAT("beef BEEF 0x1000", "%x %X %p", 0xBEEF, 0xBEEF, (void*)0x1000);
    CHECK_FORMAT("[   42|42   |00042|-0042]", "[%5d|%-5d|%05d|%05d]", 42, 42, 42, -42);
    CHECK_FORMAT("[  ab|ab  |c]", "[%4s|%-4s|%c]", "ab", "ab", 'c');
    CHECK_FORMAT("[    7]", "[%*d]", 5, 7);
    CHECK_FORMAT("100%", "%d%%", 100);
    CHECK_EQ(snprintf(buffer, 4, "%s", "abcdef"), 6);
    CHECK_EQ(strcmp(buffer, "abc"), 0);
}

static void check_atomics(void) {
    volatile u64 value = 5;
    CHECK_EQ(atomic_fetch_add(&value, 3), 5);
    CHECK_EQ(value, 8);
    CHECK_EQ(atomic_compare_exchange(&value, 7, 1), 8);
    CHECK_EQ(value, 8);
    CHECK_EQ(atomic_compare_exchange(&value, 8, 1), 8);
    CHECK_EQ(value, 1);
    volatile u32 flag = 9;
    CHECK_EQ(atomic_exchange(&flag, 4), 9);
    CHECK_EQ(flag, 4);
    u64 pair[1] = {0x1111111122222222};
    u32 low = 0x22222222, high = 0x11111111;
    bool equal;
    __asm__ volatile("lock cmpxchg8b %1\n\tsete %0"
                     : "=q"(equal), "+m"(pair[0]), "+a"(low), "+d"(high)
                     : "b"(3), "c"(4)
                     : "memory", "cc");
    CHECK(equal);
    CHECK_EQ(pair[0], 0x400000003ul);
}

static void check_string_instructions(void) {
    static const char text[] = "abcdefgh";
    const char* at = text;
    u64 count = sizeof text;
    __asm__ volatile("repne scasb" : "+D"(at), "+c"(count) : "a"('e') : "memory", "cc");
    CHECK(at == text + 5);
    CHECK_EQ(count, sizeof text - 5);
    const char* a = "abcx";
    const char* b = "abcy";
    count = 4;
    __asm__ volatile("repe cmpsb" : "+S"(a), "+D"(b), "+c"(count) : : "memory", "cc");
    CHECK_EQ(count, 0);
    // Backwards; a count of 0 does nothing.
    u8* last = to + 7;
    count = 8;
    memset(to, 0, sizeof to);
    __asm__ volatile("std\n\trep stosb\n\tcld"
                     : "+D"(last), "+c"(count)
                     : "a"(0x5A)
                     : "memory", "cc");
    CHECK_EQ((u64)last + 1, (u64)to);
    CHECK(to[0] == 0x5A && to[7] == 0x5A && to[8] == 0);
    count = 0;
    last = to;
    __asm__ volatile("rep stosb" : "+D"(last), "+c"(count) : "a"(1) : "memory");
    CHECK(last == to && to[0] == 0x5A);
}

int main(void) {
    check_memory();
    check_strings();
    check_format();
    check_atomics();
    check_string_instructions();
    return check_summary();
}
