// Event delivery and IRET in long mode.

#include <array>

#include <gtest/gtest.h>

#include <knc/isa/event_delivery.h>

#include "sys_machine.h"

namespace knc::isa::test {
namespace {

constexpr unsigned interrupt_gate = 14, trap_gate = 15;

fault exception(std::uint8_t vector) {
    fault f;
    f.vector = vector;
    return f;
}
fault exception(std::uint8_t vector, std::uint32_t error) {
    fault f = exception(vector);
    f.has_error = true;
    f.error = error;
    return f;
}

// The five words of the frame at the present RSP (after the error code, if `skip` is 1).
struct frame5 {
    std::uint64_t rip, cs, rflags, rsp, ss;
};
frame5 frame_of(sys_machine& k, unsigned skip = 0) {
    return k.get<frame5>(k.c.s.r[rsp] + 8 * skip);
}

TEST(sys_events_long, interrupt_at_the_same_level) {
    sys_machine k;
    k.enter_long_mode();
    k.set_gate(0x41, gate_of(interrupt_gate, 0, code64, handler_at));
    k.c.s.eflags |= flag_if | flag_tf | flag_nt;
    k.c.s.r[rsp] = stack_at - 5;  // aligned down to 16 bytes before the frame
    ASSERT_EQ(deliver(k.c, event_kind::external_interrupt, exception(0x41), 0x1234),
              delivery::done);
    EXPECT_EQ(k.c.s.r[rip], handler_at);
    EXPECT_EQ(k.c.s.r[rsp], stack_at - 16 - 40);
    const frame5 f = frame_of(k);
    EXPECT_EQ(f.rip, 0x1234u);
    EXPECT_EQ(f.cs, code64);
    EXPECT_EQ(f.rflags, 0x4302u);  // NT IF TF and bit 1; no RF: not a fault
    EXPECT_EQ(f.rsp, stack_at - 5);
    EXPECT_EQ(f.ss, 0x10u);
    EXPECT_EQ(k.c.s.eflags, 2u);
    EXPECT_EQ(k.c.s.cpl, 0);
    EXPECT_EQ(k.c.s.seg[ss].selector, 0x10u);  // SS stays
}

TEST(sys_events_long, trap_gate_keeps_if) {
    sys_machine k;
    k.enter_long_mode();
    k.set_gate(3, gate_of(trap_gate, 0, code64, handler_at));
    k.c.s.eflags |= flag_if;
    ASSERT_EQ(deliver(k.c, event_kind::exception, exception(3), 0), delivery::done);
    EXPECT_EQ(k.c.s.eflags, flag_if | 2u);
}

TEST(sys_events_long, fault_from_user_mode) {
    sys_machine k;
    k.enter_long_mode(3);
    k.set_gate(14, gate_of(interrupt_gate, 0, code64, 0x5'0000), 1);  // offset 0x100050000
    fault f = exception(14, 6);
    f.address = 0xdead'beef;
    ASSERT_EQ(deliver(k.c, event_kind::exception, f, code_at), delivery::done);
    EXPECT_EQ(k.c.s.r[rip], 0x1'0005'0000u);
    EXPECT_EQ(k.c.s.cr2, 0xdead'beefu);
    EXPECT_EQ(k.c.s.cpl, 0);
    EXPECT_EQ(k.c.s.seg[cs].selector, code64);
    EXPECT_EQ(k.c.s.seg[ss].selector, 0u);
    EXPECT_FALSE(k.c.s.seg[ss].usable());
    EXPECT_EQ(k.c.s.r[rsp], stack0_at - 48);  // five words and the error code
    EXPECT_EQ(k.get<std::uint64_t>(stack0_at - 48), 6u);
    const frame5 g = frame_of(k, 1);
    EXPECT_EQ(g.rip, code_at);
    EXPECT_EQ(g.cs, user64);
    EXPECT_EQ(g.rflags, 0x1'0002u);  // RF: the instruction is to be executed again
    EXPECT_EQ(g.rsp, stack_at);
    EXPECT_EQ(g.ss, data3);
}

TEST(sys_events_long, rf_is_saved_only_for_faults) {
    struct row {
        event_kind kind;
        std::uint8_t vector;
        bool trap;
        bool rf;
    };
    const row rows[] = {{event_kind::exception, vector_ud, false, true},
                        {event_kind::exception, vector_db, true, false},
                        {event_kind::exception, vector_mc, false, false},  // abort
                        {event_kind::nmi, vector_nmi, false, false},
                        {event_kind::external_interrupt, 0x20, false, false}};
    for (const row& x : rows) {
        sys_machine k;
        k.enter_long_mode();
        k.set_gate(x.vector, gate_of(interrupt_gate, 0, code64, handler_at));
        fault f = exception(x.vector);
        f.trap = x.trap;
        ASSERT_EQ(deliver(k.c, x.kind, f, 0), delivery::done);
        EXPECT_EQ((frame_of(k).rflags & flag_rf) != 0, x.rf) << int{x.vector};
        EXPECT_EQ(k.c.s.eflags & flag_rf, 0u);
        EXPECT_EQ(k.c.nmi_blocked, x.kind == event_kind::nmi);
    }
}

TEST(sys_events_long, interrupt_stack_table) {
    sys_machine k;
    k.enter_long_mode();
    k.set_gate(2, gate_of(interrupt_gate, 0, code64, handler_at, 1));
    ASSERT_EQ(deliver(k.c, event_kind::nmi, exception(2), 0x77), delivery::done);
    EXPECT_EQ(k.c.s.r[rsp], ist_at - 40);
    EXPECT_EQ(frame_of(k).rsp, stack_at);
    EXPECT_EQ(k.c.s.seg[ss].selector, 0x10u);  // the level did not change
    EXPECT_TRUE(k.c.nmi_blocked);
    ASSERT_EQ(k.run({0x48, 0xcf}), status::ok);  // iretq
    EXPECT_FALSE(k.c.nmi_blocked);
    EXPECT_EQ(k.c.s.r[rip], 0x77u);
    EXPECT_EQ(k.c.s.r[rsp], stack_at);
}

TEST(sys_events_long, conforming_handler_stays_at_the_level) {
    sys_machine k;
    k.enter_long_mode(3);
    k.set_gate(0x30, gate_of(interrupt_gate, 3, conforming64, handler_at));
    ASSERT_EQ(deliver(k.c, event_kind::external_interrupt, exception(0x30), 0), delivery::done);
    EXPECT_EQ(k.c.s.cpl, 3);
    EXPECT_EQ(k.c.s.seg[cs].selector, conforming64 | 3);
    EXPECT_EQ(k.c.s.r[rsp], stack_at - 40);
}

// Gates that cannot be used, each with the fault it causes (before EXT) for a software interrupt.
struct bad_gate {
    const char* what;
    std::uint64_t low, high;
    std::uint8_t vector;
    std::uint32_t error;
};

const bad_gate bad_gates[] = {
    // Error code: vector * 8 + 2 (IDT) = 0x50 * 8 + 2 = 0x282, or the selector.
    {"type 0", gate_of(0, 3, code64, handler_at), 0, vector_gp, 0x282},
    {"16-bit gate", gate_of(6, 3, code64, handler_at), 0, vector_gp, 0x282},
    {"task gate", gate_of(5, 3, tss, 0), 0, vector_gp, 0x282},
    {"not present", gate_of(14, 3, code64, handler_at) & ~(1ull << 47), 0, vector_np, 0x282},
    {"null selector", gate_of(14, 3, 0, handler_at), 0, vector_gp, 0},
    {"outside the table", gate_of(14, 3, 0x200, handler_at), 0, vector_gp, 0x200},
    {"data segment", gate_of(14, 3, data0, handler_at), 0, vector_gp, data0},
    {"32-bit code", gate_of(14, 3, code32, handler_at), 0, vector_gp, code32},
    {"absent code", gate_of(14, 3, scratch, handler_at), 0, vector_np, scratch},
    {"address", gate_of(14, 3, code64, handler_at), 0x8000, vector_gp, 0},
};

TEST(sys_events_long, gates_that_cannot_be_used) {
    for (const bad_gate& x : bad_gates) {
        sys_machine k;
        k.enter_long_mode(3);
        k.set_descriptor(scratch, descriptor_of(0, 0xfffff, 0x1a, 0xa));
        k.set_gate(0x50, x.low, x.high);
        const std::uint64_t sp = k.c.s.r[rsp];
        EXPECT_EQ(k.run({0xcd, 0x50}), status::fault) << x.what;
        EXPECT_EQ(k.c.fault.vector, x.vector) << x.what;
        EXPECT_EQ(k.c.fault.error, x.error) << x.what;
        EXPECT_EQ(k.c.s.r[rsp], sp);
        EXPECT_EQ(k.c.s.cpl, 3);
        // The same met by an external interrupt has EXT.
        EXPECT_EQ(deliver_once(k.c, event_kind::external_interrupt, exception(0x50), 0),
                  status::fault);
        EXPECT_EQ(k.c.fault.error, x.error | 1) << x.what;
    }
}

TEST(sys_events_long, gate_privilege_and_limit) {
    sys_machine k;
    k.enter_long_mode(3);
    k.set_gate(0x50, gate_of(interrupt_gate, 0, code64, handler_at));
    EXPECT_EQ(k.run({0xcd, 0x50}), status::fault);
    EXPECT_EQ(k.c.fault.error, 0x282u);  // DPL 0 < CPL 3
    EXPECT_EQ(deliver(k.c, event_kind::external_interrupt, exception(0x50), 0), delivery::done);
    k.enter_long_mode(3);
    k.c.s.idtr.limit = 0x50f - 1;  // one byte short of gate 0x50
    EXPECT_EQ(k.run({0xcd, 0x50}), status::fault);
    EXPECT_EQ(k.c.fault.error, 0x282u);
}

TEST(sys_events_long, inner_stack_faults) {
    sys_machine k;
    k.enter_long_mode(3);
    k.set_gate(0x50, gate_of(interrupt_gate, 3, code64, handler_at));
    k.put<std::uint64_t>(tss_at + 4, 0x9000'0000'0000);  // RSP0: not canonical
    EXPECT_EQ(k.run({0xcd, 0x50}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_ss);
    EXPECT_EQ(k.c.fault.error, 0u);
    k.put<std::uint64_t>(tss_at + 4, 0x100'0000);  // not mapped
    EXPECT_EQ(k.run({0xcd, 0x50}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_pf);
    EXPECT_EQ(k.c.fault.error, 2u);  // a supervisor write
    EXPECT_EQ(k.c.fault.address, 0x100'0000u - 40);
    k.c.s.tr.limit = 10;  // RSP0 is bytes 4..11
    EXPECT_EQ(k.run({0xcd, 0x50}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_ts);
    EXPECT_EQ(k.c.fault.error, std::uint32_t{tss});
}

TEST(sys_events_long, software_interrupts_return_behind_the_instruction) {
    sys_machine k;
    k.enter_long_mode(3);
    k.set_gate(3, gate_of(interrupt_gate, 3, code64, handler_at));
    k.set_gate(0x80, gate_of(trap_gate, 3, code64, handler_at));
    ASSERT_EQ(k.run({0xcc}), status::ok);  // int3
    EXPECT_EQ(k.c.s.r[rip], handler_at);
    EXPECT_EQ(frame_of(k).rip, code_at + 1);
    EXPECT_EQ(frame_of(k).rflags & flag_rf, 0u);
    ASSERT_EQ(k.run({0x48, 0xcf}), status::ok);
    EXPECT_EQ(k.c.s.cpl, 3);
    EXPECT_EQ(k.c.s.r[rip], code_at + 1);
    ASSERT_EQ(k.run({0xcd, 0x80}), status::ok);
    EXPECT_EQ(frame_of(k).rip, code_at + 3);
    EXPECT_NE(k.flags_of({0xcd, 0x80}) & insn_branch, 0u);
    EXPECT_NE(k.flags_of({0xcc}) & insn_branch, 0u);
}

TEST(sys_events_long, a_blocked_frame_changes_nothing) {
    sys_machine k;
    k.enter_long_mode();
    k.set_gate(0x41, gate_of(interrupt_gate, 0, code64, handler_at));
    k.put<std::uint64_t>(tables_at + 0x2010, 0x40'0087);  // memory behind the RAM: a device
    k.c.s.r[rsp] = 0x40'1000;
    k.device_blocks = 1;
    EXPECT_EQ(deliver(k.c, event_kind::external_interrupt, exception(0x41), 5), delivery::blocked);
    EXPECT_EQ(k.c.s.r[rsp], 0x40'1000u);
    EXPECT_EQ(k.c.s.r[rip], code_at);
    EXPECT_EQ(deliver(k.c, event_kind::external_interrupt, exception(0x41), 5), delivery::done);
    EXPECT_EQ(k.c.s.r[rsp], 0x40'1000u - 40);
    ASSERT_EQ(k.device_log.size(), 5u);
    EXPECT_EQ(k.device_log[0].data, 5u);
}

// ---- IRET

// Puts a frame on the stack and executes IRETQ.
status iretq(sys_machine& k, const frame5& f) {
    k.c.s.r[rsp] = stack_at - 0x100;
    k.put(stack_at - 0x100, f);
    return k.run({0x48, 0xcf});
}

TEST(sys_events_long, iretq_to_user_mode) {
    sys_machine k;
    k.enter_long_mode();
    k.c.s.seg[ds] = k.segment_of(data0);
    k.c.s.seg[es] = k.segment_of(data3);
    k.c.s.seg[gs] = {};
    k.c.s.seg[gs].base = 0x1234'5678'9000;
    ASSERT_EQ(iretq(k, {0x6000, user64, 0x3f7fd7, 0x7000, data3}), status::ok);
    EXPECT_EQ(k.c.s.r[rip], 0x6000u);
    EXPECT_EQ(k.c.s.r[rsp], 0x7000u);
    EXPECT_EQ(k.c.s.cpl, 3);
    EXPECT_EQ(k.c.s.seg[cs].selector, user64);
    EXPECT_EQ(k.c.s.seg[ss].selector, data3);
    EXPECT_EQ(k.c.s.rflags(), 0x3d7fd7u);   // all but VM (bit 17)
    EXPECT_EQ(k.c.s.seg[ds].selector, 0u);  // DPL 0 must not stay
    EXPECT_FALSE(k.c.s.seg[ds].usable());
    EXPECT_EQ(k.c.s.seg[es].selector, data3);
    EXPECT_EQ(k.c.s.seg[gs].base, 0x1234'5678'9000u);
}

TEST(sys_events_long, iretq_at_level_3_keeps_privileged_flags) {
    sys_machine k;
    k.enter_long_mode(3);
    k.c.s.eflags = 2 | flag_if;  // IOPL 0
    ASSERT_EQ(iretq(k, {0x6000, user64, 0x3f7fd7 & ~flag_if, 0x7000, data3}), status::ok);
    // CF PF AF ZF SF TF DF OF NT RF AC ID change; IF, IOPL, VIF, VIP do not.
    EXPECT_EQ(k.c.s.rflags(), 0x254fd7u);
}

TEST(sys_events_long, iretq_checks) {
    struct row {
        const char* what;
        unsigned cpl;
        frame5 f;
        std::uint8_t vector;
        std::uint32_t error;
    };
    constexpr std::uint64_t nc = 0x8000'0000'0000;
    const row rows[] = {
        {"null CS", 0, {0x6000, 0, 2, 0x7000, data0}, vector_gp, 0},
        {"CS outside", 0, {0x6000, 0x203, 2, 0x7000, data3}, vector_gp, 0x200},
        {"CS is data", 0, {0x6000, data3, 2, 0x7000, data3}, vector_gp, data3 & ~3u},
        {"inner level", 3, {0x6000, code64, 2, 0x7000, data0}, vector_gp, code64},
        {"DPL differs from RPL", 0, {0x6000, code64 | 3, 2, 0x7000, data3}, vector_gp, code64},
        {"32-bit code", 0, {0x6000, code32, 2, 0x7000, data0}, vector_gp, code32},
        {"absent code", 0, {0x6000, scratch, 2, 0x7000, data0}, vector_np, scratch},
        {"RIP", 0, {nc, code64, 2, 0x7000, data0}, vector_gp, 0},
        {"null SS for level 3", 0, {0x6000, user64, 2, 0x7000, 3}, vector_gp, 0},
        {"SS RPL", 0, {0x6000, user64, 2, 0x7000, data3 & ~3u}, vector_gp, data3 & ~3u},
        {"SS DPL", 0, {0x6000, user64, 2, 0x7000, data0 | 3}, vector_gp, data0},
        {"SS not writable", 0, {0x6000, user64, 2, 0x7000, user32}, vector_gp, user32 & ~3u},
        {"SS absent", 0, {0x6000, code64, 2, 0x7000, scratch + 8}, vector_ss, scratch + 8},
    };
    for (const row& x : rows) {
        sys_machine k;
        k.enter_long_mode(x.cpl);
        k.set_descriptor(scratch, descriptor_of(0, 0xfffff, 0x1a, 0xa));
        k.set_descriptor(scratch + 8, descriptor_of(0, 0xfffff, 0x12, 0xc));
        EXPECT_EQ(iretq(k, x.f), status::fault) << x.what;
        EXPECT_EQ(k.c.fault.vector, x.vector) << x.what;
        EXPECT_EQ(k.c.fault.error, x.error) << x.what;
        EXPECT_EQ(k.c.s.r[rsp], stack_at - 0x100);
        EXPECT_EQ(k.c.s.cpl, x.cpl);
    }
    sys_machine k;
    k.enter_long_mode();
    ASSERT_EQ(iretq(k, {0x6000, code64, 2, 0x7000, 0}), status::ok);  // null SS at level 0
    EXPECT_EQ(k.c.s.r[rsp], 0x7000u);
    k.c.s.eflags |= flag_nt;  // no tasks in long mode
    EXPECT_EQ(iretq(k, {0x6000, code64, 2, 0x7000, 0}), status::fault);
    EXPECT_EQ(k.c.fault.vector, vector_gp);
}

TEST(sys_events_long, narrow_irets_pop_five_words_too) {
    sys_machine k;
    k.enter_long_mode();
    const std::array<std::uint32_t, 5> words{0x6000, code64, 0x202, 0x7000, data0};
    k.put(stack_at - 20, words);
    k.c.s.r[rsp] = stack_at - 20;
    ASSERT_EQ(k.run({0xcf}), status::ok);  // iretd
    EXPECT_EQ(k.c.s.r[rsp], 0x7000u);
    EXPECT_EQ(k.c.s.r[rip], 0x6000u);
    EXPECT_EQ(k.c.s.eflags, 0x202u);
}

}  // namespace
}  // namespace knc::isa::test
