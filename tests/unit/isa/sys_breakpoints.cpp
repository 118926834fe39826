// Which accesses meet which breakpoints, and what RF the handler finds.

#include <gtest/gtest.h>

#include <knc/isa/event_delivery.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

enum access { write, read, port, execute };

// DR7 with breakpoint `n` enabled by L (or G), for R/W code `rw` and length code `len`.
std::uint64_t dr7_of(unsigned n, unsigned rw, unsigned len, bool global = false) {
    return 0x400 | 1u << (2 * n + (global ? 1 : 0)) | rw << (16 + 4 * n) | len << (18 + 4 * n);
}

constexpr unsigned on_execute = 0, on_write = 1, on_port = 2, on_access = 3;
constexpr unsigned one = 0, two = 1, eight = 2, four = 3;

TEST(sys_breakpoints, ranges_kinds_and_lengths) {
    struct row {
        unsigned rw, len;
        std::uint64_t address;
        access how;
        std::uint64_t at;
        unsigned size;
        bool met;
    };
    const row rows[] = {
        {on_write, one, 0x1003, write, 0x1003, 1, true},
        {on_write, one, 0x1003, write, 0x1000, 4, true},  // any byte of the access
        {on_write, one, 0x1003, write, 0x1000, 3, false},
        {on_write, one, 0x1003, read, 0x1003, 1, false},
        {on_access, one, 0x1003, read, 0x1003, 1, true},
        {on_access, one, 0x1003, write, 0x1003, 1, true},
        {on_access, one, 0x1003, execute, 0x1003, 1, false},
        {on_write, two, 0x1003, write, 0x1002, 1, true},  // low address bits are ignored
        {on_write, two, 0x1003, write, 0x1004, 1, false},
        {on_write, four, 0x1003, write, 0x1000, 1, true},
        {on_write, four, 0x1003, write, 0x0fff, 1, false},
        {on_write, four, 0x1003, write, 0x1004, 8, false},
        {on_write, eight, 0x100c, write, 0x1008, 1, true},
        {on_write, eight, 0x100c, write, 0x100f, 1, true},
        {on_write, eight, 0x100c, write, 0x1010, 1, false},
        {on_execute, one, 0x1003, execute, 0x1003, 1, true},
        {on_execute, one, 0x1003, execute, 0x1002, 1, false},  // the first byte counts
        {on_execute, four, 0x1003, execute, 0x1003, 1, true},
        {on_execute, four, 0x1003, execute, 0x1000, 1, false},  // its length does not
        {on_execute, one, 0x1003, read, 0x1003, 1, false},
        {on_port, two, 0x3f8, port, 0x3f9, 1, true},
        {on_port, two, 0x3f8, port, 0x3fa, 1, false},
        {on_port, one, 0x3f8, port, 0x3f6, 4, true},
        {on_port, one, 0x3f8, write, 0x3f8, 1, false},
        {on_access, one, 0x3f8, port, 0x3f8, 1, false},
    };
    for (const row& x : rows) {
        for (unsigned n = 0; n < 4; ++n) {
            state s;
            s.cr4 = cr4_de;
            s.dr[n] = x.address;
            s.dr[7] = dr7_of(n, x.rw, x.len, n % 2 != 0);
            breakpoints b;
            b.derive(s);
            const std::uint32_t met = x.how == port      ? b.at_port(x.at, x.size)
                                      : x.how == execute ? b.at_instruction(x.at)
                                                         : b.at_data(x.at, x.size, x.how == write);
            EXPECT_EQ(met, x.met ? 1u << n : 0u)
                << n << ' ' << x.rw << ' ' << x.len << ' ' << std::hex << x.at;
        }
    }
}

