// Code that is written and then executed: in place, ahead of execution in the same line, through an
// alias, past the caches, and over a page boundary.
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/string.h"
#include "lib/vm.h"

#define WRITE_COMBINING 1ul

typedef u32 (*function)(void);

static u8* code;

// mov eax, value; ret
static void put_return(u8* at, u32 value) {
    at[0] = 0xB8;
    memcpy(at + 1, &value, 4);
    at[5] = 0xC3;
}
static u32 call(const u8* at) {
    return ((function)(u64)at)();
}

static void check_in_place(void) {
    for (u32 i = 0; i < 200; ++i) {
        put_return(code, i * 0x01010101u);
        CHECK_EQ(call(code), i * 0x01010101u);
    }
}

// Code that changes an instruction further on in its own line, then jumps there:
//   mov byte [rip+3], 77 / jmp +0 / mov eax, 0 / ret
static void check_ahead(void) {
    static const u8 text[] = {0xC6, 0x05, 0x03, 0x00, 0x00, 0x00, 77,  // patches the byte at +10
                              0xEB, 0x00,  // jmp to the next instruction
                              0xB8, 0,    0,    0,    0,    0xC3};
    for (u32 i = 0; i < 20; ++i) {
        memcpy(code, text, sizeof text);
        code[6] = (u8)(i + 1);
        CHECK_EQ(call(code), i + 1);
    }
}

static void check_boundary(void) {
    u8* at = code + VM_PAGE - 3;
    for (u32 i = 0; i < 50; ++i) {
        put_return(at, 0xA0000000u + i);
        CHECK_EQ(call(at), 0xA0000000u + i);
    }
}

// The same memory at a second address: the code executes at one what was written through the other.
// `attributes` are those of the second; stores that wait in its buffers must be sent first.
static void check_alias(u64 attributes) {
    u8* alias = code + 2 * VM_PAGE;
    u64* entry = vm_entry(alias);
    const u64 saved = *entry;
    *entry = (u64)code | VM_PRESENT | VM_WRITE | attributes;
    invlpg(alias);
    for (u32 i = 0; i < 50; ++i) {
        put_return(alias, 0x5000 + i);
        if (attributes != 0) cpuid(0);
        CHECK_EQ(call(code), 0x5000 + i);
        put_return(code, 0x6000 + i);
        CHECK_EQ(call(alias), 0x6000 + i);
    }
    *entry = saved;
    invlpg(alias);
}

// Other memory at the same address: the previous code must not execute again.
static void check_remap(void) {
    u64* entry = vm_entry(code);
    const u64 saved = *entry;
    put_return(code, 1);
    put_return(code + VM_PAGE, 2);
    for (u32 i = 0; i < 20; ++i) {
        CHECK_EQ(call(code), 1);
        *entry = (u64)(code + VM_PAGE) | VM_PRESENT | VM_WRITE;
        invlpg(code);
        CHECK_EQ(call(code), 2);
        *entry = saved;
        invlpg(code);
    }
}

int main(void) {
    code = heap_allocate(3 * VM_PAGE, VM_PAGE);
    if (!CHECK(code != NULL)) return check_summary();
    // 4 KB pages, so that the test can change their entries.
    CHECK(vm_protect(code, 3 * VM_PAGE, VM_WRITE));
    check_in_place();
    check_ahead();
    check_boundary();
    check_alias(0);
    check_alias(VM_UNCACHED);
    const u64 pat = rdmsr(MSR_PAT);
    wrmsr(MSR_PAT, (pat & ~(0xFFul << 24)) | WRITE_COMBINING << 24);  // what VM_UNCACHED selects
    check_alias(VM_UNCACHED);
    wrmsr(MSR_PAT, pat);
    check_remap();
    return check_summary();
}
