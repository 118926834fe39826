// Kernels of the vector unit.
#include "tests/event_matrix/frame.inc"

    .section .text.event_matrix, "ax"

    KERNEL(vector_loads)
    vmovaps 0x000(%rsi), %zmm3
    vmovaps 0x080(%rsi), %zmm4
    vmovaps 0x100(%rsi), %zmm5
    vmovaps 0x180(%rsi), %zmm6
    END

    KERNEL(vector_stores)
    vmovaps %zmm1, 0x000(%rsi)
    vmovaps %zmm1, 0x080(%rsi)
    vmovaps %zmm1, 0x100(%rsi)
    vmovaps %zmm1, 0x180(%rsi)
    END

    KERNEL(vector_stores_of_no_lane)
    vmovaps %zmm1, 0x000(%rsi){%k2}
    vmovaps %zmm1, 0x080(%rsi){%k2}
    vmovaps %zmm1, 0x100(%rsi){%k2}
    vmovaps %zmm1, 0x180(%rsi){%k2}
    END

    KERNEL(additions)
    vaddps %zmm1, %zmm2, %zmm3
    vaddps %zmm1, %zmm2, %zmm4
    vaddps %zmm1, %zmm2, %zmm5
    vaddps %zmm1, %zmm2, %zmm6{%k1}
    END

    KERNEL(additions_of_no_lane)
    vaddps %zmm1, %zmm2, %zmm3{%k2}
    vaddps %zmm1, %zmm2, %zmm4{%k2}
    vaddps %zmm1, %zmm2, %zmm5{%k2}
    vaddps %zmm1, %zmm2, %zmm6{%k2}
    END

    KERNEL(dependent_additions)
    vaddps %zmm1, %zmm2, %zmm3
    vaddps %zmm3, %zmm2, %zmm4
    vaddps %zmm4, %zmm2, %zmm5
    vaddps %zmm5, %zmm2, %zmm6
    END

    KERNEL(prefetches_as_mvex)
    {mvex} vprefetch0 0x000(%rsi)
    {mvex} vprefetch0 0x080(%rsi)
    {mvex} vprefetch0 0x100(%rsi)
    {mvex} vprefetch0 0x180(%rsi)
    END

    KERNEL(mask_pairs)
    knot %k2, %k3
    knot %k2, %k4
    knot %k2, %k5
    knot %k2, %k6
    END

    KERNEL(masks_written_again)
    knot %k2, %k3
    knot %k2, %k3
    knot %k2, %k3
    knot %k2, %k3
    END

    KERNEL(gathers_by_new_index)
    vpaddd %zmm1, %zmm10, %zmm11
    vgatherdps (%rsi, %zmm11, 4), %zmm3{%k3}
    vpaddd %zmm1, %zmm10, %zmm12
    vgatherdps (%rsi, %zmm12, 4), %zmm4{%k4}
    END

// The register that waits forms no address.
    KERNEL(gathers_to_new_register)
    vaddps %zmm1, %zmm2, %zmm3
    vgatherdps (%rsi, %zmm10, 4), %zmm3{%k3}
    vaddps %zmm1, %zmm2, %zmm4
    vgatherdps (%rsi, %zmm10, 4), %zmm4{%k4}
    END

    .section .note.GNU-stack, "", @progbits
