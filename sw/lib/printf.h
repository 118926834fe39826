// Formatted output: %d %i %u %x %X %p %s %c %%, sizes l ll z, minimum width (also *), flags 0 and
// -.
#ifndef KNC_SW_LIB_PRINTF_H
#define KNC_SW_LIB_PRINTF_H

#include <stdarg.h>

#include "lib/types.h"

// To the console; one call's text is not mixed with another thread's. Ring 0. Returns the length.
int printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
// To the console without taking its lock: for the panic handler.
int printf_unlocked(const char* format, ...) __attribute__((format(printf, 1, 2)));
// Into `to`, at most `size` bytes, always terminated when size > 0. Returns the untruncated length.
int snprintf(char* to, size_t size, const char* format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char* to, size_t size, const char* format, va_list arguments);
// Bytes to the console, ring 0.
void console_write(const char* text, size_t bytes);

#endif
