// The common definitions of the real mode program (real_mode.S) and its observer.
//
// The program is copied to PROGRAM_PAGE, below 64 KB, and started there by a start-up message. It
// writes results as 32-bit words to RESULTS_PAGE, in the order of enum real_result, and a mark of
// its progress to RESULT_STAGE.
#ifndef KNC_SW_TESTS_REAL_MODE_H
#define KNC_SW_TESTS_REAL_MODE_H

#define PROGRAM_PAGE 0xA000
#define RESULTS_PAGE 0xE000
// In the program's page, put there by the observer: a text, descriptors (null, flat data) and
// six-byte pointers to tables.
#define PROGRAM_TEXT 0xB00
#define TEXT_BYTES 26
#define DESCRIPTORS 0xB80
#define DESCRIPTORS_POINTER 0xB90
#define MOVED_TABLE_POINTER 0xB98
#define LOW_TABLE_POINTER 0xBA0
// Linear address of an interrupt table for one vector.
#define MOVED_TABLE 0x500

// Offsets of results.
#define RESULT_STAGE 0x00
#define RESULT_CS_IP 0x04      // CS of the start, and DX of an INIT
#define RESULT_STRING 0x08     // bytes copied by REP MOVSB, LODSB sum
#define RESULT_WIDE 0x0C       // 32-bit arithmetic by prefix
#define RESULT_SEGMENT 0x10    // two segments, one address
#define RESULT_FAR_CALL 0x14   // SP behind a far call and return
#define RESULT_INT 0x18        // AX of INT 0x60
#define RESULT_FLAGS 0x1C      // IF and TF inside the handler and behind it
#define RESULT_DIVIDE 0x20     // #DE: saved IP, relative to the DIV
#define RESULT_LIMIT 0x24      // #GP of a word at offset 0xFFFF
#define RESULT_STACK 0x28      // #SS of a word at offset 0xFFFF
#define RESULT_HIGH 0x2C       // read through FFFF:0010
#define RESULT_PROTECTED 0x30  // CR0, as SMSW sees it, in protected mode
#define RESULT_UNREAL 0x34     // read beyond 1 MB with a 4 GB limit in real mode
#define RESULT_TABLE 0x38      // INT through an interrupt table elsewhere
#define RESULT_INTERRUPT 0x3C  // interrupts taken in HLT
#define RESULT_NMI 0x40
#define RESULT_UNDEFINED 0x44     // #UD of an instruction real mode does not have
#define RESULT_SINGLE_STEP 0x48   // single steps taken
#define RESULT_BOUND 0x4C         // #BR, and INTO
#define RESULT_LAST_BYTE 0x50     // the byte at offset 0xFFFF
#define RESULT_UNREAL_MOVED 0x54  // the same after a load of the segment register in real mode

#define STAGE_WAITS 0x11  // for the interrupt
#define STAGE_NMI 0x22
#define STAGE_DONE 0x33

#define UNREAL_ADDRESS 0x00A00000
#define HIGH_ADDRESS 0x00100000  // FFFF:0010: no wrap to 0
#define INTERRUPT_VECTOR 0x68

#endif
