// The information from the loader: command line and memory map.
#ifndef KNC_SW_LIB_BOOT_INFO_H
#define KNC_SW_LIB_BOOT_INFO_H

#include "lib/types.h"

struct memory_region {
    u64 base;
    u64 length;
    bool available;
};

// Takes the Multiboot information at `info`; called once at start. False when `magic` is not
// Multiboot's.
bool boot_info_init(u32 magic, u64 info);

const char* command_line(void);
// True when the blank-separated word `word` is on the command line.
bool option(const char* word);
// The number N, decimal or 0x hexadecimal, of a word "name=N"; `otherwise` when there is none.
u64 option_number(const char* name, u64 otherwise);

unsigned memory_regions(void);
struct memory_region memory_region(unsigned index);

#endif
