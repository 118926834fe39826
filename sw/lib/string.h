// Memory and string functions, as in ISO C.
#ifndef KNC_SW_LIB_STRING_H
#define KNC_SW_LIB_STRING_H

#include "lib/types.h"

void* memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
int memcmp(const void* a, const void* b, size_t bytes);
size_t strlen(const char* s);
int strcmp(const char* a, const char* b);
int strncmp(const char* a, const char* b, size_t bytes);
char* strchr(const char* s, int c);

#endif
