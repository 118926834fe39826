// Short names of the fixed-width types.
#ifndef KNC_SW_LIB_TYPES_H
#define KNC_SW_LIB_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

// Data that ring 3 code may touch: put it in the image's user region.
#define USER_DATA __attribute__((section(".data.user")))
#define USER_BSS __attribute__((section(".bss.user")))

#endif
