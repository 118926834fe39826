// What the kernel says of the machine, for the header of perf.data.
#ifndef KNC_SW_LINUX_USER_FACTS_H
#define KNC_SW_LINUX_USER_FACTS_H

#include "perf_data.h"

// Fills all fields but the command; the texts live as long as the program.
void facts_read(struct perf_data_facts* f);

// The value of the first line "KEY : VALUE" of /proc/cpuinfo or /proc/meminfo; false if there is
// none.
bool proc_value(const char* path, const char* key, char* value, size_t bytes);

#endif
