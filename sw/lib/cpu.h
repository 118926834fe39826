// Functions for single instructions that C cannot express.
#ifndef KNC_SW_LIB_CPU_H
#define KNC_SW_LIB_CPU_H

#include "lib/types.h"

#define RFLAGS_TF (1ul << 8)
#define RFLAGS_IF (1ul << 9)
#define RFLAGS_DF (1ul << 10)
#define RFLAGS_RF (1ul << 16)
#define RFLAGS_AC (1ul << 18)

#define CR0_WP (1ul << 16)
#define CR0_AM (1ul << 18)
#define CR0_CD (1ul << 30)
#define CR4_TSD (1ul << 2)
#define CR4_PCE (1ul << 8)

#define MSR_APIC_BASE 0x1B
#define MSR_MTRR_CAP 0xFE
#define MSR_MTRR_BASE 0x200  // + 2 * range
#define MSR_MTRR_MASK 0x201  // + 2 * range
#define MSR_PAT 0x277
#define MSR_MTRR_DEF_TYPE 0x2FF
#define MSR_EFER 0xC0000080
#define MSR_STAR 0xC0000081
#define MSR_LSTAR 0xC0000082
#define MSR_SFMASK 0xC0000084
#define MSR_KERNEL_GS_BASE 0xC0000102

static inline u64 rdmsr(u32 msr) {
    u32 low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (u64)high << 32 | low;
}
static inline void wrmsr(u32 msr, u64 value) {
    __asm__ volatile("wrmsr" : : "c"(msr), "a"((u32)value), "d"((u32)(value >> 32)) : "memory");
}
static inline u64 rdtsc(void) {
    u32 low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (u64)high << 32 | low;
}
static inline u64 rdpmc(u32 counter) {
    u32 low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter) : "memory");
    return (u64)high << 32 | low;
}
// Bit 0 of `value` becomes the thread's user preference (PERF_SPFLT_CONTROL bit 63). Any ring.
static inline void spflt(u64 value) {
    __asm__ volatile("spflt %0" : : "a"(value) : "memory");
}

struct cpuid_result {
    u32 eax, ebx, ecx, edx;
};
static inline struct cpuid_result cpuid(u32 leaf) {
    struct cpuid_result r;
    __asm__ volatile("cpuid"
                     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                     : "a"(leaf), "c"(0));
    return r;
}

// a * b / c for a * b beyond 64 bits; c is not 0 and the result fits.
static inline u64 multiply_divide(u64 a, u64 b, u64 c) {
    u64 result;
    __asm__("mulq %2\n\tdivq %3" : "=&a"(result) : "0"(a), "r"(b), "r"(c) : "rdx", "cc");
    return result;
}

#define CONTROL_REGISTER(name)                                               \
    static inline u64 read_##name(void) {                                    \
        u64 value;                                                           \
        __asm__ volatile("movq %%" #name ", %0" : "=r"(value) : : "memory"); \
        return value;                                                        \
    }                                                                        \
    static inline void write_##name(u64 value) {                             \
        __asm__ volatile("movq %0, %%" #name : : "r"(value) : "memory");     \
    }
CONTROL_REGISTER(cr0)
CONTROL_REGISTER(cr2)
CONTROL_REGISTER(cr3)
CONTROL_REGISTER(cr4)
CONTROL_REGISTER(cr8)
CONTROL_REGISTER(dr0)
CONTROL_REGISTER(dr1)
CONTROL_REGISTER(dr2)
CONTROL_REGISTER(dr3)
CONTROL_REGISTER(dr6)
CONTROL_REGISTER(dr7)
#undef CONTROL_REGISTER

static inline void invlpg(const volatile void* address) {
    __asm__ volatile("invlpg (%0)" : : "r"(address) : "memory");
}
static inline void irq_enable(void) {
    __asm__ volatile("sti" : : : "memory");
}
static inline void irq_disable(void) {
    __asm__ volatile("cli" : : : "memory");
}
static inline u64 read_rflags(void) {
    u64 flags;
    __asm__ volatile("pushfq\n\tpopq %0" : "=r"(flags) : : "memory");
    return flags;
}
static inline void write_rflags(u64 flags) {
    __asm__ volatile("pushq %0\n\tpopfq" : : "r"(flags) : "memory", "cc");
}
// Interrupts off; returns what irq_restore() needs.
static inline u64 irq_save(void) {
    const u64 flags = read_rflags();
    irq_disable();
    return flags;
}
static inline void irq_restore(u64 flags) {
    write_rflags(flags);
}
static inline void halt(void) {
    __asm__ volatile("hlt" : : : "memory");
}
// Enables interrupts and halts; no interrupt can come between the two.
static inline void irq_enable_and_halt(void) {
    __asm__ volatile("sti\n\thlt" : : : "memory");
}

#endif
