// Driver of the performance counters of a Pentium with MMX, for 32-bit code at CPL 0.
//
// The two halves of CESR cannot be written apart, and an event must be stopped before it is
// changed: the functions keep to that.
#ifndef KNC_SW_DRIVERS_P55C_P55C_H
#define KNC_SW_DRIVERS_P55C_P55C_H

typedef unsigned int p55c_u32;
typedef unsigned long long p55c_u64;

enum { MSR_TSC = 0x10, MSR_CESR = 0x11, MSR_CTR = 0x12 };
#define P55C_COUNTERS 2
#define P55C_MASK ((1ull << 40) - 1)

// The field CC: while CPL is 0-2, is 3, is any; | P55C_CLOCKS: clocks, not occurrences.
enum { P55C_OFF = 0, P55C_SYSTEM = 1, P55C_USER = 2, P55C_ALL = 3, P55C_CLOCKS = 4 };

// The ten bits of one counter; `pin`: its pin shows overflows, not increments.
static inline p55c_u32 p55c_field(p55c_u32 event, p55c_u32 cc, p55c_u32 pin) {
    return event | cc << 6 | pin << 9;
}
// CESR of the fields of both counters.
static inline p55c_u32 p55c_control(p55c_u32 field0, p55c_u32 field1) {
    return field0 | field1 << 16;
}

static inline void p55c_wrmsr(p55c_u32 msr, p55c_u64 value) {
    __asm__ volatile("wrmsr"
                     :
                     : "c"(msr), "a"((p55c_u32)value), "d"((p55c_u32)(value >> 32))
                     : "memory");
}
static inline p55c_u64 p55c_rdmsr(p55c_u32 msr) {
    p55c_u64 v;
    __asm__ volatile("rdmsr" : "=A"(v) : "c"(msr));
    return v;
}
static inline p55c_u64 p55c_rdpmc(p55c_u32 counter) {
    p55c_u64 v;
    __asm__ volatile("rdpmc" : "=A"(v) : "c"(counter));
    return v;
}
static inline p55c_u64 p55c_rdtsc(void) {
    p55c_u64 v;
    __asm__ volatile("rdtsc" : "=A"(v));
    return v;
}

// Both counters stop, and start again from these values with `control`.
void p55c_start(p55c_u32 control, p55c_u64 value0, p55c_u64 value1);
// Both counters stop; their values belong together.
void p55c_stop(p55c_u64 values[P55C_COUNTERS]);
// The value from which a counter overflows after `n` events.
p55c_u64 p55c_before(p55c_u64 n);
// The field of counter `n` becomes `field`, and its value 0; the other one goes on.
void p55c_change(p55c_u32 n, p55c_u32 field);

#endif
