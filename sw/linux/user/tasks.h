// Records of what existed before a recording began: the kernel, and the tasks of /proc with their
// names and executable mappings. Each ends with `trailer` zero bytes in place of the sample_id of
// the kernel's records.
#ifndef KNC_SW_LINUX_USER_TASKS_H
#define KNC_SW_LINUX_USER_TASKS_H

#include "perf_data.h"

void tasks_write(struct perf_data* d, size_t trailer);
// The code of the kernel, by the addresses of _text and _etext; false if /proc/kallsyms does not
// tell them.
bool tasks_write_kernel(struct perf_data* d, size_t trailer);

#endif
