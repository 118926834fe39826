// The tasks of interrupted.c, and its handlers.

#define OTHER_TASK 0x40  // FREE_SELECTOR

    .text
    .code32

// u32 switch_tasks(void) at ring 3: calls the other task as often as job says.
    .globl switch_tasks
switch_tasks:
    movl job, %ecx
1:  lcall $OTHER_TASK + 3, $0
    decl %ecx
    jnz 1b
    ret

// Goes back to its caller each time.
    .globl other_task
other_task:
    iret
    jmp other_task

// Both are entered in either task.
    .globl timer_entry, pmi_entry
timer_entry:
    incl ticks
    testl $1, cold
    jz 1f
    wbinvd
1:  movl $0, 0xFEE000B0
    iret
pmi_entry:
    pushal
    call on_pmi
    popal
    iret

    .section .note.GNU-stack, "", @progbits
