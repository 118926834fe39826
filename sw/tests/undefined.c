// Encodings that are no instruction in 64-bit mode, and the limit of 15 bytes.
#include "lib/check.h"
#include "lib/heap.h"
#include "lib/printf.h"
#include "lib/probe.h"
#include "lib/string.h"
#include "lib/user.h"
#include "lib/vm.h"

struct code {
    const char* name;
    u8 bytes[12];
};

static const struct code undefined[] = {
    // Encodings that are undefined by definition.
    {"ud2", {0x0F, 0x0B}},
    {"ud1", {0x0F, 0xB9, 0xC0}},
    {"ud0", {0x0F, 0xFF, 0xC0}},
    // Instructions that 64-bit mode does not have.
    {"push es", {0x06}},
    {"pop es", {0x07}},
    {"push cs", {0x0E}},
    {"push ss", {0x16}},
    {"pop ds", {0x1F}},
    {"daa", {0x27}},
    {"das", {0x2F}},
    {"aaa", {0x37}},
    {"aas", {0x3F}},
    {"pusha", {0x60}},
    {"popa", {0x61}},
    {"add by 82", {0x82, 0xC0, 0x01}},
    {"call far", {0x9A, 0, 0, 0, 0, 8, 0}},
    {"jmp far", {0xEA, 0, 0, 0, 0, 8, 0}},
    {"into", {0xCE}},
    {"aam", {0xD4, 0x0A}},
    {"aad", {0xD5, 0x0A}},
    {"salc", {0xD6}},
    // Unused members of groups.
    {"8F /1", {0x8F, 0xC8}},
    {"C6 /1", {0xC6, 0xC8, 0x00}},
    {"C7 /2", {0xC7, 0xD0, 0, 0, 0, 0}},
    {"FE /2", {0xFE, 0xD0}},
    {"FF /7", {0xFF, 0xF8}},
    {"0F 00 /6", {0x0F, 0x00, 0xF0}},
    {"0F 01 /5 with memory", {0x0F, 0x01, 0x28}},
    {"0F BA /0", {0x0F, 0xBA, 0xC0, 0x00}},
    {"0F C7 /0", {0x0F, 0xC7, 0x00}},
    {"0F 0A", {0x0F, 0x0A}},
    {"0F 04", {0x0F, 0x04}},
    // Operands of the wrong kind.
    {"lea of a register", {0x8D, 0xC0}},
    {"lgdt of a register (xgetbv)", {0x0F, 0x01, 0xD0}},
    {"cmpxchg8b of a register", {0x0F, 0xC7, 0xC8}},
    {"lss of a register", {0x0F, 0xB2, 0xC0}},
    {"far jmp through a register", {0xFF, 0xE8}},
    {"mov cs", {0x8E, 0xC8}},
    {"mov to segment register 6", {0x8E, 0xF0}},
    {"mov cr1", {0x0F, 0x20, 0xC8}},
    {"mov cr5", {0x0F, 0x22, 0xE8}},
    {"mov cr15", {0x44, 0x0F, 0x20, 0xF8}},
    {"mov dr8", {0x44, 0x0F, 0x21, 0xC0}},
    // LOCK before instructions that cannot be locked.
    {"lock nop", {0xF0, 0x90}},
    {"lock mov", {0xF0, 0x89, 0x04, 0x24}},
    {"lock add to a register", {0xF0, 0x01, 0xC0}},
    {"lock add from memory", {0xF0, 0x03, 0x04, 0x24}},
    {"lock cmp", {0xF0, 0x39, 0x04, 0x24}},
    {"lock bt", {0xF0, 0x0F, 0xA3, 0x04, 0x24}},
    {"lock test", {0xF0, 0x85, 0x04, 0x24}},
    {"lock movsb", {0xF0, 0xA4}},
};

static u64 run_user(u64 at) {
    ((void (*)(void))at)();
    return 0;
}

static u8* page;  // two pages, all rights

static void check_undefined(void) {
    for (u32 i = 0; i < sizeof undefined / sizeof undefined[0]; ++i) {
        memset(page, 0xC3, 32);
        memcpy(page, undefined[i].bytes, sizeof undefined[i].bytes);
        struct fault f = probe_call(page);
        const bool kernel = fault_is(&f, TRAP_UD, 0) && f.rip == (u64)page;
        f = user_catch(run_user, (u64)page, NULL);
        const bool user = fault_is(&f, TRAP_UD, 0) && f.rip == (u64)page && f.cpl == 3;
        if (!CHECK(kernel && user))
            printf("  %s: vector %u error 0x%lx\n", undefined[i].name, f.vector, f.error);
    }
}

// `prefixes` times 66, then NOP and RET.
static struct fault run_prefixed(u8* at, u32 prefixes) {
    memset(at, 0x66, prefixes);
    at[prefixes] = 0x90;
    at[prefixes + 1] = 0xC3;
    return probe_call(at);
}

static void check_length(void) {
    for (u32 prefixes = 0; prefixes <= 14; ++prefixes) {
        const struct fault f = run_prefixed(page, prefixes);
        CHECK(!f.raised);
    }
    for (u32 prefixes = 15; prefixes < 40; ++prefixes) {
        const struct fault f = run_prefixed(page, prefixes);
        CHECK(fault_is(&f, TRAP_GP, 0));
        CHECK_EQ(f.rip, (u64)page);
    }
    // lock add qword [word], imm32 with three segment prefixes has 16 bytes, with two 15.
    static u64 word;
    static const u8 start[] = {0x2E, 0x2E, 0x2E, 0xF0, 0x48, 0x81, 0x04, 0x25};
    const u32 address = (u32)(u64)&word, immediate = 0x01020304;
    memcpy(page, start, sizeof start);
    memcpy(page + 8, &address, 4);
    memcpy(page + 12, &immediate, 4);
    page[16] = 0xC3;
    struct fault f = probe_call(page);
    CHECK(fault_is(&f, TRAP_GP, 0));
    CHECK_EQ(word, 0);
    f = probe_call(page + 1);
    CHECK(!f.raised);
    CHECK_EQ(word, immediate);
}

// An instruction in two pages: the second page faults only if the instruction needs its bytes.
static void check_page_end(void) {
    u8* const end = page + VM_PAGE;
    vm_protect(end, VM_PAGE, 0);
    end[-1] = 0x48;
    struct fault f = probe_call(end - 1);
    CHECK(fault_is(&f, TRAP_PF, 16) && f.cr2 == (u64)end && f.rip == (u64)(end - 1));
    // A complete, an undefined and a too long one need no byte of the second page.
    end[-1] = 0xC3;
    f = probe_call(end - 1);
    CHECK(!f.raised);
    end[-1] = 0x06;
    f = probe_call(end - 1);
    CHECK(fault_is(&f, TRAP_UD, 0));
    memset(end - 15, 0x66, 15);
    f = probe_call(end - 15);
    CHECK(fault_is(&f, TRAP_GP, 0));
    f = probe_call(end - 14);
    CHECK(fault_is(&f, TRAP_PF, 16) && f.cr2 == (u64)end);
    vm_protect(end, VM_PAGE, VM_WRITE | VM_USER);
}

int main(void) {
    page = heap_allocate(2 * VM_PAGE, VM_PAGE);
    if (!CHECK(page != NULL)) return check_summary();
    CHECK(vm_protect(page, 2 * VM_PAGE, VM_WRITE | VM_USER));
    check_undefined();
    check_length();
    check_page_end();
    return check_summary();
}
