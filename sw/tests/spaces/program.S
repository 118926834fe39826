// A program alone: its symbols, for the simulator.
    .text
#include "tests/spaces/program.inc"
    .section .note.GNU-stack, "", @progbits
