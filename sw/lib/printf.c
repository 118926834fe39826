#include "lib/printf.h"

#include "lib/lock.h"
#include "lib/platform.h"
#include "lib/string.h"

struct sink {
    void (*put)(struct sink*, char);
    char* to;
    size_t room;
    size_t length;
};

static void put_memory(struct sink* sink, char c) {
    if (sink->length + 1 < sink->room) sink->to[sink->length] = c;
    ++sink->length;
}

static void put_console(struct sink* sink, char c) {
    platform_put((u8)c);
    ++sink->length;
}

struct field {
    unsigned width;
    bool left;
    bool zero;
};

// Writes sign (may be empty) and text, padded to the field's width.
static void put_field(struct sink* sink, struct field f, const char* sign, const char* text,
                      size_t length) {
    const size_t total = strlen(sign) + length;
    size_t pad = total < f.width ? f.width - total : 0;
    if (!f.left && !f.zero) {
        for (; pad != 0; --pad) sink->put(sink, ' ');
    }
    for (; *sign != '\0'; ++sign) sink->put(sink, *sign);
    if (!f.left) {
        for (; pad != 0; --pad) sink->put(sink, '0');
    }
    for (; length != 0; --length) sink->put(sink, *text++);
    for (; pad != 0; --pad) sink->put(sink, ' ');
}

static void put_number(struct sink* sink, struct field f, const char* sign, u64 value,
                       unsigned base, const char* digits) {
    char text[20];
    char* end = text + sizeof text;
    char* p = end;
    do {
        *--p = digits[value % base];
        value /= base;
    } while (value != 0);
    put_field(sink, f, sign, p, (size_t)(end - p));
}

static const char lower[] = "0123456789abcdef";
static const char upper[] = "0123456789ABCDEF";

static void format_to(struct sink* sink, const char* format, va_list arguments) {
    for (; *format != '\0'; ++format) {
        if (*format != '%') {
            sink->put(sink, *format);
            continue;
        }
        struct field f = {0, false, false};
        unsigned longs = 0;
        for (++format; *format == '0' || *format == '-'; ++format) {
            if (*format == '0') {
                f.zero = true;
            } else {
                f.left = true;
            }
        }
        if (*format == '*') {
            f.width = va_arg(arguments, unsigned);
            ++format;
        }
        for (; *format >= '0' && *format <= '9'; ++format) {
            f.width = f.width * 10 + (unsigned)(*format - '0');
        }
        for (; *format == 'l' || *format == 'z'; ++format) ++longs;

        switch (*format) {
            case 'd':
            case 'i': {
                const i64 v = longs != 0 ? va_arg(arguments, i64) : va_arg(arguments, i32);
                put_number(sink, f, v < 0 ? "-" : "", v < 0 ? -(u64)v : (u64)v, 10, lower);
                break;
            }
            case 'u':
            case 'x':
            case 'X': {
                const u64 v = longs != 0 ? va_arg(arguments, u64) : va_arg(arguments, u32);
                put_number(sink, f, "", v, *format == 'u' ? 10 : 16,
                           *format == 'X' ? upper : lower);
                break;
            }
            case 'p':
                put_number(sink, f, "0x", va_arg(arguments, u64), 16, lower);
                break;
            case 's': {
                const char* s = va_arg(arguments, const char*);
                f.zero = false;
                put_field(sink, f, "", s, strlen(s));
                break;
            }
            case 'c': {
                const char c = (char)va_arg(arguments, int);
                f.zero = false;
                put_field(sink, f, "", &c, 1);
                break;
            }
            default:
                if (*format == '\0') return;
                sink->put(sink, *format);
        }
    }
}

static struct spinlock console_lock;

void console_write(const char* text, size_t bytes) {
    const u64 flags = spin_lock_irq(&console_lock);
    for (; bytes != 0; --bytes) platform_put((u8)*text++);
    spin_unlock_irq(&console_lock, flags);
}

int printf(const char* format, ...) {
    struct sink sink = {put_console, NULL, 0, 0};
    va_list arguments;
    va_start(arguments, format);
    const u64 flags = spin_lock_irq(&console_lock);
    format_to(&sink, format, arguments);
    spin_unlock_irq(&console_lock, flags);
    va_end(arguments);
    return (int)sink.length;
}

int printf_unlocked(const char* format, ...) {
    struct sink sink = {put_console, NULL, 0, 0};
    va_list arguments;
    va_start(arguments, format);
    format_to(&sink, format, arguments);
    va_end(arguments);
    return (int)sink.length;
}

int vsnprintf(char* to, size_t size, const char* format, va_list arguments) {
    struct sink sink = {put_memory, to, size, 0};
    format_to(&sink, format, arguments);
    if (size != 0) to[sink.length < size ? sink.length : size - 1] = '\0';
    return (int)sink.length;
}

int snprintf(char* to, size_t size, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return length;
}
