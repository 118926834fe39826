// Where things are in the memory of a random program. Linear addresses below 4 MB are physical
// ones.
#ifndef KNC_TESTS_REFERENCE_LAYOUT_H
#define KNC_TESTS_REFERENCE_LAYOUT_H

#include <cstdint>

namespace knc::reference::layout {

inline constexpr std::uint32_t ram_bytes = 16u << 20;  // card::test::rig's
// What a program can change, but for stores that went astray.
inline constexpr std::uint32_t compared_bytes = 0x9'0000, large_page = 0x20'0000,
                               large_compared = 0x1'0000;

// Each thread has its own of these.
inline constexpr std::uint32_t boot_code = 0x7000, boot_step = 0x200, idt_pointer = 0x8210,
                               idt_pointer_step = 0x10, tss = 0x8400, tss_step = 0x100,
                               idt = 0x1'1000, idt_step = 0x1000, cells = 0x1'6000,
                               cells_step = 0x100, handlers = 0x1'8000, handlers_step = 0x1000,
                               code = 0x2'0000, code_step = 0x8000, stacks = 0x4'0000,
                               stacks_step = 0x4000;
// In the cells.
inline constexpr std::uint32_t resume = 0, rounds = 8, steps = 16, interrupts = 24, targets = 32;
// In the stacks: tops.
inline constexpr std::uint32_t own_stack = 0x1800, event_stack = 0x2800,
                               second_event_stack = 0x3800;

inline constexpr std::uint32_t gdt = 0x8000, gdt_pointer = 0x8200;
// Page tables, where no program reaches them: what it changes there it would have to tell the TLB.
inline constexpr std::uint32_t page_tables = 0x40'0000, pml4 = page_tables,
                               pdpt = page_tables + 0x1000, low_directory = page_tables + 0x2000,
                               low_table = page_tables + 0x3000,
                               high_directory = page_tables + 0x4000,
                               small_table = page_tables + 0x5000,
                               medium_table = page_tables + 0x6000,
                               odd_table = page_tables + 0x7000, page_tables_bytes = 0x8000;
inline constexpr std::uint32_t data = 0x8'0000, data_bytes = 0x1'0000;

// Linear addresses of 64-bit programs from 1 GB: 2 MB each of 4 KB pages, of 64 KB pages and of 4
// KB pages with any attributes, then 2 MB pages.
inline constexpr std::uint32_t small_pages = 0x4000'0000, medium_pages = 0x4020'0000,
                               odd_pages = 0x4040'0000, large_pages = 0x4060'0000,
                               large_page_count = 16;
inline constexpr std::uint32_t page_bytes = 0x1000, large_page_bytes = 0x20'0000;
// The last of the odd pages are the local APIC and, for handlers, the table of the odd pages.
inline constexpr std::uint32_t odd_page_count = 510, odd_table_page = odd_pages + 510 * page_bytes,
                               wide_apic = odd_pages + 511 * page_bytes, apic = 0xfee0'0000;

// Selectors, in the order that SYSCALL and SYSRET want.
inline constexpr unsigned code0 = 8, data0 = 16, data3 = 32 | 3, code3 = 40 | 3, tasks = 48,
                          task_step = 16;

}  // namespace knc::reference::layout

#endif
