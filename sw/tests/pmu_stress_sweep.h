// The kernels of pmu_stress_sweep.S: name, ring, event that the counter under test counts,
// instructions and events.
//
// Instructions and events between SPFLT 1 and SPFLT 0, the latter included. A repeated string
// instruction is one; a fault is none, and the restarted instruction one. The lanes of the gather
// and the scatter lie in seven lines, so that they take seven rounds each.
#ifndef KNC_SW_TESTS_PMU_STRESS_SWEEP_H
#define KNC_SW_TESTS_PMU_STRESS_SWEEP_H

// clang-format off
#define EVERY(row) \
    row(chain, 3, INSTRUCTIONS_EXECUTED, 9, 9) \
    row(pairs, 3, INSTRUCTIONS_EXECUTED, 17, 17) \
    row(branches, 3, INSTRUCTIONS_EXECUTED, 20, 20) \
    row(microcode, 3, INSTRUCTIONS_EXECUTED, 21, 21) \
    row(locked, 3, INSTRUCTIONS_EXECUTED, 10, 10) \
    row(movsq, 3, DATA_READ, 5, 20) \
    row(movsb, 3, DATA_WRITE, 5, 20) \
    row(stosq, 3, DATA_WRITE, 5, 20) \
    row(lodsq, 3, DATA_READ, 5, 20) \
    row(cmpsb, 3, DATA_READ, 5, 40) \
    row(scasb, 3, DATA_READ, 5, 20) \
    row(movsd_down, 3, DATA_READ_OR_WRITE, 7, 24) \
    row(far_transfers, 3, INSTRUCTIONS_EXECUTED, 18, 18) \
    row(gather, 3, INSTRUCTIONS_EXECUTED, 40, 40) \
    row(x87, 3, INSTRUCTIONS_EXECUTED, 12, 12) \
    row(flags, 3, INSTRUCTIONS_EXECUTED, 8, 8) \
    row(steps, 3, INSTRUCTIONS_EXECUTED, 10, 10) \
    row(traps, 3, INSTRUCTIONS_EXECUTED, 9, 9) \
    row(fault_load, 3, INSTRUCTIONS_EXECUTED, 7, 7) \
    row(fault_store, 3, INSTRUCTIONS_EXECUTED, 5, 5) \
    row(fault_update, 3, INSTRUCTIONS_EXECUTED, 6, 6) \
    row(fault_push, 3, INSTRUCTIONS_EXECUTED, 7, 7) \
    row(fault_string, 3, DATA_WRITE, 7, 16) \
    row(system_call, 3, INSTRUCTIONS_EXECUTED, 7, 7) \
    row(modified_code, 3, INSTRUCTIONS_EXECUTED, 17, 17) \
    row(interrupts_off, 0, INSTRUCTIONS_EXECUTED, 14, 14) \
    row(shadows, 0, INSTRUCTIONS_EXECUTED, 23, 23) \
    row(pmu_writes, 0, INSTRUCTIONS_EXECUTED, 14, 14) \
    row(serialising, 0, INSTRUCTIONS_EXECUTED, 18, 18) \
    row(returns, 0, INSTRUCTIONS_EXECUTED, 13, 13)
// clang-format on

#endif
