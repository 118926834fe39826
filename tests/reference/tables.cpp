// The memory of a program, apart from what its threads are there to do.

#include <knc/isa/state.h>

#include "assembler.h"
#include "layout.h"
#include "program.h"

namespace knc::reference {
namespace {

using namespace layout;
using isa::rax, isa::rcx, isa::rdx, isa::rbx, isa::rsp, isa::rbp, isa::rsi, isa::rdi;

constexpr std::uint64_t present = 1, writable = 2, user = 4, through = 8, uncached = 16,
                        accessed = 32, dirty = 64, large = 128, global = 256,
                        of_64k = std::uint64_t{1} << 51;

std::uint64_t descriptor(std::uint32_t base, std::uint64_t limit, std::uint64_t type,
                         std::uint64_t flags) {
    return (limit & 0xffff) | std::uint64_t{base & 0xff'ffff} << 16 | type << 40 |
           (limit >> 16 & 15) << 48 | flags << 52 | std::uint64_t{base >> 24} << 56;
}

void put_task(program& p, dice& d, unsigned t) {
    const std::uint32_t at = tss + tss_step * t, stack = stacks + stacks_step * t;
    p.put(gdt + tasks + task_step * t, descriptor(at, 0x67, 0x89, 0));
    p.put(at + 4, stack + event_stack - 16 * d.below(4));
    if (p.world.wide)
        p.put(at + 0x24, stack + second_event_stack);  // interrupt stack 1
    else
        p.put(at + 8, data0);
}

void put_gate(program& p, unsigned thread, unsigned vector, std::uint32_t handler,
              std::uint64_t type, unsigned stack) {
    const std::uint64_t offset = handler - p.world.code_base;
    const std::uint64_t gate = (offset & 0xffff) | code0 << 16 | std::uint64_t{stack} << 32 |
                               type << 40 | (offset >> 16 & 0xffff) << 48;
    p.put(idt + idt_step * thread + (p.world.wide ? 16 : 8) * vector, gate);
}

bool has_error_code(unsigned vector) {
    return vector == 8 || (vector >= 10 && vector <= 14) || vector == 17;
}

// Code of a handler in the making, for both word sizes.
struct handler_code {
    assembler a;
    unsigned word;  // bytes of a stack slot
    std::uint32_t cell;

    operand slot(unsigned n) const { return operand::at(rsp, static_cast<int>(n * word)); }
    operand in_cell(std::uint32_t at) const { return operand::at(cell + at); }
};

}  // namespace

void put_tables(program& p, dice& d) {
    const bool wide = p.world.wide;
    const std::uint64_t code_flags = wide ? 0xa : 0xc;
    const std::uint64_t data_limit = p.world.limited ? (ram_bytes >> 12) - 1 : 0xf'ffff;
    p.put(gdt + code0, descriptor(p.world.code_base, 0xf'ffff, 0x9b, code_flags));
    p.put(gdt + data0, descriptor(0, data_limit, 0x93, 0xc));
    p.put(gdt + 24, descriptor(0, 0xf'ffff, 0xfb, 0xc));
    p.put(gdt + (data3 & ~7u), descriptor(0, data_limit, 0xf3, 0xc));
    p.put(gdt + (code3 & ~7u), descriptor(p.world.code_base, 0xf'ffff, 0xfb, code_flags));
    p.put(gdt_pointer, std::uint64_t{gdt} << 16 | (tasks + 4 * task_step - 1));
    for (unsigned t = 0; t < 4; ++t) {
        put_task(p, d, t);
        p.put(idt_pointer + idt_pointer_step * t,
              std::uint64_t{idt + idt_step * t} << 16 | (wide ? 0xfffu : 0x7ffu));
    }
    std::vector<std::uint8_t> noise(0x4000);
    for (std::uint8_t& b : noise) b = static_cast<std::uint8_t>(d.any());
    p.put(data, noise);
}

void put_page_tables(program& p, dice& d) {
    constexpr std::uint64_t all = present | writable | user;
    p.put(pml4, pdpt | all);
    p.put(pdpt, low_directory | all);
    p.put(pdpt + 8, high_directory | all);
    // Below 4 MB, one to one.
    p.put(low_directory, p.world.large_low ? large | all : low_table | all);
    p.put(low_directory + 8, large_page | large | all);
    std::vector<std::uint64_t> table(512);
    for (std::uint32_t n = 0; n < 512; ++n) {
        table[n] = n * page_bytes | all;
        // Some code and some stacks are not cached.
        if (n * page_bytes >= code && n * page_bytes < data && d.chance(4)) table[n] |= uncached;
        if (d.chance(30)) table[n] |= global;
    }
    const auto put_table = [&](std::uint32_t at) {
        std::vector<std::uint8_t> bytes(table.size() * sizeof table[0]);
        std::memcpy(bytes.data(), table.data(), bytes.size());
        p.put(at, bytes);
    };
    put_table(low_table);

    p.put(high_directory, small_table | all);
    p.put(high_directory + 8, medium_table | all);
    p.put(high_directory + 16, odd_table | all);
    for (std::uint32_t n = 0; n < large_page_count; ++n)
        p.put(high_directory + 24 + 8 * n, large_page | large | all | (d.chance(5) ? uncached : 0) |
                                               (d.chance(40) ? global : 0));
    for (std::uint32_t n = 0; n < 512; ++n)
        table[n] = (data + n % 16 * page_bytes) | all | (d.chance(50) ? accessed | dirty : 0) |
                   (d.chance(40) ? global : 0);
    put_table(small_table);
    for (std::uint64_t& e : table) e |= of_64k;
    put_table(medium_table);
    for (std::uint32_t n = 0; n < odd_page_count; ++n) {
        std::uint64_t e = (data + n % 16 * page_bytes) | all;
        if (d.chance(25)) e &= ~d.of({present, writable, user});
        if (d.chance(25)) e |= d.of({uncached, through, global, uncached | through});
        table[n] = e;
    }
    table[510] = odd_table | present | writable;
    table[511] = apic | uncached | all;
    put_table(odd_table);
}

// Faults go on where the program's cell says; interrupts and calls return.
void put_handlers(program& p, dice& d, unsigned thread) {
    const bool wide = p.world.wide;
    const std::uint32_t at = handlers + handlers_step * thread;
    const std::uint32_t apic_at = wide ? wide_apic : layout::apic;
    handler_code h{{wide, at - p.world.code_base}, wide ? 8u : 4u, cells + cells_step * thread};
    assembler& a = h.a;
    const auto label = [&] { return static_cast<std::uint32_t>(a.here()) + p.world.code_base; };
    const auto leave = [&] {
        if (wide) a.bytes({0x48});
        a.bytes({0xcf});
    };
    const auto skip = [&] {
        a.op_plus(0, {0x50}, rax);
        a.op(4, {0x8b}, rax, h.in_cell(resume));
        a.op(h.word, {0x89}, rax, h.slot(1));
        a.op_plus(0, {0x58}, rax);
        leave();
    };

    const std::uint32_t skip_at = label();
    skip();
    const std::uint32_t skip_error_at = label();
    a.op(h.word, {0x83}, 0, operand::in(rsp));
    a.bytes({h.word});
    skip();
    // A page that was not present is, from now on.
    const std::uint32_t page_fault_at = label();
    a.op(h.word, {0x83}, 0, operand::in(rsp));
    a.bytes({h.word});
    if (wide) {
        const unsigned n = d.below(odd_page_count);
        a.op(4, {0x0f, 0xba}, 5, operand::at(odd_table_page + 8 * n));
        a.bytes({0});
        const auto again = a.jump({0x72}, 1);
        a.op(0, {0x0f, 0x01}, 7, operand::at(odd_pages + n * page_bytes));
        leave();
        a.bind(again);
    }
    skip();
    // Steps as often as the cell says.
    const std::uint32_t step_at = label();
    a.op(4, {0xff}, 1, h.in_cell(steps));
    const auto more = a.jump({0x7f}, 1);
    a.op(4, {0x81}, 4, h.slot(2));
    a.number(~std::uint32_t{0x100}, 4);
    a.bind(more);
    leave();
    const std::uint32_t return_at = label();
    a.op(4, {0xff}, 0, h.in_cell(interrupts));
    if (d.chance(30)) a.bytes({0x0f, 0x31});
    leave();
    const std::uint32_t interrupt_at = label();
    a.op(4, {0xff}, 0, h.in_cell(interrupts));
    a.op(4, {0xc7}, 0, operand::at(apic_at + 0xb0));
    a.number(0, 4);
    leave();
    p.put(at, a.code);

    for (unsigned v = 0; v < 256; ++v) {
        std::uint32_t to = v < 32   ? has_error_code(v) ? skip_error_at : skip_at
                           : v < 64 ? interrupt_at
                                    : return_at;
        if (v == 1) to = step_at;
        if (v == 3 || v == 4) to = return_at;
        if (v == 14) to = page_fault_at;
        std::uint64_t type = v >= 64 || v == 3 || v == 4 ? 0xee : 0x8e;
        if (v >= 64 && d.chance(10)) type = d.of({0x8e, 0x0e, 0xef, 0x85});
        put_gate(p, thread, v, to, type, wide && d.chance(10) ? 1 : 0);
    }
}

// From flat 32-bit mode to `entry`, with tables, task and stack of the thread.
void put_boot_code(program& p, dice& d, unsigned thread, std::uint32_t entry) {
    const bool wide = p.world.wide;
    const std::uint32_t at = boot_code + boot_step * thread;
    assembler a(false, at);
    a.op(0, {0x0f, 0x01}, 2, operand::at(gdt_pointer));
    a.op(0, {0x0f, 0x01}, 3, operand::at(idt_pointer + idt_pointer_step * thread));
    const auto move_to_control = [&](unsigned number, std::uint32_t value) {
        a.load(rax, value);
        a.op(0, {0x0f, 0x22}, number, operand::in(rax));
    };
    const auto write_msr = [&](std::uint32_t number, std::uint32_t high, std::uint32_t low) {
        a.load(rcx, number);
        a.load(rax, low);
        a.load(rdx, high);
        a.bytes({0x0f, 0x30});
    };
    if (wide) {
        const bool pages_global = p.setting.profile == isa::profile::compat && d.chance(60);
        move_to_control(4, isa::cr4_pae | (d.chance(50) ? isa::cr4_pce : 0) |
                               (pages_global ? isa::cr4_pge : 0));
        move_to_control(3, pml4);
        write_msr(0xc000'0080, 0, isa::efer_lme | isa::efer_sce);
        write_msr(0xc000'0081, (24u | 3) << 16 | code0, 0);
        write_msr(0xc000'0082, 0, entry - 32);
        write_msr(0xc000'0084, 0, d.of({0u, 0x700u}));
        move_to_control(0, static_cast<std::uint32_t>(isa::cr0_pg | isa::cr0_pe |
                                                      (d.chance(50) ? isa::cr0_wp : 0)));
    } else if (d.chance(40)) {
        // One page of the data is not cached.
        write_msr(0x204, 0, data + page_bytes * d.below(16));
        write_msr(0x205, 0xff, 0xffff'f800);
    }
    a.bytes({0xea});
    a.number(static_cast<std::uint32_t>(a.here()) + 6 - p.world.code_base, 4);
    a.number(code0, 2);
    // Now in the program's own code segment.
    assembler b(wide, a.here() - p.world.code_base);
    b.load(rax, data0);
    for (const unsigned segment : {2u, 3u, 0u}) b.op(0, {0x8e}, segment, operand::in(rax));
    b.load(rax, tasks + task_step * thread);
    b.op(0, {0x0f, 0x00}, 3, operand::in(rax));
    const std::uint32_t stack = stacks + stacks_step * thread + own_stack;
    b.load(rsp, stack);
    for (const unsigned r : {rdx, rbx, rbp, rsi, rdi}) b.load(r, data + d.below(data_bytes - 64));
    for (unsigned r = 8; wide && r < 16; ++r) b.load(r, data + d.below(data_bytes - 64));
    const std::uint32_t flags = 2 | (p.world.interrupts ? 0x200u : 0);
    const auto push = [&](std::uint32_t value) {
        b.bytes({0x68});
        b.number(value, 4);
    };
    if (p.world.user) {
        push(data3);
        push(stack);
        push(flags);
        push(code3);
        push(entry - p.world.code_base);
        if (wide) b.bytes({0x48});
        b.bytes({0xcf});
    } else {
        push(flags);
        b.bytes({0x9d});
        b.load(rax, entry - p.world.code_base);
        b.op(0, {0xff}, 4, operand::in(rax));
    }
    a.code.insert(a.code.end(), b.code.begin(), b.code.end());
    p.put(at, a.code);
}

}  // namespace knc::reference
