#include "p55c.h"

void p55c_start(p55c_u32 control, p55c_u64 value0, p55c_u64 value1) {
    p55c_wrmsr(MSR_CESR, 0);
    p55c_wrmsr(MSR_CTR, value0);
    p55c_wrmsr(MSR_CTR + 1, value1);
    p55c_wrmsr(MSR_CESR, control);
}

void p55c_stop(p55c_u64 values[P55C_COUNTERS]) {
    p55c_wrmsr(MSR_CESR, 0);
    values[0] = p55c_rdmsr(MSR_CTR);
    values[1] = p55c_rdmsr(MSR_CTR + 1);
}

p55c_u64 p55c_before(p55c_u64 n) {
    return (P55C_MASK + 1 - n) & P55C_MASK;
}

void p55c_change(p55c_u32 n, p55c_u32 field) {
    const p55c_u32 shift = n * 16;
    const p55c_u32 others = (p55c_u32)p55c_rdmsr(MSR_CESR) & ~(0x3FFu << shift);
    p55c_wrmsr(MSR_CESR, others);
    p55c_wrmsr(MSR_CTR + n, 0);
    p55c_wrmsr(MSR_CESR, others | field << shift);
}
