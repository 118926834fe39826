// Micro-kernels of the vector unit: their registers, and what their instructions raise.
//
// All are 64-bit code. Before the body, all results are there, and
//
//     %rbx          0x4000, the data: 1 KB of zeros
//     %k1           0x0f0f: 8 lanes of 32 bits, 4 lanes of 64 bits
//     %k2, %k3      no lane, all lanes
//     %zmm10        indices of elements of one line: 0, 1, ... 15
//     %zmm11        of two lines, eight each: 0 to 7, 16 to 23
//     %zmm12        of sixteen lines: 0, 16, ... 240
//     others        0
//
// A body changes %k4 to %k7 and %zmm1 to %zmm9, if it can.
#ifndef KNC_TESTS_KERNELS_VECTOR_H
#define KNC_TESTS_KERNELS_VECTOR_H

#include "harness.h"

#define KNC_VECTOR_SETUP                                                                   \
    "movl $0x4000, %ebx\nmovl $0x0f0f, %eax\nkmov %eax, %k1\nxorl %eax, %eax\nkmov %eax, " \
    "%k2\nnotl %eax\nkmov %eax, %k3\nvmovdqa32 0x5000, %zmm10\nvmovdqa32 0x5040, %zmm11\n" \
    "vmovdqa32 0x5080, %zmm12\nvmovaps (%rbx), %zmm1\nmovl $0x0f0f, %eax\nxorl %edi, %edi"

// After BODY the clocks, then the counts.
#define KNC_VECTOR(suite, name, body, clocks, ...)                               \
    KNC_KERNEL(suite, name, 64, KNC_VECTOR_SETUP, body, "", clocks, __VA_ARGS__, \
               prepared(put_indices))

namespace knc::kernels {

inline void put_indices(machine& m) {
    for (std::uint32_t n = 0; n < 16; ++n) {
        m.put(0x5000 + 4 * n, n);
        m.put(0x5040 + 4 * n, n < 8 ? n : n + 8);
        m.put(0x5080 + 4 * n, 16 * n);
    }
}

const counts none;

// Of the instructions of issues(), which name vector or mask registers: `v` of these `n` are in V.
inline counts vectors(std::uint64_t n, std::uint64_t v = 0) {
    return {{base::vpu_instructions_executed, n}, {base::vpu_instructions_executed_v_pipe, v}};
}
inline counts elements(std::uint64_t n) {
    return raises(base::vpu_elements_active, n);
}
// An instruction on vectors alone in its issue, all of its 16 lanes active.
inline counts vector_issues(std::uint64_t n) {
    return issues(n, 0) + vectors(n) + elements(16 * n);
}
// Lines a vector instruction accesses.
inline counts vector_reads(std::uint64_t n) {
    return reads(n) + raises(base::vpu_data_read, n);
}
inline counts vector_writes(std::uint64_t n) {
    return writes(n) + raises(base::vpu_data_write, n);
}
// One wait for a vector or mask register: the slot that stays empty is the first of these clocks.
inline counts stall(std::uint64_t clocks) {
    return waits(clocks) + raises(base::vpu_stall_reg, 1);
}
inline counts stalls(std::uint64_t n, std::uint64_t clocks_each) {
    return waits(n * clocks_each) + raises(base::vpu_stall_reg, n);
}
// The same of a gather or scatter for its index or its mask.
inline counts sparse_stall(std::uint64_t clocks) {
    return waits(clocks) + raises(base::pipeline_sg_agi_stalls, 1);
}

}  // namespace knc::kernels

#endif
