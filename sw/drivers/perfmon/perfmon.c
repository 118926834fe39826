#include "drivers/perfmon/perfmon.h"

#include "lib/cpu.h"

void perfmon_select(unsigned counter, u64 select, u64 from) {
    // The counter is off while the selection changes, so it never counts by a mixture of two.
    wrmsr(MSR_PERFEVTSEL + counter, 0);
    wrmsr(MSR_A_PMC + counter, from & PERFMON_MASK);
    wrmsr(MSR_PERFEVTSEL + counter, select | PERFMON_ENABLE);
}

void perfmon_select_fixed(unsigned counter, u64 bits, u64 from) {
    const u64 own = 0xful | PERFMON_FIXED_ADAPTIVE;
    const u64 others = rdmsr(MSR_FIXED_CTR_CTRL) & ~(own << 4 * counter);
    wrmsr(MSR_FIXED_CTR_CTRL, others);
    wrmsr(MSR_FIXED_CTR + counter, from & PERFMON_MASK);
    wrmsr(MSR_FIXED_CTR_CTRL, others | bits << 4 * counter);
}

void perfmon_start(u64 mask) {
    wrmsr(MSR_GLOBAL_CTRL, mask);
}

void perfmon_stop(void) {
    wrmsr(MSR_GLOBAL_CTRL, 0);
}

u64 perfmon_read(unsigned counter) {
    return rdmsr(MSR_PMC + counter);
}

u64 perfmon_read_fixed(unsigned counter) {
    return rdmsr(MSR_FIXED_CTR + counter);
}

u64 perfmon_status(void) {
    return rdmsr(MSR_GLOBAL_STATUS);
}

void perfmon_clear_status(u64 mask) {
    wrmsr(MSR_GLOBAL_OVF_CTRL, mask);
}

u64 pebs_record_bytes(u64 config) {
    u64 bytes = PEBS_BASIC_BYTES;
    if ((config & PEBS_MEMORY) != 0) bytes += PEBS_MEMORY_BYTES;
    if ((config & PEBS_REGISTERS) != 0) bytes += PEBS_REGISTERS_BYTES;
    if ((config & PEBS_XMM) != 0) bytes += PEBS_XMM_BYTES;
    if ((config & 8) != 0) bytes += PEBS_LBR_BYTES * ((config >> 24 & 0xFF) + 1);
    return bytes;
}

void pebs_start(struct perfmon_ds_area* area, void* buffer, u64 bytes, u64 threshold, u64 config,
                u64 mask) {
    *area = (struct perfmon_ds_area){.base = (u64)buffer,
                                     .index = (u64)buffer,
                                     .maximum = (u64)buffer + bytes,
                                     .threshold = (u64)buffer + threshold};
    wrmsr(MSR_PEBS_ENABLE, 0);
    wrmsr(MSR_DS_AREA, (u64)area);
    wrmsr(MSR_PEBS_DATA_CFG, config);
    wrmsr(MSR_PEBS_ENABLE, mask);
}

void pebs_stop(void) {
    wrmsr(MSR_PEBS_ENABLE, 0);
    wrmsr(MSR_DS_AREA, 0);
    wrmsr(MSR_PEBS_DATA_CFG, 0);
}

const struct pebs_basic* pebs_next(const struct perfmon_ds_area* area, const struct pebs_basic* r) {
    const u64 next = r == NULL ? area->base : (u64)r + pebs_bytes(r);
    return next < area->index ? (const struct pebs_basic*)next : NULL;
}

const struct pebs_memory* pebs_memory_of(const struct pebs_basic* r) {
    return (r->format & PEBS_MEMORY) != 0 ? (const struct pebs_memory*)(r + 1) : NULL;
}

const struct pebs_registers* pebs_registers_of(const struct pebs_basic* r) {
    if ((r->format & PEBS_REGISTERS) == 0) return NULL;
    const u64 before = (r->format & PEBS_MEMORY) != 0 ? PEBS_MEMORY_BYTES : 0;
    return (const struct pebs_registers*)((u64)(r + 1) + before);
}

void perfmon_reset(void) {
    perfmon_stop();
    if (PERFMON_PEBS_FORMAT(rdmsr(MSR_PERF_CAPABILITIES)) != 0) pebs_stop();
    wrmsr(MSR_DEBUGCTL, 0);
    wrmsr(MSR_FIXED_CTR_CTRL, 0);
    for (unsigned n = 0; n < PERFMON_GENERAL; ++n) {
        wrmsr(MSR_PERFEVTSEL + n, 0);
        wrmsr(MSR_PMC + n, 0);
    }
    for (unsigned n = 0; n < PERFMON_FIXED; ++n) wrmsr(MSR_FIXED_CTR + n, 0);
    perfmon_clear_status(PERFMON_ALL | PERFMON_BUFFER_FULL);
}
