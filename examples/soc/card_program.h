// What runs on both cards: 64-bit code that waits for the host's interrupt, carries out the command
// in the mailbox, and rings doorbell 0.
//
// The host copies it, its page tables and its descriptor tables to the card's memory. Virtual
// addresses below 4 MB are the card's memory. Four pages of 2 MB, one each, are the local APIC with
// the test device, the SBOX, and the window to the host's memory.
#ifndef SOC_CARD_PROGRAM_H
#define SOC_CARD_PROGRAM_H

#include <array>
#include <cstdint>
#include <vector>

#include <knc/isa/state.h>

namespace card_program {

constexpr std::uint32_t tables_at = 0x10000, program_at = 0x100000, entry_offset = 0x40;
constexpr std::uint8_t interrupt_vector = 0x50;

// The mailbox, which the host and the card share: physical addresses of the card.
constexpr std::uint32_t command_at = 0x180008, result_at = 0x180020;
enum command : std::uint32_t {
    produce = 1,  // words of host memory become the squares of their numbers
    sum = 2,      // the sum of words; each partial sum goes to host memory, 4 KB further on
    finish = 3    // ends the card's run with the exit code `host_offset`
};
struct mailbox {
    std::uint32_t what, host_offset, words;
};

asm(R"(
        .pushsection .rodata
soc_card_program_begin:
        movl    $1, 0x180000                # the doorbell has rung
        movl    $0, 0x4000b0                # EOI
        iretq
        .org    soc_card_program_begin + 0x40
        xorl    %eax, %eax
        movl    %eax, %ss
        movl    $0x190000, %esp
        lidt    0x13ff0
        movl    $0x1ff, 0x4000f0            # enable the local APIC
1:      movl    $0x80000000, 0x7dcc90       # ring doorbell 0
2:      cli
        cmpl    $0, 0x180000
        jne     3f
        sti                                 # takes effect after HLT has started
        hlt
        jmp     2b
3:      movl    $0, 0x180000
        movl    0x180008, %eax
        movl    0x18000c, %edi
        movl    0x180010, %ecx
        xorl    %esi, %esi
        xorl    %ebx, %ebx
        cmpl    $2, %eax
        je      5f
        ja      6f
4:      movl    %esi, %eax
        imull   %esi, %eax
        movl    %eax, 0x800000(%rdi,%rsi,4)
        incl    %esi
        cmpl    %ecx, %esi
        jne     4b
        jmp     1b
5:      addl    0x800000(%rdi,%rsi,4), %ebx
        movl    %ebx, 0x801000(%rdi,%rsi,4)
        incl    %esi
        cmpl    %ecx, %esi
        jne     5b
        movl    %ebx, 0x180020
        jmp     1b
6:      movl    %edi, 0x500100              # exit register of the test device
        hlt
soc_card_program_end:
        .popsection
)");
extern "C" const unsigned char soc_card_program_begin[], soc_card_program_end[];

// Offsets in the block of tables.
constexpr std::uint32_t pdpt = 0x1000, directory = 0x2000, gdt = 0x3000, idt = 0x3010,
                        idt_limit = 16 * (interrupt_vector + 1) - 1, idt_register = 0x3FF0;

// Page tables, GDT, IDT and the operand of LIDT.
inline std::vector<unsigned char> tables() {
    constexpr std::uint64_t present = 1, writable = 2, uncached = 0x18, large = 0x80,
                            memory = present | writable | large, device = memory | uncached,
                            megabytes = 1 << 20;
    std::vector<unsigned char> t(0x4000);
    const auto put = [&t](std::uint32_t at, std::uint64_t v, unsigned size = 8) {
        for (unsigned n = 0; n < size; ++n) t[at + n] = static_cast<unsigned char>(v >> 8 * n);
    };
    put(0, (tables_at + pdpt) | present | writable);
    put(pdpt, (tables_at + directory) | present | writable);
    put(directory, memory);
    put(directory + 8, (2 * megabytes) | memory);
    put(directory + 16, 0xFEE00000 | device);      // local APIC; the test device is 1 MB above it
    put(directory + 24, 0x8'0060'0000 | device);   // SBOX: 0x8'007D'0000
    put(directory + 32, 0x80'0000'0000 | device);  // host memory from address 0
    put(gdt + 8, 0x00AF'9B00'0000'FFFF);           // 64-bit code, selector 8
    // An interrupt gate to the start of the program.
    const std::uint32_t gate = idt + 16 * interrupt_vector;
    put(gate,
        (program_at & 0xFFFF) | 8 << 16 | 0x8E00ull << 32 | std::uint64_t{program_at >> 16} << 48);
    put(idt_register, idt_limit, 2);
    put(idt_register + 2, tables_at + idt);
    return t;
}

inline std::vector<unsigned char> program() {
    return {soc_card_program_begin, soc_card_program_end};
}

// For card.boot().
inline knc::isa::entry_point entry() {
    knc::isa::entry_point e;
    e.rip = program_at + entry_offset;
    e.gdt = {tables_at + gdt, 0xF};
    e.page_tables = tables_at;
    return e;
}

}  // namespace card_program

#endif
