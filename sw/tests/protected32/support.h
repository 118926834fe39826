// The common part of the 32-bit images: console, checks, descriptor tables, expected exceptions.
#ifndef KNC_SW_TESTS_PROTECTED32_SUPPORT_H
#define KNC_SW_TESTS_PROTECTED32_SUPPORT_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

enum {
    DE = 0,
    BP = 3,
    OF = 4,
    BR = 5,
    UD = 6,
    DF = 8,
    TS = 10,
    NP = 11,
    SS = 12,
    GP = 13,
    PF = 14
};
#define CALL 0x80  // interrupt by which ring 3 returns

// Selectors of set_up(): flat code and data of ring 0 and ring 3, the task; the first free one.
enum {
    CODE_SELECTOR = 0x08,
    DATA_SELECTOR = 0x10,
    USER_CODE = 0x18 | 3,
    USER_DATA = 0x20 | 3,
    TASK_SELECTOR = 0x30,
    FREE_SELECTOR = 0x40
};
// Types of descriptors.
enum { CODE0 = 0x9A, DATA0 = 0x92, CODE3 = 0xFA, DATA3 = 0xF2, TASK = 0x89 };

// Of the last exception.
extern volatile u32 fault_vector, fault_error, fault_cs;
// 0 when fn returned, 1 when an exception ended it.
int run_guarded(void (*fn)(void));
// Runs fn at ring 3, with the flags of the caller; its result, or 1 when an exception ended it.
u32 run_user(u32 (*fn)(void));
// Entry of a call from ring 3.
extern u8 stub_128[];

// The task state segment: ring 0's stack at [1], [2].
extern u32 task[26];

// Loads the tables. All exceptions named above are caught.
void set_up(void);
// `flags`: bits 7:4 of the seventh byte, G 0x80, D/B 0x40.
void set_segment(u32 selector, u32 base, u32 limit, u8 type, u8 flags);
// A gate in the GDT (`parameters` words or doublewords to copy) or of an interrupt.
void set_call_gate(u32 selector, u32 code, const void* to, u8 type, u8 parameters);
void set_gate(u32 vector, const void* to, u8 type);
// The descriptor's two words.
u32* descriptor(u32 selector);

void print(const char* text);
void print_hex(u32 n);
void check(int line, const char* what, int holds);
#define CHECK(condition) check(__LINE__, #condition, (condition))
// fn ends with this exception.
void expect(int line, void (*fn)(void), u32 vector, u32 error);
#define EXPECT(fn, vector, error) expect(__LINE__, fn, vector, error)
// fn at ring 3 ends with this exception.
void expect_user(int line, u32 (*fn)(void), u32 vector, u32 error);
#define EXPECT_USER(fn, vector, error) expect_user(__LINE__, fn, vector, error)
// Prints the summary and ends the run: exit code 0 when every check held.
void finish(void);

#endif
