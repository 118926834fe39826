// Functions that try an instruction that may fault and return the fault. Ring 0.
#ifndef KNC_SW_LIB_PROBE_H
#define KNC_SW_LIB_PROBE_H

#include "lib/trap.h"
#include "lib/types.h"

// `value` receives what was read; unchanged after a fault. May be NULL.
struct fault probe_rdmsr(u32 msr, u64* value);
struct fault probe_wrmsr(u32 msr, u64 value);
struct fault probe_rdpmc(u32 counter, u64* value);
struct fault probe_read(const volatile void* address);
struct fault probe_write(volatile void* address);  // of one byte 0
// Calls the code at `code`.
struct fault probe_call(const void* code);

// True when `f` is `vector` with error code `error`.
bool fault_is(const struct fault* f, unsigned vector, u64 error);

#endif
