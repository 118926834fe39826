// Three nested functions with frame pointers; ring 3. The numbers of instructions stand in pmu_log.c.

    .section .text.kernels, "ax"
    .globl chain_outer, chain_outer_return, chain_middle_return, chain_leaf_loop, chain_leaf_end

chain_outer:
    pushq %rbp
    movq %rsp, %rbp
    call middle
chain_outer_return:
    popq %rbp
    ret

middle:
    pushq %rbp
    movq %rsp, %rbp
    call leaf
chain_middle_return:
    popq %rbp
    ret

leaf:
    pushq %rbp
    movq %rsp, %rbp
    movq %rdi, %rax
chain_leaf_loop:
    decq %rax
    jnz chain_leaf_loop
chain_leaf_end:
    popq %rbp
    ret

    .section .note.GNU-stack, "", @progbits