// A debugger outside watches data beside the debug registers: an access leaves a note, and no
// condition of DR6.
TEST(sys_breakpoints, data_watched_from_outside) {
    std::vector<outside_watch> watches{{0x1ff8, 0x2007, false, true}, {0x2004, 0x2004, true, true}};
    state s;
    breakpoints b;
    b.watch_from_outside(&watches);
    b.derive(s);
    EXPECT_TRUE(b.on_data());
    EXPECT_FALSE(b.on_instructions());
    // Both pages of the first one, and no other.
    EXPECT_FALSE(b.data_in_page(0x0fff));
    EXPECT_TRUE(b.data_in_page(0x1000));
    EXPECT_TRUE(b.data_in_page(0x2fff));
    EXPECT_FALSE(b.data_in_page(0x3000));

    EXPECT_EQ(b.at_data(0x1ff0, 16, false), 0u);  // reads of it do not count
    EXPECT_FALSE(b.has_outside_hit());
    EXPECT_EQ(b.at_data(0x1ff0, 8, true), 0u);  // the bytes before
    EXPECT_EQ(b.at_data(0x2008, 8, true), 0u);  // and after
    EXPECT_FALSE(b.has_outside_hit());
    EXPECT_EQ(b.at_data(0x2000, 8, false), 0u);  // a read that contains the second one
    auto hit = b.take_outside_hit();
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->watch, 1u);
    EXPECT_EQ(hit->la, 0x2004u);
    EXPECT_FALSE(b.has_outside_hit());
    EXPECT_EQ(b.at_data(0x1ff4, 8, true), 0u);  // the first of two is kept
    EXPECT_EQ(b.at_data(0x2004, 1, true), 0u);
    hit = b.take_outside_hit();
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->watch, 0u);
    EXPECT_EQ(hit->la, 0x1ff8u);

    // The guest's own breakpoint on the same byte is met as before.
    s.dr[0] = 0x2004;
    s.dr[7] = dr7_of(0, on_write, one);
    b.derive(s);
    EXPECT_EQ(b.at_data(0x2004, 1, true), 1u);
    EXPECT_TRUE(b.take_outside_hit().has_value());
    b.watch_from_outside(nullptr);
    b.derive(s);
    EXPECT_EQ(b.at_data(0x2004, 1, true), 1u);
    EXPECT_FALSE(b.has_outside_hit());
    s.dr[7] = 0x400;
    b.derive(s);
    EXPECT_FALSE(b.on_data());
}

TEST(sys_breakpoints, what_enables_them) {
    state s;
    s.dr[1] = 0x1000;
    s.dr[7] = dr7_of(1, on_write, one) & ~4ull;  // neither L1 nor G1
    breakpoints b;
    b.derive(s);
    EXPECT_EQ(b.at_data(0x1000, 1, true), 0u);
    EXPECT_FALSE(b.on_data());
    s.dr[7] = dr7_of(1, on_port, one);
    b.derive(s);
    EXPECT_FALSE(b.on_ports());  // CR4.DE is clear: undefined, never met
    s.cr4 = cr4_de;
    b.derive(s);
    EXPECT_TRUE(b.on_ports());
}

// A data breakpoint on `address` by MOV to debug registers.
void watch(sys_machine& k, unsigned n, std::uint64_t address, unsigned rw, unsigned len) {
    constexpr std::uint8_t mov_dr[] = {0xc0, 0xc8, 0xd0, 0xd8};  // ModRM of MOV DRn, RAX
    k.c.s.r[rax] = address;
    ASSERT_EQ(k.run({0x0f, 0x23, mov_dr[n]}), status::ok);
    k.c.s.r[rax] = k.c.s.dr[7] | dr7_of(n, rw, len);
    ASSERT_EQ(k.run({0x0f, 0x23, 0xf8}), status::ok);
}
std::uint32_t take(sys_machine& k) {
    const std::uint32_t met = k.c.debug_conditions;
    k.c.debug_conditions = 0;
    return met;
}

TEST(sys_breakpoints, accesses_by_instructions) {
    sys_machine k;
    k.enter_long_mode();
    std::uint32_t v = 0;
    // Lines of the page are granted for reads and writes before it is watched.
    ASSERT_TRUE(k.c.load(ds, 0x5000, v));
    ASSERT_TRUE(k.c.store<std::uint32_t>(ds, 0x5000, 7));
    watch(k, 2, 0x5004, on_write, four);
    watch(k, 0, 0x5008, on_access, four);
    for (int round = 0; round < 2; ++round) {  // the page is not remembered
        ASSERT_TRUE(k.c.load(ds, 0x5004, v));
        EXPECT_EQ(take(k), 0u);
        ASSERT_TRUE(k.c.store<std::uint32_t>(ds, 0x5004, v));
        EXPECT_EQ(take(k), 4u);
        ASSERT_TRUE(k.c.load(ds, 0x5008, v));
        EXPECT_EQ(take(k), 1u);
        std::uint64_t both = 0;
        ASSERT_TRUE(k.c.store(ds, 0x5004, both));
        EXPECT_EQ(take(k), 5u);
    }
    k.c.s.r[rbx] = 0x5004;
    ASSERT_EQ(k.run({0xff, 0x03}), status::ok);  // inc dword [rbx]: its write
    EXPECT_EQ(take(k), 4u);
    k.c.s.r[rsp] = 0x5010;
    ASSERT_EQ(k.run({0x50}), status::ok);  // push rax writes 5008-500F
    EXPECT_EQ(take(k), 1u);
    EXPECT_TRUE(k.c.unusual);
}

