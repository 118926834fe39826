// Paging in long mode: rights and error codes, accessed and dirty bits, NX, large pages, reserved
// bits, INVLPG.
#include "lib/check.h"
#include "lib/cpu.h"
#include "lib/heap.h"
#include "lib/probe.h"
#include "lib/user.h"
#include "lib/vm.h"

enum { NOT_PRESENT = 0, PRESENT = 1, WRITING = 2, USER = 4, RESERVED = 8, FETCH = 16 };

static u8* page;

static void set(u64 flags) {
    CHECK(vm_protect(page, VM_PAGE, flags));
}

static u64 read_byte(u64 address) {
    return *(volatile u8*)address;
}
static u64 write_byte(u64 address) {
    return *(volatile u8*)address = 1;
}
static u64 execute(u64 address) {
    ((void (*)(void))address)();
    return 0;
}

static void expect(struct fault f, u64 error) {
    CHECK(fault_is(&f, TRAP_PF, error));
    CHECK_EQ(f.cr2, (u64)page);
}
static void expect_none(struct fault f) {
    CHECK(!f.raised);
}

static void check_rights(void) {
    page[0] = 0xC3;
    set(0);
    expect(probe_read(page), NOT_PRESENT);
    expect(probe_write(page), NOT_PRESENT | WRITING);
    expect(user_catch(read_byte, (u64)page, NULL), NOT_PRESENT | USER);
    expect(user_catch(write_byte, (u64)page, NULL), NOT_PRESENT | USER | WRITING);
    set(VM_PRESENT);
    expect_none(probe_read(page));
    expect(probe_write(page), PRESENT | WRITING);
    expect(user_catch(read_byte, (u64)page, NULL), PRESENT | USER);
    set(VM_USER);
    expect_none(user_catch(read_byte, (u64)page, NULL));
    expect(user_catch(write_byte, (u64)page, NULL), PRESENT | USER | WRITING);
    // Ring 0 may write read-only pages when CR0.WP is 0.
    write_cr0(read_cr0() & ~CR0_WP);
    expect_none(probe_write(page));
    write_cr0(read_cr0() | CR0_WP);
    expect(probe_write(page), PRESENT | WRITING);
    set(VM_USER | VM_WRITE);
    expect_none(user_catch(write_byte, (u64)page, NULL));
}

static void check_execute(void) {
    set(VM_USER | VM_WRITE);
    page[0] = 0xC3;  // ret
    expect_none(probe_call(page));
    expect_none(user_catch(execute, (u64)page, NULL));
    set(VM_USER | VM_WRITE | VM_NO_EXECUTE);
    expect_none(probe_read(page));
    expect(probe_call(page), PRESENT | FETCH);
    expect(user_catch(execute, (u64)page, NULL), PRESENT | USER | FETCH);
    set(VM_WRITE);
    expect(user_catch(execute, (u64)page, NULL), PRESENT | USER | FETCH);
}

static void check_used_bits(void) {
    set(VM_WRITE);
    const u64* entry = vm_entry(page);
    CHECK_EQ(*entry & (VM_ACCESSED | VM_DIRTY), 0);
    probe_read(page);
    CHECK_EQ(*entry & (VM_ACCESSED | VM_DIRTY), VM_ACCESSED);
    probe_write(page);
    CHECK_EQ(*entry & (VM_ACCESSED | VM_DIRTY), VM_ACCESSED | VM_DIRTY);
    // A refused write does not set the dirty bit.
    set(VM_PRESENT);
    expect(probe_write(page), PRESENT | WRITING);
    CHECK_EQ(*entry & VM_DIRTY, 0);
}

static void check_reserved(void) {
    set(VM_WRITE);
    u64* entry = vm_entry(page);
    const u64 saved = *entry;
    *entry = saved | 1ul << 50;  // above 40 bits of physical address
    invlpg(page);
    expect(probe_read(page), PRESENT | RESERVED);
    expect(probe_write(page), PRESENT | WRITING | RESERVED);
    *entry = saved;
    invlpg(page);
    expect_none(probe_read(page));
}

// A thread may use a translation until it is invalidated, but not afterwards.
static void check_remap(void) {
    set(VM_WRITE);
    u8* other = page + VM_PAGE;
    vm_protect(other, VM_PAGE, VM_WRITE);
    page[0] = 1;
    other[0] = 2;
    u64* entry = vm_entry(page);
    const u64 saved = *entry;
    const volatile u8* at = page;
    for (u32 i = 0; i < 10; ++i) {
        *entry = (u64)other | VM_PRESENT | VM_WRITE;
        invlpg(page);
        CHECK_EQ(*at, 2);
        *entry = saved;
        write_cr3(read_cr3());
        CHECK_EQ(*at, 1);
    }
    // A word across two pages that are not neighbours in memory.
    *entry = (u64)(page + 2 * VM_PAGE) | VM_PRESENT | VM_WRITE;
    invlpg(page);
    *(volatile u32*)(page + VM_PAGE - 2) = 0x44332211;
    *entry = saved;
    invlpg(page);
    CHECK_EQ(*(volatile u16*)(page + 3 * VM_PAGE - 2), 0x2211);
    CHECK_EQ(*(volatile u16*)other, 0x4433);
}

// A write to two pages changes neither if the second one refuses it.
static void check_split_write(void) {
    set(VM_WRITE);
    u8* other = page + VM_PAGE;
    volatile u32* across = (volatile u32*)(other - 2);
    *across = 0;
    vm_protect(other, VM_PAGE, VM_PRESENT);
    const struct fault f = probe_write(other);
    CHECK(fault_is(&f, TRAP_PF, PRESENT | WRITING));
    static u8 code[] = {0xC7, 0x04, 0x25, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xC3};
    *(u32*)(code + 3) = (u32)(u64)across;  // mov dword [across], -1; ret
    const struct fault g = probe_call(code);
    CHECK(fault_is(&g, TRAP_PF, PRESENT | WRITING));
    CHECK_EQ(g.cr2, (u64)other);
    CHECK_EQ(*across, 0);
    vm_protect(other, VM_PAGE, VM_WRITE);
}

static void check_large(void) {
    // Beyond the image everything is mapped by 2 MB pages until it is split.
    u64* large = vm_entry((void*)0x40000000);
    CHECK_EQ(*large & VM_LARGE, VM_LARGE);
    *large &= ~VM_PRESENT;
    invlpg((void*)0x40000000);
    const struct fault f = probe_read((void*)0x401FFFFF);
    CHECK(fault_is(&f, TRAP_PF, NOT_PRESENT));
    CHECK_EQ(f.cr2, 0x401FFFFF);
    *large |= VM_PRESENT;
}

int main(void) {
    page = heap_allocate(3 * VM_PAGE, VM_PAGE);
    if (!CHECK(page != NULL)) return check_summary();
    check_rights();
    check_execute();
    check_used_bits();
    check_reserved();
    check_remap();
    check_split_write();
    check_large();
    return check_summary();
}