TEST(sys_breakpoints, accesses_that_do_not_happen_meet_nothing) {
    sys_machine k;
    k.enter_long_mode();
    watch(k, 0, 0x40'0000, on_access, four);  // not mapped
    std::uint32_t v = 0;
    EXPECT_FALSE(k.c.load(ds, 0x40'0000, v));
    EXPECT_EQ(take(k), 0u);
    watch(k, 1, 0x5000, on_access, four);
    EXPECT_TRUE(k.c.check_write(ds, 0x5000, 4));  // only a check
    EXPECT_EQ(take(k), 0u);
}

TEST(sys_breakpoints, accesses_by_the_machine) {
    sys_machine k;
    k.enter_long_mode();
    watch(k, 3, gdt_at + data3, on_access, one);
    k.c.s.r[rax] = data3;
    ASSERT_EQ(k.run({0x8e, 0xd8}), status::ok);  // mov ds, eax reads the descriptor
    EXPECT_EQ(take(k), 8u);
    watch(k, 1, stack_at - 8, on_write, eight);
    k.set_gate(0x40, gate_of(14, 0, code64, handler_at));
    ASSERT_EQ(k.run({0xcd, 0x40}), status::ok);  // int 0x40 pushes SS there
    EXPECT_EQ(take(k), 2u);
}

TEST(sys_breakpoints, other_pages_stay_fast) {
    sys_machine k;
    k.enter_long_mode();
    watch(k, 0, 0x5000, on_access, one);
    std::uint32_t v = 0;
    ASSERT_TRUE(k.c.load(ds, 0x20'1000, v));
    k.put<std::uint64_t>(tables_at + 0x2008, 0);  // its page is gone, but still remembered
    EXPECT_TRUE(k.c.load(ds, 0x20'1000, v));
    for (int n = 0; n < 2; ++n) {
        ASSERT_TRUE(k.c.load(ds, 0x5000, v));
        EXPECT_EQ(take(k), 1u);  // looked at each time
    }
}

TEST(sys_breakpoints, ports) {
    sys_machine k(profile::compat);
    k.enter_long_mode();
    k.c.s.cr4 |= cr4_de;
    watch(k, 0, 0x3f8, on_port, four);
    k.device_value = 0x1234'5678;
    k.c.s.r[rdx] = 0x3fb;
    ASSERT_EQ(k.run({0xec}), status::ok);  // in al, dx
    EXPECT_EQ(k.c.s.r[rax] & 0xff, 0x78u);
    EXPECT_EQ(take(k), 1u);
    ASSERT_EQ(k.run({0xe7, 0x80}), status::ok);  // out 0x80, eax
    EXPECT_EQ(take(k), 0u);
    k.device_blocks = 1;
    EXPECT_EQ(k.run({0xee}), status::blocked);  // out dx, al
    EXPECT_EQ(take(k), 0u);
    ASSERT_EQ(k.run({0xee}), status::ok);
    EXPECT_EQ(take(k), 1u);
    ASSERT_EQ(k.port_log.size(), 3u);
    EXPECT_EQ(k.port_log[1].paddr, 0x80u);
    EXPECT_EQ(k.port_log[1].size, 4u);
}

// INS reads the port only if the element can be stored.
TEST(sys_breakpoints, string_ports) {
    sys_machine k(profile::compat);
    k.enter_long_mode();
    k.device_value = 0xabcd;
    k.c.s.r[rdx] = 0x60;
    k.c.s.r[rdi] = 0x40'0000;  // not mapped
    EXPECT_EQ(k.run({0x66, 0x6d}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_pf);
    EXPECT_TRUE(k.port_log.empty());
    k.c.s.r[rdi] = 0x5000;
    k.c.s.r[rcx] = 2;
    EXPECT_EQ(k.step({0xf3, 0x66, 0x6d}), status::repeat);
    EXPECT_EQ(k.run({0xf3, 0x66, 0x6d}), status::ok);
    EXPECT_EQ(k.get<std::uint32_t>(0x5000), 0xabcd'abcdu);
    k.c.s.r[rsi] = 0x5001;
    EXPECT_EQ(k.run({0x6e}), status::ok);  // outsb
    EXPECT_EQ(k.port_log.back().data, 0xabu);
    EXPECT_EQ(k.c.s.r[rsi], 0x5002u);
}

// ---- RF

TEST(sys_breakpoints, flags_the_handler_finds) {
    struct row {
        const char* what;
        event_kind kind;
        fault f;
        bool resume;
    };
    fault instruction = {}, detect = {}, page = {}, nmi = {};
    instruction.vector = detect.vector = vector_db;
    instruction.dr6 = 1;
    detect.dr6 = dr6_bd;
    page.vector = vector_pf;
    nmi.vector = vector_nmi;
    const row rows[] = {
        {"instruction breakpoint", event_kind::exception, instruction, false},
        {"general detect", event_kind::exception, detect, true},
        {"page fault", event_kind::exception, page, true},
        {"trap", event_kind::exception, debug_trap(dr6_bs), false},
        {"NMI", event_kind::nmi, nmi, false},
    };
    for (const row& x : rows) {
        for (const bool before : {false, true}) {
            sys_machine k;
            k.enter_long_mode();
            k.set_gate(x.f.vector, gate_of(14, 0, code64, handler_at));
            k.c.s.eflags = 2 | (before ? flag_rf : 0);
            ASSERT_EQ(deliver(k.c, x.kind, x.f, code_at), delivery::done) << x.what;
            const auto pushed = k.get<std::uint64_t>(stack_at - 24);
            EXPECT_EQ((pushed & flag_rf) != 0, x.resume || before) << x.what;
            EXPECT_EQ(k.c.s.eflags & flag_rf, 0u) << x.what;
        }
    }
}

TEST(sys_breakpoints, delivery_reports_in_dr6_and_ends_general_detect) {
    sys_machine k;
    k.enter_long_mode();
    k.set_gate(vector_db, gate_of(14, 0, code64, handler_at));
    // Of an earlier exception BT (bit 15) stays, B3 and B1 do not.
    k.c.s.dr[6] |= dr6_bt | 0xa;
    k.c.s.dr[7] |= dr7_gd;
    ASSERT_EQ(deliver(k.c, event_kind::exception, debug_trap(dr6_bs | 1), code_at), delivery::done);
    EXPECT_EQ(k.c.s.dr[6], 0xffff'cff1u);
    EXPECT_EQ(k.c.s.dr[7], 0x400u);
}

// INT1 is the exception without a condition of its own; INT 1 is no exception.
TEST(sys_breakpoints, int1_reports_in_dr6_and_ends_general_detect) {
    sys_machine k;
    k.enter_long_mode();
    k.set_gate(vector_db, gate_of(14, 0, code64, handler_at));
    k.c.s.dr[6] |= dr6_bs | dr6_bd | 0xf;
    k.c.s.dr[7] |= dr7_gd;
    ASSERT_EQ(k.run({0xcd, 0x01}), status::ok);
    EXPECT_EQ(k.c.s.dr[6], 0xffff'6fffu);
    EXPECT_EQ(k.c.s.dr[7], 0x400u | dr7_gd);
    ASSERT_EQ(k.run({0xf1}), status::ok);
    EXPECT_EQ(k.c.s.dr[6], 0xffff'6ff0u);
    EXPECT_EQ(k.c.s.dr[7], 0x400u);
}

// What MOV SS has held back goes with it; if it cannot be delivered, nothing has happened.
TEST(sys_breakpoints, int1_takes_along_what_is_held_back) {
    sys_machine k;
    k.enter_long_mode();
    k.c.s.dr[6] |= 8;
    k.c.held_conditions = 5;
    ASSERT_EQ(k.run({0xf1}), status::fault);  // no gate
    EXPECT_EQ(k.c.held_conditions, 5u);
    EXPECT_EQ(k.c.s.dr[6], 0xffff'0ff8u);
    k.set_gate(vector_db, gate_of(14, 0, code64, handler_at));
    ASSERT_EQ(k.run({0xf1}), status::ok);
    EXPECT_EQ(k.c.held_conditions, 0u);
    EXPECT_EQ(k.c.s.dr[6], 0xffff'0ff5u);
}

TEST(sys_breakpoints, iret_takes_rf_from_the_image_if_it_is_wide_enough) {
    for (const unsigned width : {2u, 4u}) {
        sys_machine k;
        k.enter_protected_mode();
        k.c.s.r[rsp] = stack_at - 3 * width;
        const std::uint32_t words[] = {0x6000, code32, 2 | flag_rf};
        for (unsigned n = 0; n < 3; ++n) {
            if (width == 4)
                k.put<std::uint32_t>(stack_at - 12 + 4 * n, words[n]);
            else
                k.put<std::uint16_t>(stack_at - 6 + 2 * n, static_cast<std::uint16_t>(words[n]));
        }
        ASSERT_EQ(width == 4 ? k.run({0xcf}) : k.run({0x66, 0xcf}), status::ok);
        EXPECT_EQ((k.c.s.eflags & flag_rf) != 0, width == 4);
    }
}

}  // namespace
}  // namespace knc::isa::test
